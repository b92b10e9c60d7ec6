//! A slot of the transposition table: a position and what is known of it, in 16 bytes.
//!
//! The key of a position in the transposition table: a number of 77 bits.
//!
//! A square is empty or has one of four pieces, so eight squares have 5⁸ < 2¹⁹ states, and 32 of
//! them with the side to move fit in 77 bits. These are mixed by two steps that can be undone. So
//! the first of them can say where in the table a position is, the rest is all that has to be
//! stored there (quotienting: Knuth, The Art of Computer Programming, volume 3, 6.4, exercise 13;
//! Cleary 1984), and two positions are never taken for each other.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::numbers::{INFINITE, Outcome, ProofNumbers};
use crate::board::{Board, Position, Side};
use serde::{Deserialize, Serialize};

/// The knowledge about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Neither proved nor disproved.
    Open(ProofNumbers),
    /// The attacker wins; the number, below [`MOST_PROOFS`], grows with the time of the proof.
    Proved(u64),
    /// The defender does not lose, if the repetitions hold that the disproof leans on: positions
    /// that were on the path when the search came back to them.
    TentativelyDisproved,
    /// Tentatively disproved, and the node of this number of the closed set that is looked for.
    Visited(u32),
    /// The defender does not lose.
    Disproved,
}

impl Known {
    /// Returns the table's form of an outcome; `time` is the time of a proof.
    pub(super) fn of(outcome: Outcome, time: u64) -> Known {
        match outcome {
            Outcome::Proved => Known::Proved(time),
            Outcome::Disproved => Known::TentativelyDisproved,
            Outcome::Unknown(numbers) => Known::Open(numbers),
        }
    }
}

/// Times of proofs are below this: a search of 10⁶ proofs a second would take two years.
pub(super) const MOST_PROOFS: u64 = 1 << TIME;

/// Binary logarithm of the buckets of the smallest table: the number of bits of each key that a
/// slot need not store, since the bucket says them.
pub(super) const LEAST_BUCKETS: u32 = 10;

/// A slot, as it is in memory. From the lowest bit: the rest of the key, whether it is in its other
/// bucket, the number of threads that have it on their path, the binary logarithm of the nodes that
/// were expanded below it, and what is known. A slot that is free is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot(pub(super) u128);

const REST: u32 = KEY_BITS - LEAST_BUCKETS;
const OTHER: u32 = REST;
const BUSY: u32 = OTHER + 1;
const BUSY_BITS: u32 = 5;
const WORK: u32 = BUSY + BUSY_BITS;
const WORK_BITS: u32 = 6;
const STATE: u32 = WORK + WORK_BITS;
const STATE_BITS: u32 = 128 - STATE;

// A state is a proof number and a disproof number, or a mark and a number that belongs to it.
const NUMBER: u32 = INFINITE.ilog2();
const MARK: u32 = STATE_BITS - 1;
const TIME: u32 = MARK - 2;
const DISPROVED: u64 = 0;
const TENTATIVE: u64 = 1;
const VISITED: u64 = 2;
const PROVED: u64 = 3;

const _: () = assert!(2 * NUMBER <= MARK);

/// The most threads that can be counted on a position.
pub(super) const MOST_THREADS: u32 = (1 << BUSY_BITS) - 1;

impl Slot {
    pub(super) const FREE: Slot = Slot(0);

    /// A slot with a position of which nothing is known. `rest` is what the bucket does not say of
    /// its key.
    pub(super) fn new(rest: u128, is_in_other: bool) -> Self {
        let open = Known::Open(ProofNumbers { proof: 1, disproof: 1 });
        Slot(rest | u128::from(is_in_other) << OTHER).with_known(open)
    }

    pub(super) fn is_free(self) -> bool {
        self == Slot::FREE
    }

    /// Whether it is a slot of this rest of a key, in its own bucket or in the other one.
    pub(super) fn is_of(self, rest: u128, is_in_other: bool) -> bool {
        self.bits(0, REST + 1) == rest | u128::from(is_in_other) << OTHER && !self.is_free()
    }

    pub(super) fn rest(self) -> u128 {
        self.bits(0, REST)
    }

    pub(super) fn is_in_other(self) -> bool {
        self.bits(OTHER, 1) == 1
    }

    /// The slot with another rest of its key, for a bucket of a table of another size.
    pub(super) fn with_place(self, rest: u128, is_in_other: bool) -> Self {
        self.with(0, REST + 1, rest | u128::from(is_in_other) << OTHER)
    }

    /// The slot as it is stored in the other of the two buckets of its key.
    pub(super) fn moved(self) -> Self {
        Slot(self.0 ^ 1 << OTHER)
    }

