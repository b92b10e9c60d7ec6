//! The game: positions, moves, and how a position is written.

mod bits;
mod board;
mod fen;

pub use bits::Bits;
pub use board::{Board, Game, Position, Side};
pub(crate) use board::{Jumper, bits_in};
pub use fen::{parse as parse_fen, write as write_fen};
