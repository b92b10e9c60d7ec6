//! A database held in memory.

use certificate_spec::cover::Cover;

use super::table::{Table, Value};
use crate::index::cover::{SideLimits, SliceArray};
use crate::index::slice::{Slice, locate};
use draughtproof_game::{Board, Position};

/// Tables of slices, found by slice. A slice without a table has an empty one.
pub struct Tables {
    places: SliceArray,
    tables: Vec<Table>,
}

impl Tables {
    /// Room for the slices of a cover.
    pub fn new(cover: &Cover) -> Self {
        let places = SliceArray::new(cover);
        Tables { places, tables: places.slices().map(|_| Table::new(0)).collect() }
    }

    /// The table of a slice.
    #[inline]
    pub fn get(&self, slice: Slice) -> &Table {
        &self.tables[self.places.place(slice)]
    }

    /// The table of a slice, to write into.
    pub fn get_mut(&mut self, slice: Slice) -> &mut Table {
        let place = self.places.place(slice);
        &mut self.tables[place]
    }
}

/// A complete database: the values of all positions that its cover admits.
pub struct Values {
    pub(crate) board: Board,
    pub(crate) tables: Tables,
    cover: Cover,
    limits: SideLimits,
}

impl Values {
    /// The database of `board` with a cover, as yet without any tables.
    pub(crate) fn without_tables(board: &Board, cover: &Cover) -> Self {
        let (tables, limits) = (Tables::new(cover), SideLimits::new(cover));
        Values { board: board.clone(), tables, cover: cover.clone(), limits }
    }

    /// The database of no positions.
    pub fn empty(board: &Board) -> Self {
        Values::without_tables(board, &Cover::none())
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Which positions are covered.
    pub fn cover(&self) -> &Cover {
        &self.cover
    }

    /// Whether the database has the value of this position.
    #[inline]
    pub fn covers(&self, position: &Position) -> bool {
        self.limits.admit(position.black.count_ones(), position.white.count_ones())
    }

    /// The value for the side to move, or `None` where the database does not reach.
    pub fn probe(&self, position: &Position) -> Option<Value> {
        if !self.covers(position) {
            return None;
        }
        let (slice, index) = locate(&self.board, position);
        Some(self.tables.get(slice).value(index))
    }

    /// The values of many positions, in order. Where they are is found for some of them before the
    /// first is read, so that the processor waits for many at a time.
    pub fn probe_batch(&self, positions: &[Position]) -> Vec<Option<Value>> {
        const AT_A_TIME: usize = 64;
        let mut values = Vec::with_capacity(positions.len());
        let mut places = Vec::with_capacity(AT_A_TIME);
        for some in positions.chunks(AT_A_TIME) {
            places.clear();
            places.extend(some.iter().map(|p| self.covers(p).then(|| locate(&self.board, p))));
            values.extend(
                places
                    .iter()
                    .map(|place| place.map(|(slice, index)| self.tables.get(slice).value(index))),
            );
        }
        values
    }

    /// The values of a slice that is covered.
    pub fn table(&self, slice: Slice) -> &Table {
        self.tables.get(slice)
    }
}
