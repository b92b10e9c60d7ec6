//! Values of positions in memory, two bits for each index: `SPEC.md` §8.
//!
//! Trusts: nothing by itself; who fills the tables says what the values are worth (`derive.rs` from
//! the rules alone, `directory.rs` from a file and then checked). Enforces: that a look-up outside
//! the database gives no value instead of a wrong one.
//!
//! The words are atomic because blocks of one slice are written by several threads and share the
//! words at their edges. Each block is written once, before anything reads it; the end of a parallel
//! loop orders the two.

use crate::numbering::{Shape, slice_of, views};
use crate::rules::{Board, Position};
use crate::verdict::Stop;
use certificate_spec::database::{GROUP, SliceName, read_group};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The value of a position for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move can force the opponent into having no move.
    Win,
    /// Neither side can.
    Draw,
    /// The opponent can force the side to move into having no move.
    Loss,
}

/// A run of bits.
#[derive(Debug)]
pub(crate) struct Bits(Vec<AtomicU64>);

impl Bits {
    /// Zeros; `None` when there is no memory for them.
    fn zeros(bits: u64) -> Option<Bits> {
        let words = usize::try_from(bits.div_ceil(64)).ok()?;
        let mut all = Vec::new();
        all.try_reserve_exact(words).ok()?;
        all.resize_with(words, || AtomicU64::new(0));
        Some(Bits(all))
    }

    /// Word `i`, or zero beyond the end.
    pub(crate) fn word(&self, i: usize) -> u64 {
        self.0.get(i).map_or(0, |word| word.load(Relaxed))
    }

    fn or_word(&self, i: usize, bits: u64) {
        if let Some(word) = self.0.get(i)
            && bits != 0
        {
            word.fetch_or(bits, Relaxed);
        }
    }

    /// Where bit `start` is: the word and the bit in it.
    fn locate(start: u64) -> (usize, u64) {
        // Saturating means "beyond the end", where there are zeros and nothing is written.
        (usize::try_from(start / 64).unwrap_or(usize::MAX), start % 64)
    }

    /// The 64 bits from bit `start` on.
    fn read(&self, start: u64) -> u64 {
        let (word, shift) = Self::locate(start);
        let bits = self.word(word) >> shift;
        if shift == 0 { bits } else { bits | self.word(word.saturating_add(1)) << (64 - shift) }
    }

    /// Sets those of the 64 bits from bit `start` on that are set in `bits`.
    pub(crate) fn set(&self, start: u64, bits: u64) {
        let (word, shift) = Self::locate(start);
        self.or_word(word, bits << shift);
        if shift != 0 {
            self.or_word(word.saturating_add(1), bits >> (64 - shift));
        }
    }
}

/// The values of one slice.
#[derive(Debug)]
pub struct Table {
    /// How its indices are made up.
    pub shape: Shape,
    pub(crate) win: Bits,
    pub(crate) loss: Bits,
}

impl Table {
    /// A table of draws.
    ///
    /// # Errors
    /// There is not enough memory for it.
    pub(crate) fn empty(board: &Board, slice: SliceName) -> Result<Table, Stop> {
        let shape = Shape::new(board, slice);
        let zeros = || Bits::zeros(shape.indices).ok_or_else(Stop::memory);
        Ok(Table { shape, win: zeros()?, loss: zeros()? })
    }

    /// Sets the bits of a slice file's groups.
    pub(crate) fn fill(&self, groups: &[u8]) {
        for (i, group) in groups.as_chunks::<GROUP>().0.iter().enumerate() {
            let (win, loss) = read_group(group);
            self.win.or_word(i, win);
            self.loss.or_word(i, loss);
        }
    }

    /// The bits of `win` and `loss` of 64 indices, those from 64·`group` on.
    pub fn group(&self, group: usize) -> (u64, u64) {
        (self.win.word(group), self.loss.word(group))
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.win.0.len()
    }

    /// The bits of `win` and `loss` of 64 indices, those from `index` on.
    pub(crate) fn read(&self, index: u64) -> (u64, u64) {
        (self.win.read(index), self.loss.read(index))
    }

    /// The bits of `win` and `loss` of one index.
    pub(crate) fn bits(&self, index: u64) -> (bool, bool) {
        let (win, loss) = self.read(index);
        (win & 1 == 1, loss & 1 == 1)
    }

    /// The first index at which `found`, of the same shape, has not the same bits, or has both.
    pub(crate) fn first_difference(&self, found: &Table) -> Option<u64> {
        (0..self.groups()).find_map(|i| {
            let ((win, loss), (win2, loss2)) = (self.group(i), found.group(i));
            let wrong = (win ^ win2) | (loss ^ loss2) | (win2 & loss2);
            (wrong != 0).then(|| 64 * i as u64 + u64::from(wrong.trailing_zeros()))
        })
    }
}

/// A number of its own for each slice with at most so many pieces.
fn key(pieces: u8, slice: SliceName) -> usize {
    slice.0.iter().fold(0, |key, &n| key * (usize::from(pieces) + 1) + usize::from(n))
}

/// The values of all positions of a board with both sides present and at most so many pieces.
#[derive(Debug)]
pub struct Database {
    board: Board,
    pieces: u8,
    tables: Vec<Table>,
    /// Where the table of each slice is in `tables`: at the slice's `key`.
    places: Vec<Option<usize>>,
}

impl Database {
    /// The database with these tables, which are those of all slices in order.
    pub(crate) fn new(board: &Board, pieces: u8, tables: Vec<Table>) -> Database {
        let places = vec![None; (usize::from(pieces) + 1).pow(4)];
        let mut database = Database { board: board.clone(), pieces, tables, places };
        for (i, table) in database.tables.iter().enumerate() {
            database.places[key(pieces, table.shape.slice)] = Some(i);
        }
        database
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The tables of all slices, in order.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The number of indices of all slices.
    pub(crate) fn indices(&self) -> u64 {
        self.tables.iter().map(|table| table.shape.indices).sum()
    }

    /// The table of a slice.
    pub(crate) fn table(&self, slice: SliceName) -> Option<&Table> {
        if slice.pieces() > u32::from(self.pieces) {
            return None;
        }
        self.tables.get((*self.places.get(key(self.pieces, slice))?)?)
    }

    /// The value of a position for its side to move, or `None` if it is not in the database.
    pub fn value(&self, p: &Position) -> Option<Value> {
        if !self.board.is_possible(p) || !p.has_both_sides() {
            return None;
        }
        let sets = views(&self.board, p);
        let table = self.table(slice_of(sets))?;
        Some(match table.bits(table.shape.index(sets)) {
            (false, false) => Value::Draw,
            (false, true) => Value::Loss,
            (true, _) => Value::Win,
        })
    }
}
