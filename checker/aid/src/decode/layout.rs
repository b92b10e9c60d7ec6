//! The positions of the parts and units of a slice: `SPEC.md` §8.3.

use super::board::{Board, choose};
use certificate_spec::database::SliceName;
use certificate_spec::slice::{PART_COLUMNS, PART_POSITIONS, UNIT_PARTS};
use std::ops::Range;

/// The arrangement of the indices and parts of a slice.
pub(super) struct Layout {
    /// The numbers of rows and columns of a block.
    pub(super) block: (u64, u64),
    /// The number of sets of the opponent's men.
    pub(super) their_men: u64,
    /// The rows of a part; the last part of a group of rows may have fewer.
    rows: u64,
    /// The number of consecutive rows in a group of rows; no part goes beyond its group.
    of: u64,
    /// The columns of a part; the last part in a row of parts may have fewer.
    columns: u64,
    /// The number of parts side by side in the same rows.
    across: u64,
    /// The number of parts in a group of rows.
    parts: u64,
    /// The number of parts of the slice.
    count: u64,
}

/// The rows (counted through the slice) and columns of a part.
pub(super) struct Tile {
    pub(super) rows: Range<u64>,
    pub(super) columns: Range<u64>,
}

impl Layout {
    pub(super) fn new(board: &Board, slice: SliceName) -> Layout {
        let [a, b, c, d] = slice.0;
        let [men, their_men] = [a, c].map(|k| choose(board.men_squares, k));
        let [all_columns, block_rows] = [b, d].map(|k| choose(board.squares, k));
        // Saturating: those of slices with many pieces do not fit in 64 bits, nor into any file.
        let all_rows = men.saturating_mul(their_men).saturating_mul(block_rows);
        let columns = all_columns.min(PART_COLUMNS);
        let size = block_rows.saturating_mul(columns);
        let (rows, of) = match size <= PART_POSITIONS {
            true => (PART_POSITIONS / size * block_rows, all_rows),
            false => (PART_POSITIONS / columns, block_rows),
        };
        let across = all_columns.div_ceil(columns);
        let parts = of.div_ceil(rows).saturating_mul(across);
        let count = parts.saturating_mul(all_rows / of);
        let block = (block_rows, all_columns);
        Layout { block, their_men, rows, of, columns, across, parts, count }
    }

    /// The number of units of the slice.
    pub(super) fn units(&self) -> u64 {
        self.count.div_ceil(UNIT_PARTS)
    }

    /// The numbers of the parts of a unit.
    pub(super) fn unit(&self, unit: u64) -> Range<u64> {
        let first = unit.saturating_mul(UNIT_PARTS);
        first..first.saturating_add(UNIT_PARTS).min(self.count)
    }

    /// The rows and columns of a part.
    pub(super) fn tile(&self, part: u64) -> Tile {
        let (first, part) = (part / self.parts * self.of, part % self.parts);
        let (row, column) = (part / self.across * self.rows, part % self.across * self.columns);
        Tile {
            rows: first + row..first + (row + self.rows).min(self.of),
            columns: column..(column + self.columns).min(self.block.1),
        }
    }

    /// The number of the part that an index is in.
    pub(super) fn part_of(&self, index: u64) -> u64 {
        let (row, column) = (index / self.block.1, index % self.block.1);
        let part = row % self.of / self.rows * self.across + column / self.columns;
        row / self.of * self.parts + part
    }
}
