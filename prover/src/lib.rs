//! Draughtproof's prover: it proves the value of games of checkers (English draughts) on boards of
//! R × C squares, and writes the proofs down as certificates.
//!
//! The prover need not be trusted: a certificate is verified by the checker, which shares no code
//! with it. So the prover may use any method that finds proofs fast, and its mistakes cost time,
//! never truth.
//!
//! Data flows one way, through crates that each have a folder beside this one:
//!
//! 1. `game`: the rules of the game, positions, moves and how they are written.
//! 2. `egdb`: endgame databases, the value of every position with few pieces, built by retrograde
//!    analysis.
//! 3. `proof`: df-pn searches of single positions, a proof tree above them, and certificates.
//! 4. `play`: look-ups, an opponent, an engine, a book, games that were played.
//! 5. `farm`: the searches of a proof on other machines; `serve`: answers about any position, over
//!    HTTP. Both are features of this crate, `farm` and `serve`.
//!
//! This crate is the command line: [`cli`] reads options, calls the crates above and prints.
//! [`manual`] makes manual pages and shell completions of it.
#![allow(missing_docs)]
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory, and
// what the prover gets wrong the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

use draughtproof_egdb as egdb;
use draughtproof_game as board;

pub mod cli;
pub mod manual;
