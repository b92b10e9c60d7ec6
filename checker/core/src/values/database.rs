//! The values of all positions of a database that are in memory: `SPEC.md` §8.
//!
//! Trusts: nothing by itself; the caller that fills the tables says what the values are worth
//! (`derive/pairs.rs` from the rules alone, `folder/claimed.rs` from a file). Enforces: that a
//! look-up outside the database gives no value instead of a wrong one, and that a look-up of a
//! value that is not in memory is noticed.

use super::block::{Block, Place};
use super::kingsets::KingSets;
use super::numbering::{Shape, sets, slice_of, slices, views};
use super::table::{Table, Value};
use crate::rules::{Board, Position};
use crate::verdict::Stop;
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use checker_aid::Layer;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The values of all positions of a board that a cover admits.
///
/// A slice has values in memory only once it is its turn, so that a database that is found to be
/// wrong early has not taken the memory for all of it. Its layers may be removed from memory again
/// (`Plan` in `checker-aid`).
#[derive(Debug)]
pub struct Database {
    board: Board,
    cover: Cover,
    /// The shapes of all slices, in order.
    pub(crate) shapes: Vec<Shape>,
    /// The tables that there are, each at its slice's `key`.
    tables: Vec<Option<Box<Table>>>,
    /// The sets of kings, for each number of kings that a side has in a table.
    pub(crate) kings: Vec<KingSets>,
    /// For each number of men that a side has in a table: the sets of them, by the rows that they
    /// have advanced together.
    pub(crate) men: Vec<Vec<Vec<u32>>>,
    /// Whether a move led to values that are not in memory.
    missed: AtomicBool,
}

impl Database {
    /// A database without tables as yet.
    pub(crate) fn new(board: &Board, cover: &Cover) -> Database {
        let pieces = usize::from(cover.most_pieces());
        let shapes = slices(board, cover).into_iter().map(|slice| Shape::new(board, slice));
        Database {
            board: board.clone(),
            cover: cover.clone(),
            shapes: shapes.collect(),
            tables: (0..(pieces + 1).pow(4)).map(|_| None).collect(),
            kings: Vec::new(),
            men: Vec::new(),
            missed: AtomicBool::new(false),
        }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The tables of all slices, in order.
    pub fn tables(&self) -> Vec<&Table> {
        self.shapes.iter().filter_map(|shape| self.table(shape.slice)).collect()
    }

    /// The number of indices of all slices.
    pub(crate) fn indices(&self) -> u64 {
        self.shapes.iter().fold(0, |sum, shape| sum.saturating_add(shape.indices))
    }

    /// A different number for each slice of the database.
    fn key(&self, slice: SliceName) -> usize {
        let pieces = self.cover.most_pieces();
        let digit = |key: usize, &n: &u8| key * (usize::from(pieces) + 1) + usize::from(n);
        let is_there = slice.pieces() <= u32::from(pieces);
        if is_there { slice.0.iter().fold(0, digit) } else { usize::MAX }
    }

    /// The layers of a slice.
    pub(crate) fn layers(&self, slice: SliceName) -> impl Iterator<Item = Layer> + use<> {
        Shape::new(&self.board, slice).all_layers(&self.board)
    }

    /// Whether all of a layer is in memory.
    pub(crate) fn has(&self, layer: Layer) -> bool {
        let table = self.table(layer.slice);
        let is_there = |&n: &usize| table.is_some_and(|table| table.stretch(n).is_some());
        self.stretches(layer).iter().all(is_there)
    }

    /// The numbers of the stretches of a layer, in which men do not overlap.
    pub(crate) fn stretches(&self, Layer { slice, advance }: Layer) -> Vec<usize> {
        let shape = Shape::new(&self.board, slice);
        if !shape.has_large_blocks() {
            return vec![0];
        }
        let number = |block: Block| shape.block(block.men, block.their_men) / shape.block_size();
        let number = |block| usize::try_from(number(block)).unwrap_or(usize::MAX);
        self.blocks(slice, advance).map(number).collect()
    }

    /// The blocks of a slice whose men do not overlap and have advanced `advance` rows together.
    /// Where the sets of as many men have not been made, as nothing of the slice was in memory yet,
    /// there are none, and [`Database::is_complete`] says so.
    pub(crate) fn blocks(
        &self,
        slice: SliceName,
        advance: usize,
    ) -> impl ParallelIterator<Item = Block> {
        let [a, _, c, _] = slice.0;
        if usize::from(a.max(c)) >= self.men.len() {
            self.missed.store(true, Relaxed);
        }
        let of = |men: u8| self.men.get(usize::from(men)).map_or(&[][..], |sets| &**sets);
        let theirs = of(c);
        of(a).par_iter().enumerate().flat_map(move |(own_advance, own)| {
            let theirs = advance.checked_sub(own_advance).and_then(|rest| theirs.get(rest));
            own.par_iter().flat_map(move |&men| {
                let is_free = move |t: &&u32| men & self.board.turned(**t) == 0;
                let theirs = theirs.into_par_iter().flatten().filter(is_free);
                theirs.map(move |&their_men| Block { slice, men, their_men })
            })
        })
    }

    /// Allocates what is not in memory of a layer, as draws. Returns the numbers of those
    /// stretches.
    ///
    /// # Errors
    /// There is not enough memory for it.
    pub(crate) fn reserve(&mut self, layer: Layer) -> Result<Vec<usize>, Stop> {
        let SliceName([a, b, c, d]) = layer.slice;
        let kings = (0..=b.max(d)).skip(self.kings.len());
        self.kings.extend(kings.map(|k| KingSets::new(&self.board, k)));
        let men = (0..=a.max(c)).skip(self.men.len());
        self.men.extend(men.map(|k| men_by_advance(&self.board, k)));
        let mut missing = self.stretches(layer);
        let key = self.key(layer.slice);
        let table = match &mut self.tables[key] {
            Some(table) => table,
            none => none.insert(Box::new(Table::new(Shape::new(&self.board, layer.slice))?)),
        };
        missing.retain(|&number| table.stretch(number).is_none());
        missing.iter().try_for_each(|&number| table.reserve(number))?;
        Ok(missing)
    }

    /// Takes a layer out of memory.
    pub(crate) fn release(&mut self, layer: Layer) {
        let (key, stretches) = (self.key(layer.slice), self.stretches(layer));
        if let Some(table) = &mut self.tables[key] {
            stretches.into_iter().for_each(|number| table.release(number));
            if table.is_empty() {
                self.tables[key] = None;
            }
        }
    }

    /// The table of a slice of which something is in memory.
    pub(crate) fn table(&self, slice: SliceName) -> Option<&Table> {
        self.tables.get(self.key(slice))?.as_deref()
    }

    /// The values of a block, which must be in memory. If they are not, anything derived from that
    /// is worth nothing: see [`Database::is_complete`].
    pub(crate) fn block(&self, block: Block) -> Option<Place<'_>> {
        let place = self.table(block.slice).and_then(|table| Place::new(block, table));
        if place.is_none() {
            self.missed.store(true, Relaxed);
        }
        place
    }

