//! Solving a slice and its twin by retrograde analysis, one block (placement of all men) at a time.
//! Nothing here reads or writes files.

pub(crate) mod block;
pub(crate) mod builder;
pub(crate) mod kingless;
pub(crate) mod matrix;
pub(crate) mod pair;
