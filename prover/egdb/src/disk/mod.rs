//! Databases on disk: `DIR/<RxC>/MANIFEST` and a file a slice (`SPEC.md` §8.3 and §8.4).
//!
//! Files are written atomically. Slices that the MANIFEST does not list yet are kept in
//! `DIR/<RxC>.building`; when all slices with a number of pieces are there, they are moved beside
//! the others and a new MANIFEST lists them. So whenever the program is killed, the slices that the
//! MANIFEST lists are complete, and no finished slice is lost. Depths, decoded tables and figures
//! of the build are beside the database and no part of it.

pub mod atomic;
pub(crate) mod open_files;
pub(crate) mod slice_files;
pub(crate) mod store;
pub(crate) mod table_files;

use std::io;
use std::path::{Path, PathBuf};

use certificate_spec::WireError;
use certificate_spec::cover::Cover;
use thiserror::Error;

/// The way to mend a file: without its MANIFEST a database is lost, and a slice is built alone.
fn remedy(path: &Path, directory: &Path) -> String {
    match path.file_name() {
        Some(name) if name == "MANIFEST" => {
            format!("remove {} to build the database again", directory.display())
        }
        _ => "`prove db` with this database's --game, --pieces and --db builds this file again"
            .into(),
    }
}

#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: no database here (build it with `prove db`)")]
    Missing { path: PathBuf },
    #[error("{path}: {source}; {}", remedy(path, directory))]
    Wire { path: PathBuf, source: WireError, directory: PathBuf },
    #[error("{path}: expected {expected}, found {found}; {}", remedy(path, directory))]
    Mismatch { path: PathBuf, expected: String, found: String, directory: PathBuf },
    #[error(
        "{path}: expected {expected}, found {found}; remove it and write it again with `prove db --depth`"
    )]
    Depth { path: PathBuf, expected: String, found: String },
    #[error("{path}: expected to be the only builder, found that another process holds this lock")]
    Locked { path: PathBuf },
    #[error(
        "{path}: expected a database with {wanted} pieces, found one with {there} (extend it with `prove db --game {board} --pieces {wanted} --db {}`)", databases.display()
    )]
    TooSmall { path: PathBuf, board: String, databases: PathBuf, wanted: Cover, there: Cover },
}

impl StoreError {
    /// Adds the path of a file to an error of the system.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Io { path: path.into(), source }
    }
}
