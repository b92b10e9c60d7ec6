//! A database as it lies on disk: its manifest, its slice files, and whether their values are
//! right.

mod manifest;
mod slice_file;
mod values;

pub(crate) use manifest::find;
pub use manifest::identify;
pub(crate) use values::{Values, check};
