//! Values of positions in memory: which index stands for which position, and where its value is.

mod block;
mod database;
mod kingsets;
mod numbering;
mod table;

pub(crate) use block::{Block, Place};
pub use database::Database;
pub(crate) use kingsets::KingSets;
pub use numbering::{Shape, pairs};
pub(crate) use numbering::{rank, slice_of, slices};
#[cfg(test)]
pub(crate) use table::RowWord;
pub use table::{Table, Value};
