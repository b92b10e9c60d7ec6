//! The values that a block of positions must have, given the values of others.

mod operator;
mod pairs;
mod word;

#[cfg(test)]
pub(crate) use pairs::advances;
pub use pairs::derive;
pub(crate) use pairs::{First, Wrong, capture, groups, settle};
