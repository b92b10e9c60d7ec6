//! The key of a position in the transposition table: a number of 77 bits.
//!
//! A square is empty or has one of four pieces, so eight squares have 5⁸ < 2¹⁹ states, and 32 of
//! them with the side to move fit in 77 bits. These are mixed by two steps that can be undone. So
//! the first of them can say where in the table a position is, the rest is all that has to be
//! stored there (quotienting: Knuth, The Art of Computer Programming, volume 3, 6.4, exercise 13;
//! Cleary 1984), and two positions are never taken for each other.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::board::{Board, Position, Side};
use serde::{Deserialize, Serialize};

pub(super) const KEY_BITS: u32 = 77;
const ALL: u128 = (1 << KEY_BITS) - 1;

/// Bits of the state of eight squares.
const EIGHT: u32 = 19;
/// The summand of the code for the turn of White.
const TURN: u128 = 1 << (4 * EIGHT);
/// An odd factor. Each bit of a product depends on all lower ones of the code, so the highest ones
/// say best where a position is.
const FACTOR: u128 = 0x1a3b_1d8a_9e37_79b9_7f4b;
const INVERSE: u128 = inverse(FACTOR);
/// A shift to the right, which lets the lower half depend on the upper one. By more than half of
/// the bits, it undoes itself.
const SHIFT: u32 = 39;

/// A position's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Key(pub(super) u128);

impl Key {
    /// The key of a position.
    pub(super) fn of(board: &Board, position: &Position) -> Self {
        let Position { black, white, turn, .. } = *position;
        let code = pieces(board, position, black | white);
        Key(mix(code + u128::from(turn == Side::White) * TURN))
    }

    /// Puts the keys of the successors of a position, whose key this is, behind `keys`. A move
    /// changes two squares and those of what it captures.
    pub(super) fn of_successors(
        self,
        board: &Board,
        position: &Position,
        successors: &[Position],
        keys: &mut Vec<Key>,
    ) {
        let code = unmix(self.0) ^ TURN;
        keys.extend(successors.iter().map(|s| {
            let changed = (s.black ^ position.black)
                | (s.white ^ position.white)
                | (s.kings ^ position.kings);
            Key(mix(code - pieces(board, position, changed) + pieces(board, s, changed)))
        }));
    }

    /// The position of a key.
    pub(super) fn position(self, board: &Board) -> Position {
        let mut code = unmix(self.0);
        let mut sets = [0u32; 4];
        for eight in 0..4 {
            let mut state = code & ((1 << EIGHT) - 1);
            code >>= EIGHT;
            for square in 8 * eight..8 * eight + 8 {
                match (state % 5) as usize {
                    0 => {}
                    piece => sets[piece - 1] |= 1 << square,
                }
                state /= 5;
            }
        }
        let [black_men, white_men, black_kings, white_kings] =
            sets.map(|dense| board.from_dense(dense));
        Position {
            black: black_men | black_kings,
            white: white_men | white_kings,
            kings: black_kings | white_kings,
            turn: if code == 1 { Side::White } else { Side::Black },
        }
    }
}

/// The part of the code that says what is on these squares.
fn pieces(board: &Board, position: &Position, squares: u64) -> u128 {
    let piece = |square: u8| {
        let of = |set: u64| u128::from(set & board.bit(square) != 0);
        of(position.black) + 2 * (of(position.white) + of(position.kings))
    };
    board.squares_of(squares).map(|square| piece(square) * SQUARES[usize::from(square)]).sum()
}

/// The summands of the code for a black man on each square.
static SQUARES: [u128; 32] = {
    let mut squares = [0; 32];
    let mut square = 0;
    while square < 32 {
        squares[square as usize] = 5u128.pow(square % 8) << (EIGHT * (square / 8));
        square += 1;
    }
    squares
};

fn mix(code: u128) -> u128 {
    (code ^ code >> SHIFT).wrapping_mul(FACTOR) & ALL
}

fn unmix(key: u128) -> u128 {
    let code = key.wrapping_mul(INVERSE) & ALL;
    code ^ code >> SHIFT
}

/// The number that gives 1 when it is multiplied by an odd one, modulo 2¹²⁸: Newton's iteration,
/// each step of which doubles the bits that are right, from the three with which each odd number is
/// its own inverse.
const fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    let mut bits = 3;
    while bits < 128 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

/// A hash of a position's key: a multiplication and a fold (the key is no adversary).
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(b.into()));
    }
    fn write_u64(&mut self, n: u64) {
        let wide = u128::from(self.0 ^ n) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = wide as u64 ^ (wide >> 64) as u64;
    }
    fn write_u128(&mut self, n: u128) {
        self.write_u64(n as u64);
        self.write_u64((n >> 64) as u64);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map from positions ([`Position::key`](crate::board::Position::key)).
pub type KeyMap<V> = HashMap<u128, V, BuildHasherDefault<KeyHasher>>;

#[cfg(test)]
mod tests {
    use quickcheck::quickcheck;

    use super::{ALL, Key, mix, unmix};
    use crate::board::{Board, Side};

    quickcheck! {
        fn mixing_can_be_undone(high: u64, low: u64) -> bool {
            let code = (u128::from(high) << 64 | u128::from(low)) & ALL;
            mix(code) <= ALL && unmix(mix(code)) == code && mix(unmix(code)) == code
        }

        fn a_key_stands_for_one_position(black: u32, white: u32, kings: u32, turn: bool) -> bool {
            let board = Board::new(8, 8).expect("a board");
            let turn = if turn { Side::White } else { Side::Black };
            let white = white & !black;
            // Men on their last rows are no positions.
            let men = |kings| board.position(black, white, kings & (black | white), turn);
            [kings, u32::MAX].into_iter().filter_map(men).all(|position| {
                Key::of(&board, &position).position(&board) == position
            })
        }
    }
}
