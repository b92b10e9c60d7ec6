//! Endgame databases of checkers on boards of R × C squares: the values of all positions with few
//! pieces. Built by retrograde analysis, stored in files that can be read position by position.
// Squares, counts and shifts here are bounded by the board (at most 32 squares) or by memory, and
// what is wrong in a database the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

mod block;
pub mod board;
mod build;
mod cache;
mod database;
mod decode;
mod depth;
mod encode;
mod extend;
mod figures;
mod forecast;
mod kingless;
mod matrix;
mod pages;
mod renumber;
mod residency;
mod resident;
mod sets;
mod slice;
mod solve;
pub mod stats;
mod store;
mod table;
mod units;

pub use build::Builder;
pub use database::{Database, Mode};
pub use decode::decode_slice;
pub use depth::Depths;
pub use encode::encode_slice;
pub use extend::{BuildError, Event, Working, extend, extend_depths};
pub use figures::Figures;
pub use forecast::{Forecast, Forecaster};
pub use pages::ask_for_large_pages;
pub use resident::Values;
pub use slice::{Slice, locate, position_at};
pub use store::{Store, StoreError, UNFINISHED};
pub use table::{Table, Value};
