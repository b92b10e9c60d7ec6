//! Between the values of a slice and the bytes of its file: the units, their contexts, encoding and
//! decoding.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod units;
