//! What the values of a block of positions must be, given those of others.

mod operator;
mod pairs;
mod word;

#[cfg(test)]
pub(crate) use pairs::advances;
pub use pairs::derive;
pub(crate) use pairs::{First, Wrong, capture, groups, settle};
