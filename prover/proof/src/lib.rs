//! Proofs of games of checkers (English draughts) on boards of R × C squares: how they are found,
//! and how they become certificates.
//!
//! 1. [`search`]: df-pn⁺, which decides single positions over a database and shows its decisions by
//!    strategies; [`heuristic`]: alpha-beta, which guesses what a search cannot decide.
//! 2. [`proof`]: a proof-number search over a tree of such searches, which decides a whole game
//!    ([`proof::solve()`]).
//! 3. [`certificate`]: proofs as files (`certificate-spec/SPEC.md` §3–§7), and back.
//! 4. [`combine`]: certificates of openings joined into one; [`expand`]: a certificate over a
//!    smaller database; [`report`]: statistics of certificates and databases.
//! 5. [`prepare_database`]: databases are verified, built and loaded before a search; [`effort`]:
//!    what a proof may take; [`progress`]: what people see meanwhile; [`wire`]: the prover's own
//!    files as bytes.
//!
//! This crate knows nothing of brokers or HTTP, of asynchronous code, or of a command line.
//!
//! A small game from its start to its certificate:
//!
//! ```
//! use certificate_spec::claim::{Claim, Value};
//! use draughtproof_egdb::{Cover, Values};
//! use draughtproof_game::Game;
//! use draughtproof_proof::certificate::{Certificate, Section, Target};
//! use draughtproof_proof::progress::Progress;
//! use draughtproof_proof::proof::{
//!     Asked, Environment, Ledger, ProofSettings, ROUND, Request, SearchContext, Workers, solve,
//! };
//!
//! let game: Game = "4x4".parse()?;
//! let (board, start) = (&game.board, game.start());
//! // It is so small that no database is needed.
//! let database = Values::empty(board);
//! let context = SearchContext { board, database: &database, database_root: None };
//! let settings = ProofSettings {
//!     leaf_nodes: 10_000,
//!     leaf_table: 1 << 20,
//!     leaf_threads: 1,
//!     round: ROUND,
//!     lines: None,
//!     max_nodes: None,
//!     thresholds: None,
//! };
//! let environment = Environment {
//!     ledger: &Ledger::in_memory()?,
//!     workers: &Workers::threads(1),
//!     is_stopped: &|| false,
//!     progress: &Progress::Quiet,
//! };
//! let solution = solve(&Request { start, asked: Asked::Value, settings }, &context, environment)?;
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
#![allow(missing_docs)]
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory, and
// what the prover gets wrong the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

use draughtproof_egdb as egdb;
use draughtproof_game as board;

pub mod certificate;
pub mod combine;
pub mod effort;
pub mod expand;
pub mod heuristic;
pub mod prepare_database;
pub mod progress;
pub mod proof;
pub mod report;
pub mod search;
pub mod wire;
