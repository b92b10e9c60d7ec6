//! Solves a slice and its twin by retrograde analysis, one block (placement of all men) at a time.
//! This module reads and writes no files.

pub(crate) mod block;
pub(crate) mod builder;
pub(crate) mod kingless;
pub(crate) mod matrix;
pub(crate) mod pair;
