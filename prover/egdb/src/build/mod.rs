//! Builds a whole database within bounds on memory and disk: the order in which slices are solved,
//! the choice of slices in memory, and forecasts for larger databases.

pub(crate) mod extend;
pub(crate) mod forecast;
pub(crate) mod residency;
pub(crate) mod session;
pub(crate) mod spill;

use std::path::PathBuf;

use crate::disk::StoreError;
use crate::numbers::{counted, size_down, size_up};
use certificate_spec::cover::Cover;
use draughtproof_game::Board;
use thiserror::Error;

/// The reason why a database could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "the {board} database with {cover} pieces needs {} of memory, and {} may be used",
        size_up(*need), size_down(*limit)
    )]
    Memory { board: String, cover: Cover, need: u64, limit: u64 },
    #[error(
        "{} of the {board} database with {pieces} pieces left out, the others are finished: it needs {} of memory, and {} may be used",
        counted(*left, "slice"), size_up(*need), size_down(*limit)
    )]
    LeftOut { board: String, pieces: u8, left: usize, need: u64, limit: u64 },
    #[error(
        "{path}: expected slice {first}, which slice {slice} follows from, found no such file{more}: build it first, with `prove db slice {first}`",
        more = if *missing > 1 { format!(", and {} others are missing", missing - 1) } else { String::new() }
    )]
    Needs { path: PathBuf, slice: String, first: String, missing: usize },
    #[error(
        "{path}: expected a slice as it was written, found other bytes: build it again, with `prove db slice {slice}`"
    )]
    DamagedSlice { path: PathBuf, slice: String },
    #[error(
        "{}: the tables to be made take {}, and {} are free", directory.display(),
        size_up(*need), size_down(*free)
    )]
    TableSpace { directory: PathBuf, need: u64, free: u64 },
    #[error(
        "the {board} database with {pieces} pieces will take about {}, and {} are free where it is to be written",
        size_up(*need), size_down(*free)
    )]
    Disk { board: String, pieces: u8, need: u64, free: u64 },
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
