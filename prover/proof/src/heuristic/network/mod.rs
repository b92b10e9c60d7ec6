//! A small network that values positions of 8x8.
//!
//! Its inputs say which of four kinds of pieces stands on which square, as the side to move sees
//! the board. Two layers of hidden units follow, whose values are kept between 0 and 1, and one
//! output; the second layer and the output have weights for the number of pieces on the board. Like
//! the evaluations of Stockfish after Nasu ("Efficiently updatable neural-network-based evaluation
//! functions for computer shogi", 2018) it is made for sparse inputs and integers; see [`Network`].

mod integer;
mod parameters;

pub use integer::Network;
pub use parameters::{HIDDEN, INPUTS, Layers, Parameters, SECOND};

use crate::board::{Board, Position, Side};

/// Weights of the later layers: as many sets.
pub const PARTS: usize = 4;
/// The most pieces on the board of checkers.
const PIECES: usize = 24;

/// The inputs of a network, taken from a position.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// The inputs that are 1, of [`INPUTS`].
    active: [u8; PIECES],
    count: u8,
    /// The number of the set of weights of the later layers.
    pub part: usize,
}

impl Inputs {
    /// The inputs of a position of 8x8.
    pub fn of(position: &Position) -> Self {
        let mut inputs = Inputs { active: [0; PIECES], count: 0, part: part(position) };
        for (kind, bytes) in rows(position).into_iter().enumerate() {
            let mut squares = u32::from_le_bytes(bytes);
            while squares != 0 && usize::from(inputs.count) < PIECES {
                let square = squares.trailing_zeros() as u8;
                inputs.active[usize::from(inputs.count)] = 32 * kind as u8 + square;
                inputs.count += 1;
                squares &= squares - 1;
            }
        }
        inputs
    }

    /// The numbers of the inputs that are 1.
    pub fn active(&self) -> &[u8] {
        &self.active[..usize::from(self.count)]
    }
}

/// Whether networks are for a board.
pub(super) fn is_for(board: &Board) -> bool {
    (board.rows(), board.columns()) == (8, 8)
}

/// Returns the number of the set of weights for a position.
fn part(position: &Position) -> usize {
    match position.pieces() {
        ..=9 => 0,
        10..=13 => 1,
        14..=18 => 2,
        _ => 3,
    }
}

/// The squares of own men, own kings, enemy men and enemy kings, four bytes of two rows each, as
/// the side to move sees the board.
#[inline(always)]
fn rows(p: &Position) -> [[u8; 4]; 4] {
    let (own, enemy) = match p.turn {
        Side::Black => (p.black, p.white),
        Side::White => (p.white, p.black),
    };
    let seen = |bits: u64| {
        // Turned by half a turn, the 35 bits of 8x8 are reversed.
        let bits = if p.turn == Side::Black { bits } else { bits.reverse_bits() >> 29 };
        // Two rows are eight bits one beside the other, and a bit that is no square follows.
        [bits as u8, (bits >> 9) as u8, (bits >> 18) as u8, (bits >> 27) as u8]
    };
    [seen(own & !p.kings), seen(own & p.kings), seen(enemy & !p.kings), seen(enemy & p.kings)]
}
