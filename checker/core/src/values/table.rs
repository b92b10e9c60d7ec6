//! The values of one slice, two bits for each index.
//!
//! Trusts: nothing by itself; the caller that fills the tables says what the values are worth
//! (`derive/pairs.rs` from the rules alone, `folder/values.rs` from a file).
//!
//! The words are atomic because blocks of one slice are written by several threads and share the
//! words at their edges. Each block is settled once, before any other reads it; the end of a
//! parallel loop orders the two.

use super::numbering::Shape;
use crate::rules::Bits;
use certificate_spec::Digest;
use checker_scratch::{Scratch, Words as Word};
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The number of words of a table that have digests of their own (`SPEC.md` §11).
const CHUNK: usize = 1 << 13;

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

/// Up to 64 indices of a row of a block.
#[derive(Clone, Copy)]
pub(crate) struct RowWord {
    /// The first of them.
    pub(crate) index: u64,
    /// The bits of the row among the 64 from there on: beyond its end another row begins.
    pub(crate) mask: u64,
}

/// Words of 64 indices: which of them are wins, and which are losses.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a>(&'a [Word]);

impl Words<'_> {
    /// The number of the word that an index is in, and its place there.
    fn place(index: u64) -> (usize, u64) {
        // Saturating means "beyond the end", where there are zeros and nothing is written.
        (usize::try_from(index / 64).unwrap_or(usize::MAX), index % 64)
    }

    /// The values of 64 indices, those from `index` on; beyond the end neither wins nor losses.
    pub(crate) fn read(self, index: u64) -> Bits {
        let (i, shift) = Self::place(index);
        let word = |i: usize| self.0.get(i).map_or([0; 2], |word| word.each_ref().map(load));
        let [low, high] = [i, i.saturating_add(1)].map(word);
        // A shift by 64 would not give zeros.
        let bits = |side: usize| low[side] >> shift | high[side] << 1 << (63 - shift);
        Bits { win: bits(0), loss: bits(1) }
    }

    /// Sets the values of the indices of a word of a row, and leaves all others alone.
    pub(crate) fn put(self, word: RowWord, values: Bits) {
        self.put_bits(0, word, values.win);
        self.put_bits(1, word, values.loss);
    }

    /// Sets the bits of win (side 0) or of loss (side 1).
    fn put_bits(self, side: usize, word: RowWord, bits: u64) {
        let (i, shift) = Self::place(word.index);
        let [low, high] = [word.mask, bits].map(|x| [x << shift, x >> 1 >> (63 - shift)]);
        for (i, mask, bits) in [(i, low[0], high[0]), (i.saturating_add(1), low[1], high[1])] {
            if let Some(word) = self.0.get(i).map(|word| &word[side])
                && (load(word) ^ bits) & mask != 0
            {
                word.fetch_or(bits & mask, Relaxed);
                word.fetch_and(bits | !mask, Relaxed);
            }
        }
    }
}

/// The values of one slice.
#[derive(Debug)]
pub struct Table {
    /// The shape of the slice.
    pub shape: Shape,
    /// The memory of all tables, and the words of it that are this table's.
    memory: Arc<Scratch>,
    range: Range<usize>,
}

impl Table {
    /// The table of a slice with these words of the memory of all tables.
    pub(crate) fn new(shape: Shape, memory: &Arc<Scratch>, range: Range<usize>) -> Table {
        Table { shape, memory: Arc::clone(memory), range }
    }

    pub(crate) fn words(&self) -> Words<'_> {
        Words(&self.memory.words()[self.range.clone()])
    }

    /// The values of 64 indices, those from `index` on.
    pub fn read(&self, index: u64) -> Bits {
        self.words().read(index)
    }

    /// Marks wins and losses among the 64 indices from `index` on, and leaves the others alone. The
    /// bits beyond the last index stay zero: they count in digests.
    pub(crate) fn mark(&self, index: u64, values: Bits) {
        let left = self.shape.indices.saturating_sub(index);
        let there = if left < 64 { (1 << left) - 1 } else { !0 };
        let Bits { win, loss } = values.within(there);
        self.words().put_bits(0, RowWord { index, mask: win }, win);
        self.words().put_bits(1, RowWord { index, mask: loss }, loss);
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

    /// The digest of the table (`SPEC.md` §11).
    pub(crate) fn digest(&self) -> Digest {
        let digest = |words: &[Word], side: usize| {
            let bytes = words.iter().map(|word| load(&word[side]).to_le_bytes());
            Digest::of(bytes.collect::<Vec<_>>().as_flattened()).0
        };
        let chunks = self.words().0.par_chunks(CHUNK);
        let chunks: Vec<_> = chunks.map(|words| [0, 1].map(|side| digest(words, side))).collect();
        let side = |side: usize| chunks.iter().map(move |chunk| chunk[side]);
        Digest::of(side(0).chain(side(1)).collect::<Vec<_>>().as_flattened())
    }

    /// Makes every value a draw.
    pub(crate) fn clear(&self) {
        self.words().0.as_flattened().par_iter().for_each(|word| word.store(0, Relaxed));
    }

    /// Fills the table with words that [`Table::write_to`] has written. What there is then may be
    /// any values, since the file is not trusted.
    pub(crate) fn read_from(&self, from: &mut dyn Read) -> io::Result<()> {
        let mut bytes = vec![0; size_of::<Word>() * CHUNK];
        for words in self.words().0.chunks(CHUNK) {
            let bytes = &mut bytes[..size_of_val(words)];
            from.read_exact(bytes)?;
            for (word, bytes) in words.as_flattened().iter().zip(bytes.as_chunks().0) {
                word.store(u64::from_le_bytes(*bytes), Relaxed);
            }
        }
        match from.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Writes all words, each as its wins and its losses.
    pub(crate) fn write_to(&self, to: &mut dyn Write) -> io::Result<()> {
        for words in self.words().0.chunks(CHUNK) {
            let bytes = words.as_flattened().iter().map(|word| load(word).to_le_bytes());
            to.write_all(bytes.collect::<Vec<_>>().as_flattened())?;
        }
        Ok(())
    }
}

fn load(word: &AtomicU64) -> u64 {
    word.load(Relaxed)
}
