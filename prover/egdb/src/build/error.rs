//! Why a database could not be built.

use std::path::PathBuf;

use certificate_spec::cover::Cover;
use thiserror::Error;

use crate::disk::store::StoreError;

/// Why a database could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// An error of the files.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Some slice needs more memory than may be used.
    #[error(
        "the {board} database with {cover} pieces needs {} MiB of memory, and {} MiB may be used: take fewer --pieces or more --memory, or begin --partly",
        need.div_ceil(1 << 20), limit >> 20
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
        "{left} slices of the {board} database with {pieces} pieces are left out, the others are finished: it needs {} MiB of memory, and {} MiB may be used: run it again with more --memory",
        need.div_ceil(1 << 20), limit >> 20
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
    /// The disk is too small for tables.
    #[error(
        "{}: the tables to be made take {} MiB, and {} MiB are free: use a smaller --map-space, or --values cached", directory.display(),
        need.div_ceil(1 << 20), free >> 20
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
        "the {board} database with {pieces} pieces will take about {} MiB, and {} MiB are free where it is to be written",
        need.div_ceil(1 << 20), free >> 20
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