    /// Checks that all values asked for so far were in memory.
    ///
    /// # Errors
    /// A value was not in memory: the plan was wrong.
    pub(crate) fn is_complete(&self) -> Result<(), Stop> {
        let error = || Stop::Error("a value was needed that is not in memory".into());
        if self.missed.load(Relaxed) { Err(error()) } else { Ok(()) }
    }

    /// The index of a position that the cover admits, and its slice.
    pub fn index(&self, p: &Position) -> Option<(SliceName, u64)> {
        if !self.board.is_possible(p) || !p.has_both_sides() {
            return None;
        }
        let sets = views(&self.board, p);
        let slice = slice_of(sets);
        let is_there =
            slice.pieces() <= u32::from(self.cover.most_pieces()) && self.cover.admits_slice(slice);
        is_there.then(|| (slice, Shape::new(&self.board, slice).index(sets)))
    }

    /// The value of a position for its side to move, or `None` if it is not in the database.
    pub fn value(&self, p: &Position) -> Option<Value> {
        let (slice, index) = self.index(p)?;
        let table = self.table(slice);
        let value = table.filter(|table| table.stretch(table.number(index)).is_some());
        if value.is_none() {
            self.missed.store(true, Relaxed);
        }
        Some(value?.value(index))
    }
}

/// The sets of `count` men by the number of rows that they have advanced together.
fn men_by_advance(board: &Board, count: u8) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); usize::from(count) * usize::from(board.rows()) + 1];
    for men in sets(board.men_squares(), count) {
        let rows = board.row_masks.iter().enumerate();
        let advance: usize = rows.map(|(r, row)| r * (men & row).count_ones() as usize).sum();
        all[advance].push(men);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_blocks_are_gone_over() {
        for (rows, columns, pieces) in [(4, 4, 4), (3, 5, 4), (6, 6, 4), (8, 8, 4), (8, 2, 6)] {
            let board = Board::new(rows, columns).unwrap();
            let mut values = Database::new(&board, &Cover::up_to(pieces));
            for shape in values.shapes.clone() {
                let slice = shape.slice;
                let layers: Vec<Layer> = values.layers(slice).collect();
                layers.iter().for_each(|&layer| assert!(values.reserve(layer).is_ok()));
                let most = usize::from(slice.0[0] + slice.0[2]) * usize::from(rows - 2);
                let count: usize = (0..=most).map(|n| values.blocks(slice, n).count()).sum();
                assert_eq!(count as u64, shape.blocks(&board), "{slice:?}");
                layers.iter().for_each(|&layer| values.release(layer));
            }
            assert!(values.is_complete().is_ok());
        }
    }

    /// Where nothing of a slice has been in memory, its blocks cannot be gone over.
    #[test]
    fn blocks_that_cannot_be_gone_over_are_missed() {
        let board = Board::new(4, 4).unwrap();
        let values = Database::new(&board, &Cover::up_to(2));
        assert_eq!(values.blocks(SliceName([1, 0, 0, 1]), 0).count(), 0);
        assert!(values.is_complete().is_err());
    }
}
