//! A database as it lies on disk: its manifest, its slice files, and whether their values are
//! right.

mod claimed;
mod manifest;
mod order;
mod slice_file;
mod values;

pub(crate) use manifest::find;
pub use manifest::identify;
pub(crate) use order::{Wanted, fits};
pub(crate) use values::{Values, check};
