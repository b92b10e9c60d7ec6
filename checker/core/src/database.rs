//! Values of positions in memory, two bits for each index: `SPEC.md` §8.
//!
//! Trusts: nothing by itself; who fills the tables says what the values are worth (`derive.rs` from
//! the rules alone, `directory.rs` from a file and then checked). Enforces: that a look-up outside
//! the database gives no value instead of a wrong one.
//!
//! The words are atomic because blocks of one slice are written by several threads and share the
//! words at their edges. Each block is settled once, before any other reads it; the end of a
//! parallel loop orders the two.

use crate::bits::Bits;
use crate::block::RowWord;
use crate::kingsets::KingSets;
use crate::numbering::{Shape, slice_of, slices, views};
use crate::rules::{Board, Position};
use crate::verdict::Stop;
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
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

/// For each 64 indices of a slice which of them are wins, and which are losses.
pub type Words = [[AtomicU64; 2]];

/// The values of one slice.
#[derive(Debug)]
pub struct Table {
    /// How its indices are made up.
    pub shape: Shape,
    /// For each 64 indices which of them are wins, and which are losses.
    pub(crate) words: Vec<[AtomicU64; 2]>,
}

impl Table {
    /// A table of draws, if there is memory for it.
    fn new(shape: Shape) -> Result<Table, Stop> {
        let length = usize::try_from(shape.indices.div_ceil(64)).map_err(|_| Stop::memory())?;
        let mut words = Vec::new();
        words.try_reserve_exact(length).map_err(|_| Stop::memory())?;
        words.resize_with(length, Default::default);
        Ok(Table { shape, words })
    }

    /// A digest of all bits.
    pub(crate) fn digest(&self) -> Digest {
        let side = |side: usize| {
            self.words.par_chunks(1 << 13).map(move |words| {
                let bytes = words.iter().map(|word| word[side].load(Relaxed).to_le_bytes());
                Digest::of(bytes.collect::<Vec<_>>().as_flattened()).0
            })
        };
        Digest::of(side(0).chain(side(1)).collect::<Vec<_>>().as_flattened())
    }

    /// The word that an index is in.
    fn word_of(index: u64) -> usize {
        // Saturating means "beyond the end", where there are zeros and nothing is written.
        usize::try_from(index / 64).unwrap_or(usize::MAX)
    }

    /// The values of 64 indices, those from `index` on.
    pub fn read(&self, index: u64) -> Bits {
        let i = Self::word_of(index);
        let shift = index % 64;
        let word =
            |i: usize| self.words.get(i).map_or([0; 2], |[win, loss]| [load(win), load(loss)]);
        let [low, high] = [i, i.saturating_add(1)].map(word);
        // A shift by 64 would not give zeros.
        let bits = |side: usize| low[side] >> shift | high[side] << 1 << (63 - shift);
        Bits { win: bits(0), loss: bits(1) }
    }

    /// Makes the values of the indices of a word of a row these.
    pub(crate) fn put(&self, word: RowWord, values: Bits) {
        self.put_bits(0, word, values.win);
        self.put_bits(1, word, values.loss);
    }

    /// Marks wins and losses among the 64 indices from `index` on, and leaves the others alone.
    pub(crate) fn mark(&self, index: u64, values: Bits) {
        self.put_bits(0, RowWord { index, mask: values.win }, values.win);
        self.put_bits(1, RowWord { index, mask: values.loss }, values.loss);
    }

    /// Sets the bits of win (side 0) or of loss (side 1).
    fn put_bits(&self, side: usize, word: RowWord, bits: u64) {
        let i = Self::word_of(word.index);
        let shift = word.index % 64;
        let [low, high] = [word.mask, bits].map(|x| [x << shift, x >> 1 >> (63 - shift)]);
        for (i, mask, bits) in [(i, low[0], high[0]), (i.saturating_add(1), low[1], high[1])] {
            if let Some(word) = self.words.get(i).map(|word| &word[side])
                && (load(word) ^ bits) & mask != 0
            {
                word.fetch_or(bits & mask, Relaxed);
                word.fetch_and(bits | !mask, Relaxed);
            }
        }
    }

    /// The value of one index.
    pub fn value(&self, index: u64) -> Value {
        // A position that is a win and a loss at once is found wrong when its table is checked.
        match self.read(index).at(0) {
            Bits { win: 1, .. } => Value::Win,
            Bits { loss: 1, .. } => Value::Loss,
            Bits { .. } => Value::Draw,
        }
    }
}

fn load(word: &AtomicU64) -> u64 {
    word.load(Relaxed)
}

/// The values of all positions of a board that a cover admits.
///
/// A slice has a table only once it is its turn to be filled, so that a database that is found to
/// be wrong early has not taken the memory for all of it, and may lose it again (`Plan` in
/// `checker-aid`).
#[derive(Debug)]
pub struct Database {
    board: Board,
    /// The most pieces of a position.
    pieces: u8,
    /// The shapes of all slices, in order.
    pub(crate) shapes: Vec<Shape>,
    /// The tables that there are, each at its slice's `key`.
    tables: Vec<Option<Box<Table>>>,
    /// For each number of kings that a side has in a table.
    pub(crate) kings: Vec<KingSets>,
    /// Whether a move led to a slice that has no table.
    missed: AtomicBool,
}

impl Database {
    /// A database without tables as yet.
    pub(crate) fn new(board: &Board, cover: &Cover) -> Database {
        let pieces = cover.most_pieces();
        let shapes = slices(board, cover).into_iter().map(|slice| Shape::new(board, slice));
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
        let table = Table::new(Shape::new(&self.board, slice))?;
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

    /// The table of a slice that a move leads to. If there is none, whatever is made of that is
    /// worth nothing: see [`Database::is_complete`].
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
        Some(table.value(table.shape.index(sets)))
    }
}
