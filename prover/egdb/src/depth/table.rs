//! Tables of depths in memory.

use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use crate::index::slice::Slice;

/// The number that stands for no depth.
const NONE: u16 = u16::MAX;

/// The depths of a slice or of one of its blocks, in plies. Depths beyond 65534 count as 65534.
///
/// The depths are atomic, so that several threads can write blocks into one table. If a place is
/// written twice, both writes have an equal number.
pub(crate) struct DepthTable {
    pub(crate) slice: Slice,
    /// The first index of the table.
    first: u64,
    depths: Vec<AtomicU16>,
}

impl DepthTable {
    /// A table without depths, of `indices` indices from `first` on.
    pub(super) fn new(slice: Slice, first: u64, indices: u64) -> Self {
        let depths = (0..indices).map(|_| AtomicU16::new(NONE)).collect();
        DepthTable { slice, first, depths }
    }

    /// Whether the table has a place for an index of a slice.
    pub(super) fn has(&self, slice: Slice, index: u64) -> bool {
        let place = index.checked_sub(self.first);
        slice == self.slice && place.is_some_and(|place| place < self.depths.len() as u64)
    }

    fn place(&self, index: u64) -> &AtomicU16 {
        &self.depths[(index - self.first) as usize]
    }

    /// The depth at an index, if it is a win or a loss and was found.
    pub(super) fn get(&self, index: u64) -> Option<u16> {
        let depth = self.place(index).load(Ordering::Relaxed);
        (depth != NONE).then_some(depth)
    }

    /// The longest depth of all positions, including those with a capture; 0 if there are none.
    pub(super) fn longest(&self) -> u16 {
        let depths = self.depths.par_iter().map(|depth| depth.load(Ordering::Relaxed));
        depths.filter(|&depth| depth != NONE).max().unwrap_or(0)
    }

    pub(super) fn set(&self, index: u64, depth: u16) {
        self.place(index).store(depth.min(NONE - 1), Ordering::Relaxed);
    }

    /// Notes the depth of all places from `first` on that have a win or loss bit and no depth yet.
    pub(super) fn note(
        &self,
        first: u64,
        depth: u16,
        (win, loss): (&[u64], &[u64]),
        seen: &mut [u64],
    ) {
        for (i, seen) in seen.iter_mut().enumerate() {
            let mut new = (win[i] | loss[i]) & !*seen;
            *seen |= new;
            while new != 0 {
                self.set(first + 64 * i as u64 + u64::from(new.trailing_zeros()), depth);
                new &= new - 1;
            }
        }
    }
}
