//! The transposition table: what the search found of positions that it met before.
//!
//! Threads share it without a lock: an entry is three words, of which the first two are the
//! position's key mixed with the third, so that words of two entries do not go together (Hyatt and
//! Mann, "A Lock-less Transposition-Table Implementation for Parallel Search", 2002). An entry
//! belongs to a position by its whole key, never by a hash of it.
//!
//! Entries carry the number of their search. A table that is not kept counts those of another
//! search as absent, so that a search depends on nothing that was searched before.

use std::sync::atomic::{AtomicU64, Ordering};

use super::bound::Claims;
use super::score::claims_allow;
use crate::egdb::ask_for_large_pages;

/// What the score of an entry says of the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is the score.
    Exact,
    /// The score is at least this.
    Lower,
    /// The score is at most this.
    Upper,
}

/// What is remembered of a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Wins and losses count from the position, not from the root of the search.
    pub(super) score: i16,
    pub(super) depth: u8,
    pub(super) kind: Kind,
    pub(super) claims: Claims,
    /// The best move, by its number in the order of generation.
    pub(super) best: u8,
}

impl Entry {
    fn to_word(self, search: u16) -> u64 {
        u64::from(self.score as u16)
            | u64::from(self.depth) << 16
            | u64::from(self.best) << 24
            | (self.kind as u64) << 32
            | u64::from(self.claims.bits()) << 34
            | u64::from(search) << 48
    }

    fn from_word(word: u64) -> Self {
        let kind = match word >> 32 & 3 {
            0 => Kind::Exact,
            1 => Kind::Lower,
            _ => Kind::Upper,
        };
        Entry {
            score: word as u16 as i16,
            depth: (word >> 16) as u8,
            best: (word >> 24) as u8,
            kind,
            claims: Claims::from_bits((word >> 34 & 15) as u8),
        }
    }
}

/// The number of the search in an entry's word.
fn search_of(word: u64) -> u16 {
    (word >> 48) as u16
}

/// The words of an entry: key, key, and what is remembered.
type Words = [AtomicU64; 3];

/// Two entries in a cache line: the first gives way only to deeper ones and to later searches, the
/// second to any.
#[repr(align(64))]
#[derive(Default)]
struct Pair([Words; 2]);

/// Positions and what is remembered of them.
pub(super) struct Table {
    pairs: Vec<Pair>,
    /// Those in use, a power of two less one.
    mask: u64,
    search: u16,
    /// Whether entries of earlier searches count; then the number of pairs stays.
    is_kept: bool,
}

impl Table {
    /// The least and the largest number of pairs of a table that is not kept.
    const LEAST: u64 = 1 << 10;
    const MOST: u64 = 1 << 19;

    pub(super) fn new() -> Self {
        Table { pairs: Vec::new(), mask: 0, search: 0, is_kept: false }
    }

    /// A table of at most so many bytes that is kept from one search to the next.
    pub(super) fn kept(bytes: u64) -> Self {
        let most = (bytes / size_of::<Pair>() as u64).max(Self::LEAST);
        let mut table = Table::new();
        table.resize(1 << most.ilog2());
        table.mask = table.pairs.len() as u64 - 1;
        table.is_kept = true;
        table
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.pairs.fill_with(Pair::default);
        self.search = 0;
    }

    fn resize(&mut self, pairs: usize) {
        self.pairs = Vec::with_capacity(pairs);
        ask_for_large_pages(self.pairs.spare_capacity_mut());
        self.pairs.resize_with(pairs, Pair::default);
        self.search = 0;
    }

    /// Makes the table ready for a search of so many nodes. (A small one stays in the processor's
    /// cache.)
    pub(super) fn begin(&mut self, nodes: u64) {
        if !self.is_kept {
            let pairs = nodes.clamp(Self::LEAST, Self::MOST).next_power_of_two();
            self.mask = pairs - 1;
            if self.pairs.len() < pairs as usize {
                self.resize(pairs as usize);
            }
        }
        if self.search == u16::MAX {
            self.clear();
        }
        self.search += 1;
    }

    #[inline]
    fn place(&self, key: u128) -> usize {
        let low = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (low ^ low >> 32 ^ (key >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed >> 32 & self.mask) as usize
    }

    /// The position with this key will be asked for soon: its entries are brought nearer. Without
    /// this, a quarter of a search's time is waiting for them.
    #[inline]
    pub(super) fn expect(&self, key: u128) {
        #[cfg(target_arch = "x86_64")]
        if let Some(pair) = self.pairs.get(self.place(key)) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: the address is valid; and the processor takes this as a hint and reads
            // nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(pair).cast()) };
        }
    }

    /// The word that is remembered of a key, if these words are of that key and count.
    #[inline]
    fn word_of(&self, words: &Words, key: u128) -> Option<u64> {
        let [low, high, word] = [0, 1, 2].map(|i| words[i].load(Ordering::Relaxed));
        let [want_low, want_high] = mixed(key, word);
        let counts = self.is_kept || search_of(word) == self.search;
        (low == want_low && high == want_high && search_of(word) != 0 && counts).then_some(word)
    }

    /// What is remembered of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u128) -> Option<Entry> {
        let Pair(entries) = &self.pairs[self.place(key)];
        entries.iter().find_map(|words| self.word_of(words, key)).map(Entry::from_word)
    }

    /// Remembers a position. Claims that are remembered of it already stay.
    pub(super) fn put(&self, key: u128, mut entry: Entry) {
        let Pair(entries) = &self.pairs[self.place(key)];
        let [first, second] = [0, 1].map(|i| self.word_of(&entries[i], key));
        let at = match (first, second) {
            (Some(word), _) | (None, Some(word)) => {
                entry.claims = entry.claims.and(Entry::from_word(word).claims);
                entry.score = claims_allow(entry.claims, entry.score.into()) as i16;
                usize::from(first.is_none())
            }
            (None, None) => {
                let older = entries[0][2].load(Ordering::Relaxed);
                if search_of(older) == self.search && entry.depth < Entry::from_word(older).depth {
                    1
                } else {
                    let [first, second] = entries;
                    for (to, from) in second.iter().zip(first) {
                        to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
                    }
                    0
                }
            }
        };
        let word = entry.to_word(self.search);
        let [low, high] = mixed(key, word);
        for (to, from) in entries[at].iter().zip([low, high, word]) {
            to.store(from, Ordering::Relaxed);
        }
    }
}

/// The words that stand for a key in an entry with this third word.
#[inline]
fn mixed(key: u128, word: u64) -> [u64; 2] {
    [key as u64 ^ word, (key >> 64) as u64 ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)]
}
