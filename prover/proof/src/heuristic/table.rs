//! The transposition table: the results of searches of positions that may be met again.
//!
//! Threads share it without a lock: an entry is three words, of which the first two are the
//! position's key mixed with the third, so that words of two entries do not go together (Hyatt and
//! Mann, "A Lock-less Transposition-Table Implementation for Parallel Search", 2002). An entry
//! belongs to a position by its whole key, never by a hash of it.
//!
//! Entries carry the number of their search. A table that is not kept ignores those of other
//! searches, so that the result of a search does not depend on earlier searches. A table that is
//! kept ignores those of searches before it was last cleared.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};

use super::score::{Claims, claims_allow};
use crate::egdb::{OutOfMemory, ask_for_large_pages, zeroed_words};

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

/// The words of a cache line, which has a pair of entries and two words that are not used. The
/// first entry is replaced only by deeper entries and by those of later searches, the second by
/// any.
const LINE: usize = 8;

/// A table of entries by position.
#[derive(Default)]
pub(super) struct Table {
    /// The operating system zeroes a page when it is first touched, so no search waits until a
    /// large table is cleared.
    words: Vec<AtomicU64>,
    /// The index of the first word that begins a cache line.
    begin: usize,
    /// The mask of the pairs in use: their number, a power of two, less one.
    mask: u64,
    search: u16,
    /// The first search whose entries count.
    oldest: u16,
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
        Table { oldest: 1, ..Table::default() }
    }

    /// A table of at most `bytes` bytes that is kept from one search to the next; a smaller one if
    /// there is less memory.
    pub(super) fn kept(bytes: u64) -> Self {
        let most = (bytes / size_of::<[u64; LINE]>() as u64).max(Self::LEAST);
        let mut table = Table { is_kept: true, ..Table::new() };
        let mut wanted = 1 << most.ilog2();
        while let Err(lack) = table.resize(wanted) {
            table.lack = table.lack.or(Some(lack));
            wanted = (wanted / 2).max(1);
        }
        table
    }

    /// Touches all memory of a new table, in large pages. These make a long search faster, but one
    /// may take 40 ms, and the first thousands of nodes touch all of them.
    pub(super) fn prepare(&self) {
        const STEP: usize = 4096 / size_of::<AtomicU64>();
        if self.search > 0 {
            return;
        }
        ask_for_large_pages(&self.words);
        for word in self.words.iter().step_by(STEP) {
            // Reading would take no memory.
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Makes all entries of earlier searches count no more.
    pub(super) fn clear(&mut self) {
        self.oldest = self.search.saturating_add(1);
    }

    /// Replaces the table by an empty one.
    fn resize(&mut self, pairs: u64) -> Result<(), OutOfMemory> {
        // The memory of the old table is free before there is a new one.
        self.words = Vec::new();
        self.words = zeroed_words((pairs as usize + 1) * LINE)?;
        self.begin = self.words.as_ptr().align_offset(size_of::<[u64; LINE]>());
        self.mask = pairs - 1;
        (self.search, self.oldest) = (0, 1);
        Ok(())
    }

    /// Prepares the table for a search of `nodes` nodes. (A small table stays in the processor's
    /// cache.)
    pub(super) fn begin(&mut self, nodes: u64) {
        if !self.is_kept {
            let pairs = nodes.clamp(Self::LEAST, Self::MOST).next_power_of_two();
            self.mask = pairs - 1;
        }
        let is_small = self.words.len() <= (self.mask as usize + 1) * LINE;
        if is_small || self.search == u16::MAX {
            self.resize(self.mask + 1).unwrap_or_else(|lack| resume_unwind(Box::new(lack)));
        }
        self.search += 1;
        if !self.is_kept {
            self.oldest = self.search;
        }
    }

    /// The index of the first word in the place of a key.
    #[inline]
    fn place(&self, key: u128) -> usize {
        let low = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (low ^ low >> 32 ^ (key >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
        self.begin + (mixed >> 32 & self.mask) as usize * LINE
    }

    /// The two entries in the place of a key.
    #[inline]
    fn entries(&self, key: u128) -> &[Words] {
        let place = self.place(key);
        self.words[place..place + 6].as_chunks().0
    }

    /// Prefetches the entries of a key that will soon be looked up. Without this, a search spends a
    /// quarter of its time waiting for them.
    #[inline]
    pub(super) fn expect(&self, key: u128) {
        #[cfg(target_arch = "x86_64")]
        if let Some(pair) = self.words.get(self.place(key)) {
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
        let counts = search_of(word) >= self.oldest;
        (low == want_low && high == want_high && counts).then_some(word)
    }

    /// The entry of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u128) -> Option<Entry> {
        self.entries(key).iter().find_map(|words| self.word_of(words, key)).map(Entry::from_word)
    }

    /// Stores an entry. Claims about the position that are stored already are kept.
    pub(super) fn put(&self, key: u128, mut entry: Entry) {
        let entries = self.entries(key);
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
                    for (to, from) in entries[1].iter().zip(&entries[0]) {
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
