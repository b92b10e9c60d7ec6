//! The values of all positions of a database: `SPEC.md` §8.
//!
//! Trusts: nothing by itself; the caller that fills the tables says what the values are worth
//! (`derive/pairs.rs` from the rules alone, `folder/values.rs` from a file). Enforces: that a
//! position outside the database has no value, and that a check ends where a value is needed of
//! which there is no table: it panics, as for a number that overflows.

use super::block::{Block, Place};
use super::kingsets::KingSets;
use super::numbering::{Shape, sets, slice_of, slices, views};
use super::table::{Table, Value};
use crate::options::Options;
use crate::rules::{Board, Position};
use crate::verdict::Stop;
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use checker_aid::numbers::size;
use checker_scratch::{BYTES, Scratch};
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// The values of all positions of a board that a cover admits, or of some of its slices.
#[derive(Debug)]
pub struct Database {
    board: Board,
    cover: Cover,
    /// The slices of the database, in order.
    pub(crate) slices: Vec<SliceName>,
    /// The tables, each at its slice's `key`.
    tables: Vec<Option<Table>>,
    /// The sets of kings, for each number of kings of a side, once they are needed.
    kings: Vec<OnceLock<KingSets>>,
    /// For each number of men of a side, once they are needed: the sets of them, by the rows that
    /// they have advanced together.
    men: Vec<OnceLock<Vec<Vec<u32>>>>,
}

impl Database {
    /// A database with the tables of the slices that are `needed`, in which all is drawn so far:
    /// in memory if they fit, else in a file of their own.
    ///
    /// # Errors
    /// There is no room for them.
    pub(crate) fn new(
        board: &Board,
        cover: &Cover,
        options: &Options,
        needed: impl Fn(SliceName) -> bool,
    ) -> Result<Database, Stop> {
        let slices = slices(board, cover);
        let there: Vec<SliceName> = slices.iter().copied().filter(|&s| needed(s)).collect();
        let shapes: Vec<Shape> = there.iter().map(|&slice| Shape::new(board, slice)).collect();
        let words = |shape: &Shape| shape.indices.div_ceil(64);
        let all = shapes.iter().fold(0u64, |sum, shape| sum.saturating_add(words(shape)));
        let memory = Arc::new(reserve(all, options)?);
        let pieces = usize::from(cover.most_pieces());
        let mut database = Database {
            board: board.clone(),
            cover: cover.clone(),
            slices,
            tables: (0..(pieces + 1).pow(4)).map(|_| None).collect(),
            kings: (0..=pieces).map(|_| OnceLock::new()).collect(),
            men: (0..=pieces).map(|_| OnceLock::new()).collect(),
        };
        let mut end = 0;
        for shape in shapes {
            let begin = end;
            // All of them together have a place in memory.
            end += usize::try_from(words(&shape)).map_err(|_| Stop::memory())?;
            let key = database.key(shape.slice);
            database.tables[key] = Some(Table::new(shape, &memory, begin..end));
        }
        Ok(database)
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The tables that there are, in order.
    pub fn tables(&self) -> Vec<&Table> {
        self.slices.iter().filter_map(|&slice| self.tables[self.key(slice)].as_ref()).collect()
    }

    /// A different number for each slice of the database.
    fn key(&self, slice: SliceName) -> usize {
        let pieces = self.cover.most_pieces();
        let digit = |key: usize, &n: &u8| key * (usize::from(pieces) + 1) + usize::from(n);
        let is_there = slice.pieces() <= u32::from(pieces);
        if is_there { slice.0.iter().fold(0, digit) } else { usize::MAX }
    }

    /// The sets of `count` kings.
    pub(crate) fn kings(&self, count: u8) -> &KingSets {
        self.kings[usize::from(count)].get_or_init(|| KingSets::new(&self.board, count))
    }

    /// The sets of `count` men.
    fn men(&self, count: u8) -> &[Vec<u32>] {
        self.men[usize::from(count)].get_or_init(|| men_by_advance(&self.board, count))
    }

    /// The blocks of a slice whose men do not overlap and have advanced `advance` rows together.
    pub(crate) fn blocks(
        &self,
        slice: SliceName,
        advance: usize,
    ) -> impl ParallelIterator<Item = Block> {
        let [a, _, c, _] = slice.0;
        let theirs = self.men(c);
        self.men(a).par_iter().enumerate().flat_map(move |(own_advance, own)| {
            let theirs = advance.checked_sub(own_advance).and_then(|rest| theirs.get(rest));
            own.par_iter().flat_map(move |&men| {
                let is_free = move |t: &&u32| men & self.board.turned(**t) == 0;
                let theirs = theirs.into_par_iter().flatten().filter(is_free);
                theirs.map(move |&their_men| Block { slice, men, their_men })
            })
        })
    }

    /// The table of a slice.
    ///
    /// # Panics
    /// There is none: nothing may go on without its values.
    pub(crate) fn table(&self, slice: SliceName) -> &Table {
        match self.tables.get(self.key(slice)) {
            Some(Some(table)) => table,
            _ => panic!("there is no table of {}", slice.file_name()),
        }
    }

    /// The place of a block in its table.
    pub(crate) fn block(&self, block: Block) -> Place<'_> {
        Place::new(block, self.table(block.slice))
    }

