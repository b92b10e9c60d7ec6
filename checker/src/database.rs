//! Values of positions in memory, two bits for each index: `SPEC.md` §8.
//!
//! Trusts: nothing by itself; who fills the tables says what the values are worth (`derive.rs` from
//! the rules alone, `directory.rs` from a file and then checked). Enforces: that a look-up outside
//! the database gives no value instead of a wrong one.
//!
//! The words are atomic because blocks of one slice are written by several threads and share the
//! words at their edges. Each block is settled once, before any other reads it; the end of a parallel
//! loop orders the two.

use crate::block::KingSets;
use crate::numbering::{Shape, slice_of, slices, views};
use crate::rules::{Board, Position};
use crate::verdict::Stop;
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

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
    /// Zeros.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(crate) fn zeros(bits: u64) -> Result<Bits, Stop> {
        let words = usize::try_from(bits.div_ceil(64)).map_err(|_| Stop::memory())?;
        let mut all = Vec::new();
        all.try_reserve_exact(words).map_err(|_| Stop::memory())?;
        all.resize_with(words, || AtomicU64::new(0));
        Ok(Bits(all))
    }

    /// Word `i`, or zero beyond the end.
    fn word(&self, i: usize) -> u64 {
        self.0.get(i).map_or(0, |word| word.load(Relaxed))
    }

    /// The number of bytes that so many bits take.
    pub(crate) fn bytes(bits: u64) -> u64 {
        bits.div_ceil(64).saturating_mul(8)
    }

    /// Makes those bits of word `i` that are set in `mask` what they are in `bits`, and no other.
    fn put_word(&self, i: usize, mask: u64, bits: u64) {
        if let Some(word) = self.0.get(i) {
            let change = (word.load(Relaxed) ^ bits) & mask;
            if change & bits != 0 {
                word.fetch_or(change & bits, Relaxed);
            }
            if change & !bits != 0 {
                word.fetch_and(!(change & !bits), Relaxed);
            }
        }
    }

    /// Where bit `start` is: the word and the bit in it.
    fn locate(start: u64) -> (usize, u64) {
        // Saturating means "beyond the end", where there are zeros and nothing is written.
        (usize::try_from(start / 64).unwrap_or(usize::MAX), start % 64)
    }

    /// The 64 bits from bit `start` on.
    pub(crate) fn read(&self, start: u64) -> u64 {
        let (word, shift) = Self::locate(start);
        let bits = self.word(word) >> shift;
        if shift == 0 { bits } else { bits | self.word(word.saturating_add(1)) << (64 - shift) }
    }

    /// The same of the 64 bits from bit `start` on.
    fn put(&self, start: u64, mask: u64, bits: u64) {
        let (word, shift) = Self::locate(start);
        self.put_word(word, mask << shift, bits << shift);
        if shift != 0 {
            self.put_word(word.saturating_add(1), mask >> (64 - shift), bits >> (64 - shift));
        }
    }
}

/// The values of one slice.
#[derive(Debug)]
pub struct Table {
    /// How its indices are made up.
    pub shape: Shape,
    win: Bits,
    loss: Bits,
}

impl Table {
    /// A digest of all bits.
    pub(crate) fn digest(&self) -> Digest {
        let part = |words: &[AtomicU64]| {
            let bytes: Vec<[u8; 8]> =
                words.iter().map(|word| word.load(Relaxed).to_le_bytes()).collect();
            Digest::of(bytes.as_flattened()).0
        };
        let words = self.win.0.par_chunks(1 << 13).chain(self.loss.0.par_chunks(1 << 13));
        Digest::of(words.map(part).collect::<Vec<_>>().as_flattened())
    }

    /// The bits of `win` and `loss` of 64 indices, those from `index` on.
    pub fn read(&self, index: u64) -> (u64, u64) {
        (self.win.read(index), self.loss.read(index))
    }

    /// Makes the bits of those of 64 indices that are set in `mask` these.
    pub(crate) fn put(&self, index: u64, mask: u64, (win, loss): (u64, u64)) {
        self.win.put(index, mask, win);
        self.loss.put(index, mask, loss);
    }

