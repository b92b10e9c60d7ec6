//! Playing checkers (English draughts): what is known of a position, and programs that use it.
//!
//! 1. [`lookup`]: the value of a position and of each of its moves in a database.
//! 2. [`opponent`]: a game against a proof, a database or a search; [`engine`]: a player for other
//!    programs, by the Hub protocol; [`book`]: openings searched beforehand.
//! 3. [`games`]: games that were played, with the values of their moves.
//!
//! This crate knows nothing of brokers or HTTP, of asynchronous code, or of a command line.
#![allow(missing_docs)]
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory, and
// what the prover gets wrong the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

use draughtproof_egdb as egdb;
use draughtproof_game as board;

pub mod book;
pub mod engine;
pub mod games;
pub mod lookup;
pub mod opponent;
