//! Draughtproof's prover: it proves the value of games of checkers (English draughts) on boards of
//! R × C squares, and writes the proofs down as certificates.
//!
//! The prover need not be trusted: a certificate is verified by the checker, which shares no code
//! with it. So the prover may use any method that finds proofs fast, and its mistakes cost time,
//! never truth.
//!
//! Data flows one way:
//!
//! 1. [`board`]: the rules of the game, positions, moves and how they are written.
//! 2. [`egdb`]: endgame databases, the value of every position with few pieces, built by retrograde
//!    analysis; [`prepare_database`] builds, verifies and loads them.
//! 3. [`search`]: df-pn⁺, which decides single positions over a database and shows its decisions by
//!    strategies; [`heuristic`]: alpha-beta, which guesses what a search cannot decide.
//! 4. [`proof`]: a proof-number search over a tree of such searches, which decides a whole game
//!    ([`proof::solve()`]); [`farm`]: its searches on other machines.
//! 5. [`certificate`]: proofs as files (`certificate-spec/SPEC.md` §3–§7), and back.
//! 6. [`lookup`]: the value of a position and of each of its moves in a database.
//! 7. [`games`]: games that were played, with the values of their moves; [`play`]: a game against a
//!    proof, a database or a search; [`engine`]: a player for other programs, by the Hub protocol;
//!    [`book`]: openings searched beforehand.
//! 8. [`combine`]: certificates of openings joined into one; [`report`]: statistics of certificates
//!    and databases; [`literature`]: comparison with published values; [`serve`]: answers about any
//!    position, over HTTP.
//!
//! [`exchange`] takes databases to other machines and programs. [`cli`] is the command line of
//! `prove`: it only reads options and prints. [`manual`] makes manual pages and shell completions
//! of it.
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory, and
// what the prover gets wrong the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

use draughtproof_egdb as egdb;
use draughtproof_game as board;

pub mod cli;
pub mod cluster;
pub mod exchange;
pub mod manual;
