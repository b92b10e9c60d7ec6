//! The errors of building a database.

use std::path::PathBuf;

use certificate_spec::cover::Cover;
use draughtproof_game::Board;
use thiserror::Error;

use crate::disk::error::StoreError;
use crate::numbers::{counted, size_down, size_up};

/// The reason why a database could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A file cannot be read or written, or is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Some slice needs more memory than may be used.
    #[error(
        "the {board} database with {cover} pieces needs {} of memory, and {} may be used",
        size_up(*need), size_down(*limit)
    )]
    Memory {
        /// The name of the board.
        board: String,
        /// The cover of the database.
        cover: Cover,
        /// The bytes that are needed.
        need: u64,
        /// The bytes that may be used.
        limit: u64,
    },
    /// Some slices need more memory than may be used; all others are finished.
    #[error(
        "{} of the {board} database with {pieces} pieces left out, the others are finished: it needs {} of memory, and {} may be used",
        counted(*left, "slice"), size_up(*need), size_down(*limit)
    )]
    LeftOut {
        /// The name of the board.
        board: String,
        /// The number of pieces of these slices.
        pieces: u8,
        /// The number of slices that are not finished.
        left: usize,
        /// The bytes that are needed.
        need: u64,
        /// The bytes that may be used.
        limit: u64,
    },
    /// A slice that another slice follows from is missing.
    #[error(
        "{path}: expected slice {first}, which slice {slice} follows from, found no such file{more}: build it first, with `prove db slice {first}`",
        more = if *missing > 1 { format!(", and {} others are missing", missing - 1) } else { String::new() }
    )]
    Needs {
        /// The path at which the first missing slice is expected.
        path: PathBuf,
        /// The name of the slice that was to be solved.
        slice: String,
        /// The name of the first missing slice.
        first: String,
        /// The number of missing slices.
        missing: usize,
    },
    /// A finished slice is damaged, and no MANIFEST lists it.
    #[error(
        "{path}: expected a slice as it was written, found other bytes: build it again, with `prove db slice {slice}`"
    )]
    DamagedSlice {
        path: PathBuf,
        /// The name of the slice that stands for it and its twin.
        slice: String,
    },
    /// The disk is too small for tables.
    #[error(
        "{}: the tables to be made take {}, and {} are free", directory.display(),
        size_up(*need), size_down(*free)
    )]
    TableSpace {
        /// The directory in which the tables are to be.
        directory: PathBuf,
        /// The bytes that the tables take.
        need: u64,
        /// The bytes that are free.
        free: u64,
    },
    /// The disk is too small for the slices with some number of pieces.
    #[error(
        "the {board} database with {pieces} pieces will take about {}, and {} are free where it is to be written",
        size_up(*need), size_down(*free)
    )]
    Disk {
        /// The name of the board.
        board: String,
        /// The number of pieces of the slices.
        pieces: u8,
        /// The bytes that are expected.
        need: u64,
        /// The bytes that are free.
        free: u64,
    },
}

impl BuildError {
    /// Checks that the `need` bytes of memory for a database are within the `limit`.
    pub fn check_memory(
        board: &Board,
        cover: &Cover,
        need: u64,
        limit: u64,
    ) -> Result<(), BuildError> {
        if need <= limit {
            return Ok(());
        }
        Err(BuildError::Memory { board: board.name(), cover: cover.clone(), need, limit })
    }
}
