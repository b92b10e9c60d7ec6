//! Postcard, for what the prover keeps for itself: the ledger and kept searches.
//!
//! Postcard admits several encodings of the same value (a varint may be padded). So what has been
//! decoded is encoded again, and only the same bytes are accepted.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The only encoding of a value.
pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // The only errors are those of a full buffer and of a sequence that does not know its length.
    postcard::to_allocvec(value).expect("a value of known length")
}

/// Reads a value; `None` if these bytes are not the encoding of one.
pub(crate) fn decode<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Option<T> {
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
