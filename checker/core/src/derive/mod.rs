//! What the values of a block of positions must be, given those of others.

mod operator;
mod pairs;
mod word;

pub use pairs::derive;
pub(crate) use pairs::{First, Wrong, advances, capture, groups, settle, settle_advance};
