//! Endgame databases of checkers on boards of R × C squares: the value (win, draw or loss for the
//! side to move) of every position with few pieces.
//!
//! The positions that a database has are its [`Cover`]: all with at most some number of pieces, or
//! those of them with at most some number a side. A search that reaches such a position need not go
//! on: the database has the value. Databases are built by retrograde analysis, fewer pieces first,
//! and stored in compressed files (`certificate-spec/SPEC.md` §8) from which single positions are
//! read at random. The checker reads the same files and derives their values again with code of its
//! own.
//!
//! A program that looks positions up needs only [`Database`]. For a program that builds databases:
//! a [`Store`] is the directory of a board's database, a [`BuildSession`] holds the slices that are
//! in memory, and [`extend`] solves the slices that the store lacks.
//!
//! ```
//! use draughtproof_egdb::{BuildSession, Cover, Database, Mode, Store, Value, extend};
//! use draughtproof_game::Board;
//!
//! # let directory = tempfile::tempdir()?;
//! # let directory = directory.path();
//! let board = Board::new(4, 4).expect("a board of the rules");
//! let store = Store::new(directory, &board);
//! let lock = store.lock()?;
//! extend(&mut BuildSession::new(&store, &Cover::up_to(3), 256 << 20)?, |_| ())?;
//! drop(lock);
//!
//! let database = Database::open(directory, &board, Mode::default())?;
//! let position = board.read_fen("B:W8:BK3,K4")?;
//! assert_eq!(database.probe(&position)?, Some(Value::Win));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules follow the stages of the data: `index` (positions as numbers), `values` (tables in
//! memory), `solve` (a slice from those before it), `build` (a whole database, in order and within
//! bounds), `codec` (tables as bytes), `disk` (bytes as files), `depth` (the length of wins).
//! [`exchange`] takes databases to other machines and programs.
#![allow(missing_docs)]
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory. A
// mistake in a database is refuted by the checker, which keeps this lint.
#![allow(clippy::cast_possible_truncation)]

mod build;
mod codec;
mod database;
mod depth;
mod disk;
pub mod exchange;
mod index;
pub mod limits;
pub mod numbers;
mod rated_moves;
mod solve;
mod values;

pub use build::BuildError;
pub use build::extend::{Event, PairEvent, build_pairs, extend, extend_depths, pair_of, rebuild};
pub use build::forecast::{Forecast, Forecaster};
pub use build::session::BuildSession;
pub use build::spill::Making;
pub use certificate_spec::cover::{Clause, Cover};
pub use certificate_spec::text::CoverError;
pub use codec::decode::decode_slice;
pub use codec::encode::encode_slice;
pub use database::{Cached, Database, Mode};
pub use depth::{DepthFinder, Depths};
pub use disk::StoreError;
pub use disk::atomic::{self, UNFINISHED};
pub use disk::slice_files::Figures;
pub use disk::store::{Lock, Store};
pub use index::cover;
pub use index::slice::{Slice, locate, position_at};
pub use rated_moves::{RatedMove, ValueRange, converts};
pub use solve::builder::Builder;
pub use values::resident::Values;
pub use values::stats;
pub use values::table::{
    OutOfMemory, Table, Value, ask_for_large_pages, table, try_table, zeroed_words,
};
