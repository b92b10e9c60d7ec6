//! Why a database could not be built.

use std::path::PathBuf;

use certificate_spec::cover::Cover;
use thiserror::Error;

use crate::disk::store::StoreError;
use crate::size::{rounded_down, rounded_up};

/// Why a database could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// An error of the files.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Some slice needs more memory than may be used.
    #[error(
        "the {board} database with {cover} pieces needs {} of memory, and {} may be used",
        rounded_up(*need), rounded_down(*limit)
    )]
    Memory {
        /// The board.
        board: String,
        /// The cover of the database.
        cover: Cover,
        /// Bytes needed.
        need: u64,
        /// Bytes that may be used.
        limit: u64,
    },
    /// Some slices need more memory than may be used; all others are finished.
    #[error(
        "{left} slices of the {board} database with {pieces} pieces are left out, the others are finished: it needs {} of memory, and {} may be used",
        rounded_up(*need), rounded_down(*limit)
    )]
    LeftOut {
        /// The board.
        board: String,
        /// Pieces of the slices.
        pieces: u8,
        /// The number of slices that are not finished.
        left: usize,
        /// Bytes needed.
        need: u64,
        /// Bytes that may be used.
        limit: u64,
    },
    /// A slice that another one follows from is not there.
    #[error(
        "{path}: expected slice {first}, which slice {slice} follows from, found no such file{more}: build it first, with `prove db --slice {first}`",
        more = if *missing > 1 { format!(", and {} others are missing", missing - 1) } else { String::new() }
    )]
    Needs {
        /// Where the first missing one would be.
        path: PathBuf,
        /// The slice that was to be solved.
        slice: String,
        /// The first missing one.
        first: String,
        /// How many are missing.
        missing: usize,
    },
    /// A finished slice that is not as it was written, and that no MANIFEST lists.
    #[error(
        "{path}: expected a slice as it was written, found other bytes: build it again, with `prove db --slice {slice}`"
    )]
    DamagedSlice {
        /// The file.
        path: PathBuf,
        /// The slice, or its twin: the one that stands for both.
        slice: String,
    },
    /// The disk is too small for tables.
    #[error(
        "{}: the tables to be made take {}, and {} are free", directory.display(),
        rounded_up(*need), rounded_down(*free)
    )]
    TableSpace {
        /// Where they are to be.
        directory: PathBuf,
        /// Bytes that they take.
        need: u64,
        /// Bytes free.
        free: u64,
    },
    /// The disk is too small.
    #[error(
        "the {board} database with {pieces} pieces will take about {}, and {} are free where it is to be written",
        rounded_up(*need), rounded_down(*free)
    )]
    Disk {
        /// The board.
        board: String,
        /// Pieces of the slices.
        pieces: u8,
        /// Bytes expected.
        need: u64,
        /// Bytes free.
        free: u64,
    },
}