    /// The number of threads that have it on their path.
    pub(super) fn threads(self) -> u32 {
        self.bits(BUSY, BUSY_BITS) as u32
    }

    pub(super) fn with_threads(self, threads: u32) -> Self {
        self.with(BUSY, BUSY_BITS, threads.min(MOST_THREADS).into())
    }

    /// The binary logarithm of the nodes that were expanded below it.
    pub(super) fn work(self) -> u32 {
        self.bits(WORK, WORK_BITS) as u32
    }

    /// The slot with `nodes` more nodes expanded below it.
    pub(super) fn with_more_work(self, nodes: u64) -> Self {
        let before = 1u64 << self.work().min(62);
        let work = before.saturating_add(nodes).saturating_sub(1).max(1).ilog2();
        self.with(WORK, WORK_BITS, work.into())
    }

    pub(super) fn known(self) -> Known {
        let state = self.bits(STATE, STATE_BITS) as u64;
        if state >> MARK == 0 {
            let number = |at: u32| (state >> at) as u32 & (INFINITE - 1);
            return Known::Open(ProofNumbers { proof: number(NUMBER), disproof: number(0) });
        }
        let number = state & ((1 << TIME) - 1);
        match state >> TIME & 3 {
            DISPROVED => Known::Disproved,
            TENTATIVE => Known::TentativelyDisproved,
            VISITED => Known::Visited(number as u32),
            _ => Known::Proved(number),
        }
    }

    pub(super) fn with_known(self, known: Known) -> Self {
        let marked = |mark: u64, number: u64| 1 << MARK | mark << TIME | number;
        let state = match known {
            Known::Open(ProofNumbers { proof, disproof }) => {
                u64::from(proof) << NUMBER | u64::from(disproof)
            }
            Known::Disproved => marked(DISPROVED, 0),
            Known::TentativelyDisproved => marked(TENTATIVE, 0),
            Known::Visited(n) => marked(VISITED, n.into()),
            Known::Proved(time) => marked(PROVED, time),
        };
        self.with(STATE, STATE_BITS, state.into())
    }

    /// The slot with what a thread has found of it. What holds for good stays, and of two proofs
    /// the one with the earlier time: what rests on either has a later one. A tentative disproof
    /// stays where nothing better is found.
    pub(super) fn with_found(self, found: Known) -> Self {
        match (self.known(), found) {
            (Known::Proved(before), Known::Proved(time)) if time < before => self.with_known(found),
            (Known::Proved(_) | Known::Disproved, _) => self,
            (Known::TentativelyDisproved, Known::Open(_)) => self,
            _ => self.with_known(found),
        }
    }

    fn bits(self, from: u32, bits: u32) -> u128 {
        self.0 >> from & ((1 << bits) - 1)
    }

    fn with(self, from: u32, bits: u32, value: u128) -> Self {
        Slot(self.0 & !(((1 << bits) - 1) << from) | value << from)
    }
}

/// Splits a key into the number of its bucket, of 2^`buckets`, and the rest.
pub(super) fn split(key: Key, buckets: u32) -> (usize, u128) {
    let rest = KEY_BITS - buckets;
    ((key.0 >> rest) as usize, key.0 & ((1 << rest) - 1))
}

/// The key that was split.
pub(super) fn join(bucket: usize, rest: u128, buckets: u32) -> Key {
    Key((bucket as u128) << (KEY_BITS - buckets) | rest)
}

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
    pub(super) fn of(board: &Board, position: &Position) -> Self {
        // A man of Black counts 1 on its square, one of White 2, and a king 2 more.
        let [black, white, kings] = [position.black, position.white, position.kings]
            .map(|set| powers_of_five(board.to_dense(set)));
        let turn = u128::from(position.turn == Side::White) * TURN;
        Key(mix(black + 2 * (white + kings) + turn))
    }

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

/// The part of the code that says that there is a black man on each square of a set.
fn powers_of_five(squares: u32) -> u128 {
    let eights = squares.to_le_bytes().map(|eight| u64::from(SUMS[usize::from(eight)]));
    let low = eights[0] | eights[1] << EIGHT;
    let high = eights[2] | eights[3] << EIGHT;
    u128::from(low) | u128::from(high) << (2 * EIGHT)
}

/// For each set of eight squares, the sum of their powers of five.
static SUMS: [u32; 256] = {
    let mut sums = [0; 256];
    let mut set = 1;
    while set < 256 {
        let highest = (set as u32).ilog2();
        sums[set] = sums[set - (1 << highest)] + 5u32.pow(highest);
        set += 1;
    }
    sums
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
