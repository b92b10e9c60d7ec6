//! The game: boards, positions, moves (`SPEC.md` §1), and how they are written (FEN, PDN).
//!
//! What uses this crate speaks of [`Position`]s and their successors; only the database builder also
//! looks at single squares.
// Squares, counts and shifts here are bounded by the board (at most 32 squares).
#![allow(clippy::cast_possible_truncation)]

mod fen;
mod game;
mod geometry;
mod moves;
mod notation;
mod pdn;
mod perft;
mod position;

pub use fen::FenError;
pub use game::{Game, GameError};
pub use geometry::Board;
pub use notation::{Move, MoveError};
pub use pdn::{PdnError, PdnGame};
pub use perft::perft;
pub use position::{Position, Side};
