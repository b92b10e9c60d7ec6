//! The places where a session keeps the tables of finished slices.

use std::collections::HashSet;

use crate::index::slice::Slice;

/// The place where a session keeps the tables of finished slices.
pub(super) enum TablePlacement {
    /// All are in memory. A table that had to be dropped is read again from the slice's file.
    Memory,
    /// The tables of these slices are in mapped files, which stay, and the others in memory.
    Mapped(HashSet<Slice>),
    /// The tables that a build needs are in mapped files of at most `spill_budget` bytes together,
    /// as far as there is room for them, and the others in memory.
    Spilled {
        /// The bytes of disk that the files may take.
        spill_budget: u64,
    },
    /// The tables that a build needs are in mapped files, which it shares with processes that build
    /// other slices.
    Shared,
}
