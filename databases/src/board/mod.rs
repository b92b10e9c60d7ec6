//! The game: boards, positions, moves (`SPEC.md` §1).
//!
//! Everything above this module speaks of [`Position`]s and their successors; only the database
//! builder also looks at single squares.

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
