//! Endgame databases of checkers on boards of R × C squares: the values of all positions with few
//! pieces. Built by retrograde analysis, stored in files that can be read position by position.
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory, and
// what is wrong in a database the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

mod build;
mod codec;
mod database;
mod depth;
mod disk;
mod index;
mod solve;
mod values;

pub use build::extend::{BuildError, Event, Working, extend, extend_depths};
pub use build::forecast::{Forecast, Forecaster};
pub use codec::decode::decode_slice;
pub use codec::encode::encode_slice;
pub use database::{Database, Mode};
pub use depth::Depths;
pub use disk::figures::Figures;
pub use disk::store::{Store, StoreError, UNFINISHED};
pub use index::slice::{Slice, locate, position_at};
pub use solve::builder::Builder;
pub use values::pages::ask_for_large_pages;
pub use values::resident::Values;
pub use values::stats;
pub use values::table::{Table, Value};
