//! The values of one slice in memory, two bits for each index, by stretches.
//!
//! Trusts: nothing by itself; the caller that fills the tables says what the values are worth
//! (`derive/pairs.rs` from the rules alone, `folder/claimed.rs` from a file).
//!
//! The words are atomic because blocks of one slice are written by several threads and share the
//! words at their edges. Each block is settled once, before any other reads it; the end of a
//! parallel loop orders the two.

use super::block::{Block, RowWord};
use super::numbering::Shape;
use crate::rules::Bits;
use crate::verdict::Stop;
use certificate_spec::Digest;
use rayon::prelude::*;
use std::ops::Range;
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

/// Consecutive indices of a slice: one block, or all blocks.
#[derive(Debug)]
pub(crate) struct Stretch {
    first: u64,
    /// For each 64 indices which of them are wins, and which are losses.
    words: Vec<[AtomicU64; 2]>,
}

impl Stretch {
    /// A stretch of draws, if there is memory for it.
    fn new(first: u64, indices: u64) -> Result<Stretch, Stop> {
        let length = usize::try_from(indices.div_ceil(64)).map_err(|_| Stop::memory())?;
        let mut words = Vec::new();
        words.try_reserve_exact(length).map_err(|_| Stop::memory())?;
        words.resize_with(length, Default::default);
        Ok(Stretch { first, words })
    }

    /// The word that an index is in, and its place there.
    fn word_of(&self, index: u64) -> (usize, u64) {
        // Saturating means "beyond the end", where there are zeros and nothing is written.
        let place = index.checked_sub(self.first).unwrap_or(u64::MAX);
        (usize::try_from(place / 64).unwrap_or(usize::MAX), place % 64)
    }

    /// The values of 64 indices, those from `index` on; beyond the end neither wins nor losses.
    pub(crate) fn read(&self, index: u64) -> Bits {
        let (i, shift) = self.word_of(index);
        let word =
            |i: usize| self.words.get(i).map_or([0; 2], |[win, loss]| [load(win), load(loss)]);
        let [low, high] = [i, i.saturating_add(1)].map(word);
        // A shift by 64 would not give zeros.
        let bits = |side: usize| low[side] >> shift | high[side] << 1 << (63 - shift);
        Bits { win: bits(0), loss: bits(1) }
    }

    /// Sets the values of the indices of a word of a row.
    pub(crate) fn put(&self, word: RowWord, values: Bits) {
        self.put_bits(0, word, values.win);
        self.put_bits(1, word, values.loss);
    }

    /// Marks wins and losses among the 64 indices from `index` on, and leaves the others alone.
    fn mark(&self, index: u64, values: Bits) {
        self.put_bits(0, RowWord { index, mask: values.win }, values.win);
        self.put_bits(1, RowWord { index, mask: values.loss }, values.loss);
    }

    /// Sets the bits of win (side 0) or of loss (side 1).
    fn put_bits(&self, side: usize, word: RowWord, bits: u64) {
        let (i, shift) = self.word_of(word.index);
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

    /// A digest of all bits.
    pub(crate) fn digest(&self) -> Digest {
        let chunks = self.words.par_chunks(1 << 13).map(|words| {
            let bytes = words.as_flattened().iter().map(|word| load(word).to_le_bytes());
            Digest::of(bytes.collect::<Vec<_>>().as_flattened()).0
        });
        Digest::of(chunks.collect::<Vec<_>>().as_flattened())
    }
}

/// The values of one slice, as far as they are in memory.
#[derive(Debug)]
pub struct Table {
    /// How the indices of the slice are made up.
    pub shape: Shape,
    /// The number of indices of a stretch.
    stretch: u64,
    stretches: Vec<Option<Box<Stretch>>>,
}

impl Table {
    /// A table with nothing in memory.
    pub(crate) fn new(shape: Shape) -> Result<Table, Stop> {
        let stretch = if shape.has_large_blocks() { shape.block_size() } else { shape.indices };
        let count = shape.indices.div_ceil(stretch.max(1));
        let count = usize::try_from(count).map_err(|_| Stop::memory())?;
        let mut stretches = Vec::new();
        stretches.try_reserve_exact(count).map_err(|_| Stop::memory())?;
        stretches.resize_with(count, || None);
        Ok(Table { shape, stretch, stretches })
    }

