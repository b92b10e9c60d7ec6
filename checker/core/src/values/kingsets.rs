//! The sets of kings of one side: the rows and columns of blocks (`SPEC.md` §8.2).
//!
//! Trusts: `rules/board.rs` for where a king can step, `numbering.rs` for the order of sets.

use super::numbering::{rank, sets};
use crate::rules::{Board, Side, bits_in};

/// All sets of k kings for one k: which squares they hold, and where the kings can step.
#[derive(Debug)]
pub(crate) struct KingSets {
    /// The sets in order of their ranks, in their owner's view.
    pub(crate) sets: Vec<u32>,
    /// The king steps from each set, as if no other piece were on the board.
    pub(crate) steps: Vec<Vec<KingStep>>,
    /// For each 64 sets and each square, which of the sets hold it: the squares in the owner's
    /// view.
    pub(crate) held: Vec<[u64; 32]>,
    /// Like `held`, with the squares in the view of the other side.
    pub(crate) faced: Vec<[u64; 32]>,
}

/// A step of a king of a set.
#[derive(Debug)]
pub(crate) struct KingStep {
    /// The number of the set after the step.
    pub(crate) set: usize,
    /// The square stepped onto.
    pub(crate) to: usize,
}

impl KingSets {
    pub(crate) fn new(board: &Board, k: u8) -> KingSets {
        let sets = sets(board.squares(), k);
        let steps_of = |set: u32| {
            let mut steps = Vec::new();
            for from in bits_in(set) {
                for way in board.ways(from, Side::Black, true) {
                    if way.near & !set != 0 {
                        let after = rank(set & !(1 << from) | way.near);
                        let to = way.near.trailing_zeros() as usize;
                        steps.push(KingStep { set: after as usize, to });
                    }
                }
            }
            steps
        };
        let holding = |sets: &[u32]| {
            let mut held = [0; 32];
            for (i, &set) in sets.iter().enumerate() {
                bits_in(set).for_each(|square| held[square] |= 1 << i);
            }
            held
        };
        let turned: Vec<u32> = sets.iter().map(|&set| board.turned(set)).collect();
        KingSets {
            steps: sets.iter().map(|&set| steps_of(set)).collect(),
            held: sets.chunks(64).map(holding).collect(),
            faced: turned.chunks(64).map(holding).collect(),
            sets,
        }
    }
}
