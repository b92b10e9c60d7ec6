//! The set of slices in memory: a bound on their bytes, and the choice of slices to drop at it.
//!
//! The order of work is known, so the slice that is not needed for longest is dropped first (L. A.
//! Belady, "A study of replacement algorithms for a virtual-storage computer", 1966). This file has
//! only the book-keeping, which serves both the builder and forecasts of how much a builder reads
//! again.

use std::collections::HashSet;

use certificate_spec::cover::Cover;

use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use draughtproof_game::Board;

/// The slices in memory.
pub(crate) struct Residency {
    board: Board,
    /// The bytes that are taken independently of the slices in memory.
    base: u64,
    /// The bytes that may be taken.
    pub(crate) memory: u64,
    slices: HashSet<Slice>,
    /// The slices in mapped files, which take no bytes here and are never dropped.
    mapped: HashSet<Slice>,
}

/// The steps by which slices are brought into memory.
pub(crate) struct Change {
    /// The slices to drop first.
    pub(crate) forget: Vec<Slice>,
    /// The slices to load then, in this order.
    pub(crate) load: Vec<Slice>,
}

impl Residency {
    /// An empty residency for a database with a cover.
    pub(crate) fn new(board: &Board, cover: &Cover, memory: u64) -> Self {
        let base = Builder::base_memory(board, cover);
        Residency {
            board: board.clone(),
            base,
            memory,
            slices: HashSet::new(),
            mapped: HashSet::new(),
        }
    }

    /// Adds slices that were made in memory.
    pub(crate) fn add(&mut self, slices: &[Slice]) {
        self.slices.extend(slices);
    }

    /// Records that a slice is in a mapped file.
    pub(crate) fn map(&mut self, slice: Slice) {
        self.slices.remove(&slice);
        self.mapped.insert(slice);
    }

    pub(crate) fn is_mapped(&self, slice: Slice) -> bool {
        self.mapped.contains(&slice)
    }

    /// Records that a slice is no longer in memory.
    pub(crate) fn remove(&mut self, slice: Slice) {
        self.slices.remove(&slice);
    }

    /// Records that a slice is not mapped after all.
    pub(crate) fn unmap(&mut self, slice: Slice) {
        self.mapped.remove(&slice);
    }

    /// Whether a slice is in memory or mapped.
    pub(crate) fn has(&self, slice: Slice) -> bool {
        self.slices.contains(&slice) || self.mapped.contains(&slice)
    }

    fn bytes<'a>(&self, slices: impl IntoIterator<Item = &'a Slice>) -> u64 {
        slices.into_iter().map(|&s| Builder::table_memory(&self.board, s)).sum()
    }

    /// The slices that must be loaded so that `wanted` are in memory, in order: those of them that
    /// are missing, and those that their captures lead to.
    pub(crate) fn missing(&self, wanted: &[Slice]) -> Vec<Slice> {
        let mut found: HashSet<Slice> = HashSet::new();
        let mut todo: Vec<Slice> = wanted.to_vec();
        while let Some(slice) = todo.pop() {
            if !self.has(slice) && found.insert(slice) {
                todo.extend(Builder::captures(slice));
            }
        }
        let mut found: Vec<Slice> = found.into_iter().collect();
        found.sort_by_key(|s| s.name().order());
        found
    }

    /// The least bytes that are needed to hold slices, with room for `room` bytes more.
    pub(crate) fn least(&self, wanted: &[Slice], room: u64) -> u64 {
        let load = self.missing(wanted);
        let decoding = load.iter().map(|&s| Builder::work(&self.board, s)).max().unwrap_or(0);
        self.base + self.bytes(&load) + room.max(decoding)
    }

    /// Brings slices into memory and makes room for `room` bytes more. Other slices are dropped as
    /// far as necessary, first those that occur last or not at all in `later`, the slices needed
    /// afterwards.
    ///
    /// # Errors
    /// The bytes that are needed, if they are more than may be taken.
    pub(crate) fn bring(
        &mut self,
        wanted: &[Slice],
        room: u64,
        later: &[Slice],
    ) -> Result<Change, u64> {
        let load = self.missing(wanted);
        let decoding = load.iter().map(|&s| Builder::work(&self.board, s)).max().unwrap_or(0);
        let extra = self.base + self.bytes(&load) + room.max(decoding);
        // The slices that loading looks at must stay, too.
        let mut pinned: HashSet<Slice> = wanted.iter().copied().collect();
        pinned.extend(load.iter().flat_map(|&s| Builder::captures(s)));
        let mut others: Vec<Slice> = self.slices.difference(&pinned).copied().collect();
        let next_use = |s: &Slice| later.iter().position(|l| l == s).unwrap_or(usize::MAX);
        others.sort_by_cached_key(|s| (next_use(s), s.name().order()));
        let mut there = self.bytes(&self.slices);
        let mut forget = Vec::new();
        while extra + there > self.memory {
            let victim = others.pop().ok_or(extra + there)?;
            there -= self.bytes([&victim]);
            forget.push(victim);
        }
        forget.iter().for_each(|victim| {
            self.slices.remove(victim);
        });
        self.slices.extend(&load);
        Ok(Change { forget, load })
    }
}

/// The slices that are needed after each of some pairs, in order.
pub(crate) struct Later {
    needs: Vec<Slice>,
    /// The end of the needs of each pair.
    ends: std::vec::IntoIter<usize>,
    at: usize,
}

impl Later {
    pub(crate) fn new(pairs: &[Slice]) -> Self {
        let mut needs = Vec::new();
        let mut ends = Vec::new();
        for &pair in pairs {
            needs.extend(Builder::needs(pair));
            ends.push(needs.len());
        }
        Later { needs, ends: ends.into_iter(), at: 0 }
    }

    /// Goes on to the next pair.
    pub(crate) fn next(&mut self) {
        self.at = self.ends.next().unwrap_or(self.needs.len());
    }

    /// The slices that are needed after the current pair, the next first.
    pub(crate) fn needs(&self) -> &[Slice] {
        &self.needs[self.at..]
    }
}