    /// The number of the stretch that an index is in.
    pub(crate) fn number(&self, index: u64) -> usize {
        usize::try_from(index / self.stretch.max(1)).unwrap_or(usize::MAX)
    }

    /// The number of the stretch that a block is in.
    pub(crate) fn number_of(&self, block: Block) -> usize {
        // Dividing is for large blocks only: small ones are looked up much more often.
        match self.shape.has_large_blocks() {
            true => self.number(self.shape.block(block.men, block.their_men)),
            false => 0,
        }
    }

    /// The stretch with this number, if it is in memory.
    pub(crate) fn stretch(&self, number: usize) -> Option<&Stretch> {
        self.stretches.get(number)?.as_deref()
    }

    /// Takes a stretch out of memory.
    pub(crate) fn release(&mut self, number: usize) {
        self.stretches[number] = None;
    }

    /// Whether nothing is in memory.
    pub(crate) fn is_empty(&self) -> bool {
        self.stretches.iter().all(Option::is_none)
    }

    /// For each stretch, whether its number is among `numbers`.
    pub(crate) fn marked(&self, numbers: &[usize]) -> Vec<bool> {
        let mut marked = vec![false; self.stretches.len()];
        numbers.iter().for_each(|&number| marked[number] = true);
        marked
    }

    /// Allocates a stretch, as draws.
    pub(crate) fn reserve(&mut self, number: usize) -> Result<(), Stop> {
        let Range { start, end } = self.indices(number);
        self.stretches[number] = Some(Box::new(Stretch::new(start, end - start)?));
        Ok(())
    }

    /// The indices of a stretch.
    pub(crate) fn indices(&self, number: usize) -> Range<u64> {
        let first = number as u64 * self.stretch;
        first..first.saturating_add(self.stretch).min(self.shape.indices)
    }

    /// The digest of `SPEC.md` §11, of a table that is all in memory.
    pub(crate) fn digest(&self) -> Digest {
        let chunks = 0..self.words().div_ceil(CHUNK);
        let chunks: Vec<_> = chunks.into_par_iter().map(|i| self.chunk_digests(i)).collect();
        let side = |side: usize| chunks.iter().map(move |chunk| chunk[side].0);
        Digest::of(side(0).chain(side(1)).collect::<Vec<_>>().as_flattened())
    }

    /// The digests of the wins and the losses of a chunk of words (`SPEC.md` §11).
    fn chunk_digests(&self, chunk: u64) -> [Digest; 2] {
        let words = chunk * CHUNK..self.words().min((chunk + 1) * CHUNK);
        let words: Vec<Bits> = words.map(|i| self.read(64 * i)).collect();
        let digest = |side: fn(&Bits) -> u64| {
            let bytes = words.iter().map(|word| side(word).to_le_bytes());
            Digest::of(bytes.collect::<Vec<_>>().as_flattened())
        };
        [digest(|word| word.win), digest(|word| word.loss)]
    }

    /// The number of words of 64 indices.
    pub fn words(&self) -> u64 {
        self.shape.indices.div_ceil(64)
    }

    /// The values of 64 indices, those from `index` on. An index that is not in memory reads as
    /// neither a win nor a loss.
    pub fn read(&self, index: u64) -> Bits {
        let number = self.number(index);
        let read = |number: usize, index| self.stretch(number).map(|stretch| stretch.read(index));
        let values = read(number, index).unwrap_or_default();
        // The rest of the stretch; the other indices of the 64 are in the next one.
        let end = self.indices(number).end;
        match end.checked_sub(index) {
            Some(left @ 0..64) if end < self.shape.indices => {
                let next = read(number + 1, end).unwrap_or_default();
                values | Bits { win: next.win << left, loss: next.loss << left }
            }
            _ => values,
        }
    }

