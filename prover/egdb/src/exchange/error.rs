//! The errors of exchanging databases.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::disk::error::StoreError;

/// The reason why a database was not exported, imported or compared.
#[derive(Debug, Error)]
pub enum ExchangeError {
    /// The operating system reports an error.
    #[error("{path}: {source}")]
    Io {
        /// The path of the file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The directory to write has something in it.
    #[error("{path}: expected no directory or an empty one; name another, or remove it")]
    NotEmpty {
        /// The path of the directory.
        path: PathBuf,
    },
    /// There is a database already.
    #[error("{path}: a database is here already; remove it or name another --db to import one")]
    AlreadyHere {
        /// The path of its directory.
        path: PathBuf,
    },
    /// A file differs from its entry in the list.
    #[error("{path}: expected {expected}, found {found}; copy it again")]
    Mismatch {
        path: PathBuf,
        /// The entry in the list.
        expected: String,
        /// The properties of the file.
        found: String,
    },
    /// A line of a file does not have the required form.
    #[error("{path}, line {line}: expected {expected}, found {found:?}")]
    Line {
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The form that was expected.
        expected: String,
        /// The text that was found.
        found: String,
    },
}

impl ExchangeError {
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> ExchangeError {
        move |source| ExchangeError::Io { path: path.into(), source }
    }
}