    /// Sets bits of 64 indices, those that are set in `win` and in `loss`.
    pub(crate) fn add(&self, index: u64, win: u64, loss: u64) {
        self.win.put(index, win, win);
        self.loss.put(index, loss, loss);
    }

    /// The bits of `win` and `loss` of one index.
    pub fn bits(&self, index: u64) -> (bool, bool) {
        let (win, loss) = self.read(index);
        (win & 1 == 1, loss & 1 == 1)
    }
}

/// The values of all positions of a board with both sides present and at most so many pieces.
///
/// A slice has a table only once it is its turn to be filled, so that a database that is found to be
/// wrong early has not taken the memory for all of it, and may lose it again (`memory.rs`).
#[derive(Debug)]
pub struct Database {
    board: Board,
    pieces: u8,
    /// The shapes of all slices, in order.
    shapes: Vec<Shape>,
    /// The tables that there are, each at its slice's `key`.
    tables: Vec<Option<Box<Table>>>,
    /// For each number of kings that a side has in a table.
    kings: Vec<KingSets>,
    /// Whether a move led to a slice that has no table.
    missed: AtomicBool,
}

impl Database {
    /// A database without tables as yet.
    pub(crate) fn new(board: &Board, pieces: u8) -> Database {
        let shapes = slices(board, pieces).into_iter().map(|slice| Shape::new(board, slice));
        Database {
            board: board.clone(),
            pieces,
            shapes: shapes.collect(),
            tables: (0..(usize::from(pieces) + 1).pow(4)).map(|_| None).collect(),
            kings: Vec::new(),
            missed: AtomicBool::new(false),
        }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The shapes of all slices, in order.
    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// All sets of so many kings.
    pub(crate) fn kings(&self, count: u8) -> &KingSets {
        &self.kings[usize::from(count)]
    }

    /// The tables of all slices, in order.
    pub fn tables(&self) -> Vec<&Table> {
        self.shapes.iter().filter_map(|shape| self.table(shape.slice)).collect()
    }

    /// The number of indices of all slices.
    pub(crate) fn indices(&self) -> u64 {
        self.shapes.iter().fold(0, |sum, shape| sum.saturating_add(shape.indices))
    }

    /// A number of its own for each slice that there is.
    fn key(&self, slice: SliceName) -> usize {
        let digit = |key: usize, &n: &u8| key * (usize::from(self.pieces) + 1) + usize::from(n);
        let is_there = slice.pieces() <= u32::from(self.pieces);
        if is_there { slice.0.iter().fold(0, digit) } else { usize::MAX }
    }

    /// Gives a slice a table of draws.
    ///
    /// # Errors
    /// There is not enough memory for it.
    pub(crate) fn reserve(&mut self, slice: SliceName) -> Result<(), Stop> {
        let shape = Shape::new(&self.board, slice);
        let zeros = || Bits::zeros(shape.indices);
        let table = Table { shape, win: zeros()?, loss: zeros()? };
        let most = slice.0[1].max(slice.0[3]);
        let more = (0..=most).skip(self.kings.len()).map(|k| KingSets::new(&self.board, k));
        self.kings.extend(more);
        let key = self.key(slice);
        self.tables[key] = Some(Box::new(table));
        Ok(())
    }

    /// Takes the table of a slice out of memory.
    pub(crate) fn release(&mut self, slice: SliceName) {
        let key = self.key(slice);
        self.tables[key] = None;
    }

    /// The table of a slice.
    pub(crate) fn table(&self, slice: SliceName) -> Option<&Table> {
        self.tables.get(self.key(slice))?.as_deref()
    }

    /// The table of a slice that a move leads to. If there is none, whatever is made of that is worth
    /// nothing: see [`Database::is_complete`].
    pub(crate) fn after_move(&self, slice: SliceName) -> Option<&Table> {
        let table = self.table(slice);
        if table.is_none() {
            self.missed.store(true, Relaxed);
        }
        table
    }

    /// That all moves so far have led to slices that have a table.
    ///
    /// # Errors
    /// They have not: which tables are in memory was planned wrongly.
    pub(crate) fn is_complete(&self) -> Result<(), Stop> {
        let error = || Stop::Error("a move leads to a slice that is not in memory".into());
        if self.missed.load(Relaxed) { Err(error()) } else { Ok(()) }
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