    /// Sets the values of the word of 64 indices with this number, as far as it is in memory.
    pub fn put_word(&self, number: u64, values: Bits) {
        let index = number.saturating_mul(64);
        let first = self.number(index);
        let end = self.indices(first).end;
        // What lies beyond the end of a stretch stays zero: it counts in digests.
        let mask = match end.checked_sub(index) {
            Some(left @ 0..64) => (1 << left) - 1,
            _ => !0,
        };
        if let Some(stretch) = self.stretch(first) {
            stretch.put(RowWord { index, mask }, values & mask);
        }
        if let Some(left @ 1..64) = end.checked_sub(index)
            && let Some(stretch) = self.stretch(first + 1)
        {
            let Bits { win, loss } = values;
            let rest = self.indices(first + 1).end - end;
            let mask = (!0 >> left) & if rest < 64 { (1 << rest) - 1 } else { !0 };
            let values = Bits { win: win >> left, loss: loss >> left };
            stretch.put(RowWord { index: end, mask }, values & mask);
        }
    }

    /// Marks wins and losses among the 64 indices from `index` on, all of one block.
    pub(crate) fn mark(&self, index: u64, values: Bits) {
        let number = self.number(index);
        if let Some(stretch) = self.stretch(number) {
            // What lies beyond the end of a stretch stays zero: it counts in digests.
            let mask = match self.indices(number).end.checked_sub(index) {
                Some(left @ 0..64) => (1 << left) - 1,
                _ => !0,
            };
            stretch.mark(index, values & mask);
        }
    }

    /// The table for reading only.
    pub fn view(&self) -> TableView<'_> {
        TableView(self)
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

/// A table that can be read through this view and not changed.
#[derive(Debug, Clone, Copy)]
pub struct TableView<'a>(&'a Table);

impl TableView<'_> {
    /// The number of words of 64 indices.
    pub fn words(self) -> u64 {
        self.0.words()
    }

    /// The values of the word of 64 indices with this number.
    pub fn word(self, number: u64) -> Bits {
        self.0.read(number.saturating_mul(64))
    }
}

/// The number of words of a table that have digests of their own (`SPEC.md` §11).
const CHUNK: u64 = 1 << 13;

fn load(word: &AtomicU64) -> u64 {
    word.load(Relaxed)
}

#[cfg(test)]
mod tests {
    use super::Bits;
    use crate::derive::derive;
    use crate::rules::Board;
    use crate::values::Database;
    use certificate_spec::cover::Cover;
    use certificate_spec::database::SliceName;

    /// What is marked beyond the end of a stretch is not there.
    #[test]
    fn marked_beyond_the_end() {
        let board = Board::new(8, 8).unwrap();
        let mut values = Database::new(&board, &Cover::up_to(4));
        let slice = SliceName([1, 1, 0, 2]);
        let layers: Vec<_> = values.layers(slice).collect();
        layers.iter().for_each(|&layer| assert!(values.reserve(layer).is_ok()));
        let table = values.table(slice).unwrap();
        let before = table.digest();
        for number in 0..3 {
            let last = table.indices(number).end - 1;
            table.mark(last, Bits { win: 0b110, loss: !1 });
            let stretch = table.stretch(number).unwrap();
            assert_eq!(stretch.digest(), table.stretch(number + 3).unwrap().digest());
        }
        assert_eq!(table.digest(), before);
    }

    /// Blocks of this board do not end at the end of a word. Filling a table word by word writes no
    /// bits beyond the end of a stretch, where they would change the stretch's digest.
    #[test]
    fn filled_word_by_word() {
        let (board, cover) = (Board::new(6, 6).unwrap(), Cover::up_to(5));
        let right = derive(&board, &cover).unwrap();
        let mut large = 0;
        for table in right.tables() {
            let slice = table.shape.slice;
            let mut copy = Database::new(&board, &cover);
            copy.layers(slice).for_each(|layer| assert!(copy.reserve(layer).is_ok()));
            let copy = copy.table(slice).unwrap();
            (0..table.words()).for_each(|n| copy.put_word(n, table.view().word(n)));
            assert_eq!(copy.digest(), table.digest());
            let stretches =
                (0..).map_while(|n| (table.indices(n).start < table.shape.indices).then_some(n));
            for number in stretches {
                let [one, other] = [table, copy].map(|t| t.stretch(number).map(|s| s.digest()));
                assert_eq!(one, other, "{slice:?} {number}");
                large += usize::from(number > 0);
            }
        }
        assert!(large > 50, "{large}");
    }
}
