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
//!
//! A small game from its start to its certificate:
//!
//! ```
//! use certificate_spec::claim::{Claim, Value};
//! use prover::board::Game;
//! use prover::certificate::{Certificate, Section, Target};
//! use prover::egdb::{Cover, Values};
//! use prover::progress::Progress;
//! use prover::proof::{
//!     Asked, Environment, Ledger, Manager, ROUND, Request, SearchContext, Workers, solve,
//! };
//!
//! let game: Game = "4x4".parse()?;
//! let (board, start) = (&game.board, game.start());
//! // It is so small that no database is needed.
//! let database = Values::empty(board);
//! let context = SearchContext { board, database: &database, database_root: None, lemmas: None };
//! let manager = Manager {
//!     leaf_nodes: 10_000,
//!     leaf_table: 1 << 20,
//!     leaf_threads: 1,
//!     lemmas: false,
//!     round: ROUND,
//!     max_nodes: None,
//!     thresholds: None,
//!     seed: Vec::new(),
//! };
//! let environment = Environment {
//!     ledger: &Ledger::in_memory()?,
//!     workers: &Workers::new(1),
//!     is_stopped: &|| false,
//!     progress: &Progress::Quiet,
//! };
//! let solution = solve(&Request { start, asked: Asked::Value, manager }, &context, environment)?;
//! assert_eq!(solution.value, Value::Draw);
//!
//! let sections = solution.proofs.into_iter().map(|proof| Section::new(board, &database, proof));
//! let claim = Claim {
//!     game: game.to_string(),
//!     start: board.write_fen(&start),
//!     value: solution.value,
//!     cover: Cover::none(),
//!     database: None,
//! };
//! let certificate = Certificate::new(&claim, &sections.collect::<Result<Vec<_>, _>>()?);
//! # let directory = tempfile::tempdir()?;
//! # let directory = directory.path().join("cert");
//! certificate.write(Target::new(&directory)?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory, and
// what the prover gets wrong the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

pub use draughtproof_egdb as egdb;
pub use draughtproof_game as board;

pub mod book;
pub mod certificate;
pub mod cli;
pub mod cluster;
pub mod combine;
pub mod engine;
pub mod exchange;
pub mod farm;
pub mod games;
pub mod heuristic;
pub mod literature;
pub mod lookup;
pub mod manual;
pub mod object_place;
pub mod play;
pub mod prepare_database;
pub mod progress;
pub mod proof;
pub mod report;
pub mod search;
pub mod serve;
mod wire;
