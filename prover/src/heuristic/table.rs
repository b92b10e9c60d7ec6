//! The transposition table: what the search found of positions that it met before.
//!
//! An entry belongs to a position by its whole key, never by a hash of it. The table of each search
//! begins empty, so that a search depends on nothing that was searched before: entries carry the
//! number of their search, and those of another one count as absent.

use super::bound::Claims;
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
    key: u128,
    search: u16,
    /// Wins and losses count from the position, not from the root of the search.
    pub(super) score: i16,
    pub(super) depth: u8,
    pub(super) kind: Kind,
    pub(super) claims: Claims,
    /// The best move, by its number in the order of generation.
    pub(super) best: u8,
}

/// Two entries in a cache line: the first gives way only to deeper ones, the second to any.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Pair([Entry; 2]);

/// Positions and what is remembered of them.
pub(super) struct Table {
    pairs: Vec<Pair>,
    /// Those in use, a power of two less one.
    mask: u64,
    search: u16,
}

impl Table {
    /// The least and the largest number of pairs.
    const LEAST: u64 = 1 << 10;
    const MOST: u64 = 1 << 19;

    pub(super) fn new() -> Self {
        Table { pairs: Vec::new(), mask: 0, search: 0 }
    }

    /// An empty table for a search of so many nodes. (A small one stays in the processor's cache.)
    pub(super) fn begin(&mut self, nodes: u64) {
        const ABSENT: Entry = Entry {
            key: 0,
            search: 0,
            score: 0,
            depth: 0,
            kind: Kind::Exact,
            claims: Claims::NONE,
            best: 0,
        };
        let pairs = nodes.clamp(Self::LEAST, Self::MOST).next_power_of_two();
        if self.search == u16::MAX {
            self.pairs.clear();
            self.search = 0;
        }
        self.search += 1;
        self.mask = pairs - 1;
        if self.pairs.len() < pairs as usize {
            self.pairs = Vec::with_capacity(pairs as usize);
            ask_for_large_pages(self.pairs.spare_capacity_mut());
            self.pairs.resize(pairs as usize, Pair([ABSENT; 2]));
        }
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

    /// What is remembered of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u128) -> Option<Entry> {
        let Pair(entries) = &self.pairs[self.place(key)];
        entries.iter().find(|e| e.key == key && e.search == self.search).copied()
    }

    /// Remembers a position. Claims that are remembered of it already stay.
    pub(super) fn put(
        &mut self,
        key: u128,
        score: i16,
        depth: u8,
        kind: Kind,
        claims: Claims,
        best: u8,
    ) {
        let search = self.search;
        let place = self.place(key);
        let Pair(entries) = &mut self.pairs[place];
        let mut entry = Entry { key, search, score, depth, kind, claims, best };
        let same = entries.iter().position(|e| e.key == key && e.search == search);
        let at = match same {
            Some(at) => {
                entry.claims = entry.claims.and(entries[at].claims);
                at
            }
            None if entries[0].search != search || depth >= entries[0].depth => {
                entries[1] = entries[0];
                0
            }
            None => 1,
        };
        entries[at] = entry;
    }
}