    /// The index of a position that the cover admits, and its slice.
    pub fn index(&self, p: &Position) -> Option<(SliceName, u64)> {
        if !self.board.is_possible(p) || !p.has_both_sides() {
            return None;
        }
        let sets = views(&self.board, p);
        let slice = slice_of(sets);
        let is_there = self.cover.admits_slice(slice);
        is_there.then(|| (slice, Shape::new(&self.board, slice).index(sets)))
    }

    /// The value of a position for its side to move, or `None` if it is not in the database.
    pub fn value(&self, p: &Position) -> Option<Value> {
        let (slice, index) = self.index(p)?;
        Some(self.table(slice).value(index))
    }
}

/// Memory for this number of words, or a file.
fn reserve(words: u64, options: &Options) -> Result<Scratch, Stop> {
    let Options { memory, scratch, progress, .. } = options;
    let bytes = words.saturating_mul(BYTES);
    let size = size(bytes);
    let fits = bytes <= *memory;
    let place = if fits { "memory".into() } else { format!("a file in {}", scratch.display()) };
    progress.show(&format!("memory: all tables of values take {size}, in {place}"));
    let reserved = if fits { Scratch::memory(words) } else { Scratch::file(words, scratch) };
    reserved.map_err(|error| {
        Stop::Error(format!("no room for {bytes} bytes ({size}) of tables in {place}: {error}"))
    })
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
    use std::collections::HashSet;

    /// Every block of every slice is visited once, at an advance that slices of its group have.
    #[test]
    fn all_blocks_are_gone_over() {
        for (rows, columns, pieces) in [(4, 4, 4), (3, 5, 4), (6, 6, 4), (8, 8, 4), (8, 2, 6)] {
            let board = Board::new(rows, columns).unwrap();
            let values =
                Database::new(&board, &Cover::up_to(pieces), &Options::new(""), |_| true).unwrap();
            for table in values.tables() {
                let slice @ SliceName([a, _, c, _]) = table.shape.slice;
                let all = |count| sets(board.men_squares(), count);
                let free = |men: u32, t: u32| men & board.turned(t) == 0;
                let pairs =
                    all(a).into_iter().flat_map(|m| all(c).into_iter().map(move |t| (m, t)));
                let right: HashSet<_> = pairs.filter(|&(men, theirs)| free(men, theirs)).collect();
                let advances = crate::derive::advances(&board, &[slice]);
                let blocks = advances.flat_map(|n| values.blocks(slice, n).collect::<Vec<_>>());
                let found: Vec<_> = blocks.map(|block| (block.men, block.their_men)).collect();
                assert_eq!(found.len(), right.len(), "{slice:?}");
                assert_eq!(found.into_iter().collect::<HashSet<_>>(), right);
            }
        }
    }

    #[test]
    #[should_panic(expected = "there is no table of 1-0-0-1")]
    fn a_value_without_a_table_ends_the_check() {
        let (board, cover) = (Board::new(4, 4).unwrap(), Cover::up_to(2));
        let values = Database::new(&board, &cover, &Options::new(""), |s| s.0[0] == 0).unwrap();
        values.table(SliceName([0, 1, 0, 1]));
        values.table(SliceName([1, 0, 0, 1]));
    }
}
