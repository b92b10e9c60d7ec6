//! Sets of kings by rank, 64 at a time: what a run of positions in `units.rs` is made of.

use super::board::{Board, bits_in, choose, next, nth, rank};
use std::borrow::Cow;

/// The plane that is set everywhere, after those of the squares.
pub(crate) const ALWAYS: usize = 32;
/// The most sets of kings whose planes are kept in memory.
const MOST_KEPT: u64 = 65536;
/// For 64 sets of kings, and each square in their owner's view: which of them hold it.
pub(crate) type Planes = [u64; ALWAYS + 1];

/// All sets of `kings` kings.
pub(crate) struct KingSets {
    pub(crate) kings: u8,
    count: u64,
    /// The planes of all sets; empty if there are more than [`MOST_KEPT`] sets, to be made when
    /// needed.
    pub(crate) planes: Vec<Planes>,
    /// `lower_ranks` of each set; empty likewise.
    lower: Vec<Vec<u32>>,
}

impl KingSets {
    pub(crate) fn new(board: &Board, kings: u8) -> KingSets {
        let count = choose(board.squares, kings);
        let mut all = KingSets { kings, count, planes: Vec::new(), lower: Vec::new() };
        if count <= MOST_KEPT {
            all.planes = (0..count.div_ceil(64)).map(|word| all.make_planes(word)).collect();
            all.lower = (0..count).map(|n| lower_ranks(board, nth(n, kings))).collect();
        }
        all
    }

    /// [`lower_ranks`] of the set with this number.
    pub(crate) fn lower_ranks(&self, board: &Board, number: u64) -> Cow<'_, [u32]> {
        match usize::try_from(number).ok().and_then(|n| self.lower.get(n)) {
            Some(lower) => lower.into(),
            None => lower_ranks(board, nth(number, self.kings)).into(),
        }
    }

    pub(crate) fn make_planes(&self, word: u64) -> Planes {
        let mut planes = [0; ALWAYS + 1];
        planes[ALWAYS] = !0;
        let mut set = nth(64 * word, self.kings);
        for i in 0..(self.count - 64 * word).min(64) {
            bits_in(set).for_each(|square| planes[square] |= 1 << i);
            set = next(set);
        }
        planes
    }
}

/// By how much the rank falls when one piece of a set moves to a lower square diagonally next to
/// its own: one entry for each such piece and square. Squares are in the view of the set's owner.
pub(crate) fn lower_ranks(board: &Board, set: u32) -> Vec<u32> {
    let mut all = Vec::new();
    for from in bits_in(set) {
        for near in &board.near[from][2..] {
            if near & !set != 0 {
                all.push(rank(set) - rank(set & !(1 << from) | near));
            }
        }
    }
    all
}
