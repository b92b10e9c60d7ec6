//! Draughtproof's prover.
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory, and
// what the prover gets wrong the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

pub use draughtproof_egdb as egdb;
pub use draughtproof_game as board;

pub mod cli;
pub mod emit;
pub mod ensure;
pub mod heuristic;
pub mod progress;
pub mod proof;
pub mod search;
