//! Exchanges databases with other machines and programs: directories with checksums and sizes, and
//! values of other programs.

mod compare;
mod export;
mod import;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::disk::store::StoreError;

pub use compare::{Compared, Difference, compare_values};
pub use export::{Exported, export};
pub use import::import;

/// The file that lists all others with their SHA-256, in the format of `sha256sum -c`; sizes are in
/// lines that begin with `#`.
pub const SUMS: &str = "SHA256SUMS";

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
        /// The path of the file.
        path: PathBuf,
        /// The entry in the list.
        expected: String,
        /// The properties of the file.
        found: String,
    },
    /// A line of a file does not have the required form.
    #[error("{path}, line {line}: expected {expected}, found {found:?}")]
    Line {
        /// The path of the file.
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
    fn io(path: &Path) -> impl Fn(io::Error) -> ExchangeError {
        move |source| ExchangeError::Io { path: path.into(), source }
    }
}

/// Copies a file, of which no more than `most` bytes are read; returns its length and SHA-256.
fn copy(from: &Path, to: &Path, most: u64) -> Result<(u64, String), ExchangeError> {
    let mut source = File::open(from).map_err(ExchangeError::io(from))?.take(most);
    let mut target = File::create(to).map_err(ExchangeError::io(to))?;
    let (mut hasher, mut length, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        let read = source.read(&mut buffer).map_err(ExchangeError::io(from))?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        target.write_all(&buffer[..read]).map_err(ExchangeError::io(to))?;
        length += read as u64;
    }
    target.sync_all().map_err(ExchangeError::io(to))?;
    Ok((length, hex(&hasher.finalize())))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
