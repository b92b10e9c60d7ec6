//! The errors of the files of a database.

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

/// An error of the files of a database.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The operating system reports an error.
    #[error("{path}: {source}")]
    Io {
        /// The path of the file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// There is no database of this board.
    #[error("{path}: no database here (build it with `prove db`)")]
    Missing {
        /// The path at which its MANIFEST is expected.
        path: PathBuf,
    },
    /// The bytes of a file do not have the required format.
    #[error("{path}: {source}; {}", remedy(path, directory))]
    Wire {
        path: PathBuf,
        /// The fault, with its offset.
        source: WireError,
        /// The directory of the database.
        directory: PathBuf,
    },
    /// A file belongs to another database or is damaged.
    #[error("{path}: expected {expected}, found {found}; {}", remedy(path, directory))]
    Mismatch {
        path: PathBuf,
        /// The expected content.
        expected: String,
        /// The found content.
        found: String,
        /// The directory of the database.
        directory: PathBuf,
    },
    /// A file of depths belongs to other values or is damaged.
    #[error(
        "{path}: expected {expected}, found {found}; remove it and write it again with `prove db --depth`"
    )]
    Depth {
        path: PathBuf,
        /// The expected content.
        expected: String,
        /// The found content.
        found: String,
    },
    /// Another process is building this database.
    #[error("{path}: expected to be the only builder, found that another process holds this lock")]
    Locked {
        /// The path of the lock file.
        path: PathBuf,
    },
    /// The database does not cover the requested positions.
    #[error(
        "{path}: expected a database with {wanted} pieces, found one with {there} (extend it with `prove db --game {board} --pieces {wanted} --db {}`)", databases.display()
    )]
    TooSmall {
        /// The path of the MANIFEST.
        path: PathBuf,
        /// The name of the board.
        board: String,
        /// The directory of the databases.
        databases: PathBuf,
        /// The requested cover.
        wanted: Cover,
        /// The cover that the database has.
        there: Cover,
    },
}
