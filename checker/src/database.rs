//! Values of positions in memory, two bits for each index: `SPEC.md` §8.
//!
//! Trusts: nothing by itself; who fills the tables says what the values are worth (`derive.rs` from
//! the rules alone, `directory.rs` from a file and then checked). Enforces: that a look-up outside
//! the database gives no value instead of a wrong one.
//!
//! The words are atomic because blocks of one slice are written by several threads and share the
//! words at their edges. Each block is written once, before anything reads it; the end of a parallel
//! loop orders the two.

use crate::numbering::{Shape, slice_of, slices, views};
use crate::rules::{Board, Position};
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

    /// The `count` (1 to 64) bits from bit `start` on.
    pub(crate) fn read(&self, start: u64, count: u32) -> u64 {
        let (word, shift) = Self::locate(start);
        let mut bits = self.word(word) >> shift;
        if shift + u64::from(count) > 64 {
            bits |= self.word(word.saturating_add(1)) << (64 - shift);
        }
        bits & (u64::MAX >> (64 - count))
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
    /// A table of draws; `None` when there is no memory for it.
    pub(crate) fn empty(shape: Shape) -> Option<Table> {
        let (win, loss) = (Bits::zeros(shape.indices)?, Bits::zeros(shape.indices)?);
        Some(Table { shape, win, loss })
    }

    /// The table with the values of a slice file's groups.
    pub(crate) fn from_groups(shape: Shape, groups: &[u8]) -> Option<Table> {
        let table = Table::empty(shape)?;
        for (i, group) in groups.as_chunks::<GROUP>().0.iter().enumerate() {
            let (win, loss) = read_group(group);
            table.win.or_word(i, win);
            table.loss.or_word(i, loss);
        }
        Some(table)
    }

    /// The bits of `win` and `loss` of 64 indices, those from 64·`group` on.
    pub fn group(&self, group: usize) -> (u64, u64) {
        (self.win.word(group), self.loss.word(group))
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.win.0.len()
    }

    /// The value at an index that stands for a position.
    fn value(&self, index: u64) -> Value {
        match (self.win.read(index, 1), self.loss.read(index, 1)) {
            (0, 0) => Value::Draw,
            (0, _) => Value::Loss,
            _ => Value::Win,
        }
    }

    /// The first index at which `found` has not the same bits, or has both.
    pub(crate) fn first_difference(&self, found: &Table) -> Option<u64> {
        for i in 0..self.groups().max(found.groups()) {
            let ((win, loss), (win2, loss2)) = (self.group(i), found.group(i));
            let wrong = (win ^ win2) | (loss ^ loss2) | (win2 & loss2);
            if wrong != 0 {
                return Some(64 * i as u64 + u64::from(wrong.trailing_zeros()));
            }
        }
        None
    }
}

/// The values of all positions of a board with both sides present and at most so many pieces.
#[derive(Debug)]
pub struct Database {
    board: Board,
    pieces: u8,
    tables: Vec<Table>,
    /// Where the table of slice (a, b, c, d) is in `tables`, at place `key`.
    places: Vec<Option<usize>>,
}

impl Database {
    /// The database with these tables, which are those of all slices in order.
    pub(crate) fn new(board: &Board, pieces: u8, tables: Vec<Table>) -> Database {
        let mut database = Database {
            board: board.clone(),
            pieces,
            places: vec![None; (usize::from(pieces) + 1).pow(4)],
            tables,
        };
        for i in 0..database.tables.len() {
            let key = database.key(database.tables[i].shape.slice);
            database.places[key] = Some(i);
        }
        database
    }

    /// The database with nothing but draws; `None` when there is no memory for it.
    pub(crate) fn empty(board: &Board, pieces: u8) -> Option<Database> {
        let empty = |slice| Table::empty(Shape::new(board, slice)?);
        let tables = slices(board, pieces).into_iter().map(empty).collect::<Option<_>>()?;
        Some(Database::new(board, pieces, tables))
    }

    fn key(&self, slice: SliceName) -> usize {
        let base = usize::from(self.pieces) + 1;
        slice.0.iter().fold(0, |key, &n| key * base + usize::from(n))
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The tables of all slices, in order.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The table of a slice.
    pub(crate) fn table(&self, slice: SliceName) -> Option<&Table> {
        if slice.pieces() > u32::from(self.pieces) {
            return None;
        }
        self.tables.get((*self.places.get(self.key(slice))?)?)
    }

    /// The value of a position for its side to move, or `None` if it is not in the database.
    pub fn value(&self, p: &Position) -> Option<Value> {
        if !self.board.is_possible(p) || !p.has_both_sides() {
            return None;
        }
        let sets = views(&self.board, p);
        let table = self.table(slice_of(sets))?;
        Some(table.value(table.shape.index(sets)))
    }
}
