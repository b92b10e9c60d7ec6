//! The game of checkers (English draughts) on boards of R × C squares: rules, positions and moves
//! (`certificate-spec/SPEC.md` §1), and their notation (FEN, PDN).
//!
//! Everything on the prover's side is built on this crate: the endgame databases, the searches, the
//! programs that play. It needs no database itself, and it shares no code with the checker, which
//! has rules of its own: a mistake in this crate is noticed when a certificate is checked.
//!
//! A [`Game`] is a [`Board`] and a start. A [`Position`] is three bit sets and the side to move;
//! its moves are its *successors*, the positions after each move, in an order that the
//! specification fixes. [`Board::read_move`] and [`Board::write_move`] read and write the names of
//! moves.
//!
//! ```
//! use draughtproof_game::{Game, perft};
//!
//! let game: Game = "8x8".parse()?;
//! let start = game.start();
//! let mut successors = Vec::new();
//! game.board.successors(&start, &mut successors);
//! assert_eq!(successors.len(), 7);
//! // The number of sequences of four moves is well known.
//! assert_eq!(perft(&game.board, &start, 4), 1469);
//!
//! let after = game.board.read_move(&start, "11-15")?;
//! let fen = "W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15";
//! assert_eq!(game.board.write_fen(&after), fen);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![allow(missing_docs)]
// Squares, counts and shifts here are bounded by the board (at most 32 squares).
#![allow(clippy::cast_possible_truncation)]

mod fen;
mod game;
mod geometry;
mod moves;
mod notation;
mod pdn;
mod position;

pub use fen::FenError;
pub use game::{Game, GameError};
pub use geometry::Board;
pub use moves::perft;
pub use notation::{Move, MoveError};
pub use pdn::{
    MOST_BYTES, PdnError, PdnGame, PdnReader, Remark, RemarkKind, Strictness, Unread, move_number,
    write_pdn,
};
pub use position::{Position, Side};
