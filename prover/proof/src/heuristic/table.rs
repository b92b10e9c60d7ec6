//! The transposition table: the results of searches of positions that may be met again.
//!
//! Threads share it without a lock: an entry is three words, of which the first two are the
//! position's key mixed with the third, so that words of two entries do not go together (Hyatt and
//! Mann, "A Lock-less Transposition-Table Implementation for Parallel Search", 2002). An entry
//! belongs to a position by its whole key, never by a hash of it.
//!
//! Entries carry the number of their search. A table that is not kept ignores those of other
//! searches, so that the result of a search does not depend on earlier searches.

use std::sync::atomic::{AtomicU64, Ordering};

use super::claims::Claims;
use super::score::claims_allow;
use crate::egdb::{OutOfMemory, try_table};

/// The relation between the score of an entry and the true score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The true score is this one.
    Exact,
    /// The true score is at least this one.
    Lower,
    /// The true score is at most this one.
    Upper,
}

/// The stored result of a search of a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The score. Wins and losses count from the position, not from the root of the search.
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

/// The number of the search in the third word of an entry.
fn search_of(word: u64) -> u16 {
    (word >> 48) as u16
}

/// The words of an entry: two for the key, and one for the result.
type Words = [AtomicU64; 3];

/// Two entries in a cache line. The first is replaced only by deeper entries and by those of later
/// searches, the second by any.
#[repr(align(64))]
#[derive(Default)]
struct Pair([Words; 2]);

/// A table of entries by position.
pub(super) struct Table {
    pairs: Vec<Pair>,
    /// The mask of the pairs in use: their number, a power of two, less one.
    mask: u64,
    search: u16,
    /// Whether entries of earlier searches count; if so, the number of pairs does not change.
    is_kept: bool,
    /// The memory that a kept table did not get, so that it is smaller.
    pub(super) lack: Option<OutOfMemory>,
}

impl Table {
    /// The least number of pairs, and the largest of a table that is not kept.
    const LEAST: u64 = 1 << 10;
    const MOST: u64 = 1 << 19;

    pub(super) fn new() -> Self {
        Table { pairs: Vec::new(), mask: 0, search: 0, is_kept: false, lack: None }
    }

    /// A table of at most `bytes` bytes that is kept from one search to the next; a smaller one if
    /// there is less memory.
    pub(super) fn kept(bytes: u64) -> Self {
        let most = (bytes / size_of::<Pair>() as u64).max(Self::LEAST);
        let mut table = Table::new();
        let mut wanted = 1 << most.ilog2();
        table.pairs = loop {
            match try_table(wanted, Pair::default) {
                Ok(pairs) => break pairs,
                Err(lack) => {
                    table.lack = table.lack.or(Some(lack));
                    wanted = (wanted / 2).max(1);
                }
            }
        };
        table.mask = table.pairs.len() as u64 - 1;
        table.is_kept = true;
        table
    }

    /// Clears the table.
    pub(super) fn clear(&mut self) {
        self.pairs.fill_with(Pair::default);
        self.search = 0;
    }

    /// Prepares the table for a search of `nodes` nodes. (A small table stays in the processor's
    /// cache.)
    pub(super) fn begin(&mut self, nodes: u64) {
        if !self.is_kept {
            let pairs = nodes.clamp(Self::LEAST, Self::MOST).next_power_of_two();
            self.mask = pairs - 1;
            if self.pairs.len() < pairs as usize {
                self.pairs = crate::egdb::table(pairs as usize, Pair::default);
                self.search = 0;
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

    /// Prefetches the entries of a key that will soon be looked up. Without this, a search spends a
    /// quarter of its time waiting for them.
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

    /// The third word of an entry, if the entry is of this key and counts.
    #[inline]
    fn word_of(&self, words: &Words, key: u128) -> Option<u64> {
        let [low, high, word] = [0, 1, 2].map(|i| words[i].load(Ordering::Relaxed));
        let [want_low, want_high] = mixed(key, word);
        let counts = self.is_kept || search_of(word) == self.search;
        (low == want_low && high == want_high && search_of(word) != 0 && counts).then_some(word)
    }

    /// The entry of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u128) -> Option<Entry> {
        let Pair(entries) = &self.pairs[self.place(key)];
        entries.iter().find_map(|words| self.word_of(words, key)).map(Entry::from_word)
    }

    /// Stores an entry. Claims about the position that are stored already are kept.
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

/// The first two words of an entry with this key and third word.
#[inline]
fn mixed(key: u128, word: u64) -> [u64; 2] {
    [key as u64 ^ word, (key >> 64) as u64 ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)]
}
