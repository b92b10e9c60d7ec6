//! One block: all positions with the men where they are (`SPEC.md` §8.2), and where it is in a
//! table.
//!
//! Trusts: `numbering.rs`.

use crate::database::Table;
use crate::numbering::Shape;
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

    /// The block's rows in its table, 64 indices at a time.
    pub(crate) fn words(self, table: &Table) -> impl Iterator<Item = RowWord> {
        let Shape { rows, columns, .. } = table.shape;
        let block = table.shape.block(self.men, self.their_men);
        (0..rows).flat_map(move |row| {
            let start = block + row * columns;
            let end = start + columns;
            let mask = move |at| if end - at < 64 { (1u64 << (end - at)) - 1 } else { !0 };
            (start..end).step_by(64).map(move |at| RowWord { index: at, mask: mask(at) })
        })
    }
}

/// Up to 64 indices of a row of a block.
#[derive(Clone, Copy)]
pub(crate) struct RowWord {
    /// The first of them.
    pub(crate) index: u64,
    /// Which of the 64 from there on belong to the row: beyond its end another one begins.
    pub(crate) mask: u64,
}
