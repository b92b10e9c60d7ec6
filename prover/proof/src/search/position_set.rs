//! Sets of tens of millions of positions, at 10 to 21 bytes each.
//!
//! A key has 77 bits. The highest 13 choose one of 8,192 parts, so a part keeps 64 bits of each
//! position. Parts grow one by one, so growing never doubles the memory of the whole set.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::slot::{KEY_BITS, Key, KeyHasher};
use crate::board::{Board, Position};

/// The number of bits of a key that a part keeps.
const KEPT: u32 = 64;

pub struct PositionMap<V> {
    board: Board,
    parts: Vec<HashMap<u64, V, BuildHasherDefault<KeyHasher>>>,
    len: u64,
}

pub type PositionSet = PositionMap<()>;

impl<V: Copy> PositionMap<V> {
    /// An empty map.
    pub fn new(board: &Board) -> Self {
        let mut parts = Vec::new();
        parts.resize_with(1 << (KEY_BITS - KEPT), HashMap::default);
        PositionMap { board: board.clone(), parts, len: 0 }
    }

    /// The part of a position, and its bits there.
    fn place(&self, position: &Position) -> (usize, u64) {
        let Key(key) = Key::of(&self.board, position);
        ((key >> KEPT) as usize, key as u64)
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a position, unless it is there already. Returns whether it is new.
    pub fn insert(&mut self, position: &Position, value: V) -> bool {
        let (part, bits) = self.place(position);
        let is_new = !self.parts[part].contains_key(&bits);
        if is_new {
            self.parts[part].insert(bits, value);
            self.len += 1;
        }
        is_new
    }

    pub fn remove(&mut self, position: &Position) {
        let (part, bits) = self.place(position);
        self.len -= u64::from(self.parts[part].remove(&bits).is_some());
    }

    pub fn get(&self, position: &Position) -> Option<V> {
        let (part, bits) = self.place(position);
        self.parts[part].get(&bits).copied()
    }

    pub fn contains(&self, position: &Position) -> bool {
        self.get(position).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use quickcheck::quickcheck;

    use super::PositionMap;
    use crate::board::{Board, Position, Side};

    /// One of 128 positions; some of them differ in kings or in the side to move alone.
    fn position(board: &Board, n: u8) -> Position {
        let (black, kings) = (1 << (n & 15), u32::from(n >> 4 & 1) << (n & 15));
        let white = 1 << (16 + (n >> 5 & 1));
        let turn = if n & 64 == 0 { Side::Black } else { Side::White };
        board.position(black, white, kings, turn).expect("a possible position")
    }

    quickcheck! {
        fn a_map_keeps_what_is_put_in(steps: Vec<(u8, bool)>) -> bool {
            let board = Board::new(8, 8).expect("a board");
            let (mut map, mut expected) = (PositionMap::new(&board), HashMap::new());
            for (at, (n, is_removed)) in steps.into_iter().enumerate() {
                let p = position(&board, n);
                if is_removed {
                    map.remove(&p);
                    expected.remove(&p);
                } else if map.insert(&p, at) != expected.insert(p, at).is_none() {
                    return false;
                } else {
                    // The value that was there first stays.
                    expected.insert(p, map.get(&p).expect("a value"));
                }
            }
            map.len() == expected.len() as u64
                && (0..=u8::MAX).map(|n| position(&board, n)).all(|p| {
                    map.contains(&p) == expected.contains_key(&p)
                        && map.get(&p) == expected.get(&p).copied()
                })
        }
    }
}
