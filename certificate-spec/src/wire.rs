//! The head that every binary file begins with, and postcard, the encoding of small structured
//! parts (`SPEC.md` §3.1).
//!
//! Postcard by itself admits several encodings of the same value (a varint may be padded). So each
//! decoded value is encoded again, and the bytes must be the same.

use crate::VERSION;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// The number of bytes of magic and version.
pub const HEAD: usize = 12;

/// Magic and version.
pub(crate) fn head(magic: &[u8; 8]) -> Vec<u8> {
    [&magic[..], &VERSION.to_le_bytes()].concat()
}

/// Reads a text. It may have only printable ASCII, so that it can be shown as it is.
pub(crate) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    printable(String::deserialize(from)?)
}

/// Passes a text on that has printable ASCII only.
pub(crate) fn printable<E: Error>(text: String) -> Result<String, E> {
    let is_printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_printable { Ok(text) } else { Err(E::custom("text that is not printable ASCII")) }
}

/// Appends the only encoding of a value.
pub(crate) fn append<T: Serialize>(out: &mut Vec<u8>, value: &T) {
    // The only errors are a full buffer and a sequence of unknown length.
    out.extend(postcard::to_allocvec(value).expect("a value of known length"));
}
