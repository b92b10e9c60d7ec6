//! One block: all positions with the men where they are (`SPEC.md` §8.2), and its place in a table.
//!
//! Trusts: `numbering.rs`.

use super::table::{RowWord, Table, Words};
use crate::rules::Bits;
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
}

/// The place of a block in the table of its slice.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    table: Words<'a>,
    /// The index of the block's first position.
    start: u64,
    rows: u64,
    columns: u64,
}

impl<'a> Place<'a> {
    /// The place of a block in the table of its slice.
    pub(crate) fn new(block: Block, table: &'a Table) -> Place<'a> {
        let shape = table.shape;
        let start = shape.block(block.men, block.their_men);
        Place { table: table.words(), start, rows: shape.rows, columns: shape.columns }
    }

    /// The index of the first position of a row: of a set of kings of the opponent.
    pub(crate) fn row(self, row: u32) -> u64 {
        self.start + u64::from(row) * self.columns
    }

    /// The values of 64 indices, those from `index` on.
    pub(crate) fn read(self, index: u64) -> Bits {
        self.table.read(index)
    }

    /// Makes the values of the indices of a word of a row these.
    pub(crate) fn put(self, word: RowWord, values: Bits) {
        self.table.put(word, values);
    }

    /// The block's rows, 64 indices at a time.
    pub(crate) fn words(self) -> impl Iterator<Item = RowWord> {
        let Place { start, rows, columns, .. } = self;
        (0..rows).flat_map(move |row| {
            let first = start + row * columns;
            let end = first + columns;
            let mask = move |at| if end - at < 64 { (1u64 << (end - at)) - 1 } else { !0 };
            (first..end).step_by(64).map(move |at| RowWord { index: at, mask: mask(at) })
        })
    }
}
