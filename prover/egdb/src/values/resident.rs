//! A database held in memory.

use super::table::{Table, Value};
use crate::index::slice::{Slice, locate};
use draughtproof_game::{Board, Position};

/// Tables of slices, found by slice. A slice without a table has an empty one.
pub struct Tables {
    pieces: u8,
    tables: Vec<Table>,
}

impl Tables {
    /// Room for the slices with at most `pieces` pieces.
    pub fn new(pieces: u8) -> Self {
        let side = usize::from(pieces) + 1;
        Tables { pieces, tables: vec![Table::new(0); side * side * side * side] }
    }

    #[inline]
    fn place(&self, slice: Slice) -> usize {
        let side = usize::from(self.pieces) + 1;
        let counts = [slice.men, slice.kings, slice.enemy_men, slice.enemy_kings];
        counts.iter().fold(0, |place, &n| place * side + usize::from(n))
    }

    /// The table of a slice.
    #[inline]
    pub fn get(&self, slice: Slice) -> &Table {
        &self.tables[self.place(slice)]
    }

    /// The table of a slice, to write into.
    pub fn get_mut(&mut self, slice: Slice) -> &mut Table {
        let place = self.place(slice);
        &mut self.tables[place]
    }
}

/// A complete database: the values of all positions with both sides on the board and at most
/// [`Values::pieces`] pieces.
pub struct Values {
    pub(crate) board: Board,
    pub(crate) pieces: u8,
    pub(crate) tables: Tables,
}

impl Values {
    /// The database of no positions.
    pub fn empty(board: &Board) -> Self {
        Values { board: board.clone(), pieces: 0, tables: Tables::new(0) }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The largest number of pieces covered.
    pub fn pieces(&self) -> u8 {
        self.pieces
    }

    /// Whether the database has the value of this position.
    #[inline]
    pub fn covers(&self, position: &Position) -> bool {
        position.pieces() <= u32::from(self.pieces) && position.both_sides()
    }

    /// The value for the side to move, or `None` where the database does not reach.
    pub fn probe(&self, position: &Position) -> Option<Value> {
        if !self.covers(position) {
            return None;
        }
        let (slice, index) = locate(&self.board, position);
        Some(self.tables.get(slice).value(index))
    }

    /// The values of many positions, in order. Where they are is found for some of them before the first
    /// is read, so that the processor waits for many at a time.
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

    /// The values of a slice with at most [`Values::pieces`] pieces.
    pub fn table(&self, slice: Slice) -> &Table {
        self.tables.get(slice)
    }
}
