//! Converts between the values of a slice and the bytes of its file: the parts, their contexts,
//! encoding and decoding.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod parts;
