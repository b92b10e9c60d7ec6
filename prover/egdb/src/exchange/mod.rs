//! Exchanges databases with other machines and programs: directories with checksums and sizes, and
//! values of other programs.

mod compare;
mod export;

pub use compare::{Compared, Difference, compare_values};
pub use export::{Exported, export, import};

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::StoreError;
use thiserror::Error;

/// The reason why a database was not exported, imported or compared.
#[derive(Debug, Error)]
pub enum ExchangeError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{path}: expected no directory or an empty one; name another, or remove it")]
    NotEmpty { path: PathBuf },
    #[error("{path}: a database is here already; remove it or name another --db to import one")]
    AlreadyHere { path: PathBuf },
    #[error("{path}: expected {expected}, found {found}; copy it again")]
    Mismatch { path: PathBuf, expected: String, found: String },
    #[error("{path}, line {line}: expected {expected}, found {found:?}")]
    Line { path: PathBuf, line: usize, expected: String, found: String },
}

impl ExchangeError {
    fn io(path: &Path) -> impl Fn(io::Error) -> ExchangeError {
        move |source| ExchangeError::Io { path: path.into(), source }
    }
}
