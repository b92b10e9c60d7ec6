//! Postcard, for the prover's own files: the ledger and checkpoints of searches.
//!
//! Postcard admits several encodings of one value (a varint may be padded). So a decoded value is
//! encoded again, and bytes that differ from that are rejected.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The only accepted encoding of a value.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // The only errors are those of a full buffer and of a sequence of unknown length.
    postcard::to_allocvec(value).expect("a value of known length")
}

/// Decodes a value; `None` if these bytes are not its encoding.
pub fn decode<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let value: T = postcard::from_bytes(bytes).ok()?;
    (encode(&value) == bytes).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn a_value_has_one_encoding() {
        let value = (300u32, vec![1u8, 2], Some(-1i32));
        let bytes = encode(&value);
        assert_eq!(decode(&bytes), Some(value.clone()));
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(decode::<(u32, Vec<u8>, Option<i32>)>(&longer), None);
        // A padded varint.
        let padded = [&[bytes[0], bytes[1] | 128, 0], &bytes[2..]].concat();
        assert_eq!(postcard::from_bytes::<(u32, Vec<u8>, Option<i32>)>(&padded), Ok(value));
        assert_eq!(decode::<(u32, Vec<u8>, Option<i32>)>(&padded), None);
    }
}
