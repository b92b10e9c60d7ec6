//! One block: all positions with the men where they are (`SPEC.md` §8.2), and where it is in a
//! table.
//!
//! Trusts: `numbering.rs`.

use crate::database::Table;
use certificate_spec::database::SliceName;

/// A block: its slice, and the men of its mover and of the opponent, each in its owner's view.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Block {
    pub(crate) slice: SliceName,
    pub(crate) men: u32,
    pub(crate) their_men: u32,
}

impl Block {
    /// The block with the other side to move.
    pub(crate) fn twin(self) -> Block {
        Block { slice: self.slice.twin(), men: self.their_men, their_men: self.men }
    }

    /// Where the words of the block's rows begin in its table, and which of their 64 bits belong to
    /// the row: beyond its end another one begins.
    pub(crate) fn words(self, table: &Table) -> impl Iterator<Item = (u64, u64)> {
        let (shape, start) = (table.shape, table.shape.block(self.men, self.their_men));
        (0..shape.rows).flat_map(move |row| {
            let (start, end) = (start + row * shape.columns, start + (row + 1) * shape.columns);
            let bits = move |at| if end - at < 64 { (1u64 << (end - at)) - 1 } else { !0 };
            (start..end).step_by(64).map(move |at| (at, bits(at)))
        })
    }
}
