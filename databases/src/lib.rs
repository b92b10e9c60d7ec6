//! Endgame databases of checkers on boards of R × C squares: the values of all positions with few
//! pieces. Built by retrograde analysis, stored in files that can be read position by position.
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory, and
// what is wrong in a database the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

mod block;
pub mod board;
mod build;
mod kingless;
mod matrix;
mod resident;
mod sets;
mod slice;
mod solve;
pub mod stats;
mod store;
mod table;

pub use build::Builder;
pub use resident::Database;
pub use slice::Slice;
pub use store::{Store, StoreError, UNFINISHED};
pub use table::{Table, Value};
