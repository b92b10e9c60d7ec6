//! Results that were found before: by a run that was interrupted, for another threshold or opening.
//!
//! The key is the whole item, so a result is used for that very search and for no other. What the
//! manager does is a function of the results; so a run that finds some of them here does what it would
//! have done without, only faster.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redb::backends::InMemoryBackend;
use redb::{Database, DatabaseError, ReadableDatabase, TableDefinition, TableError};
use thiserror::Error;

const RESULTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("results 1");
/// Results are written after so long at the latest.
const WRITE_AFTER: Duration = Duration::from_secs(1);

/// What can go wrong with the store.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// Somebody else has it.
    #[error(
        "{path}: another process is using it; wait for that one, or name another file with --results"
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read or written.
    #[error(
        "{path}: {source}; if this is no file of results, name another with --results; if it is damaged, remove it: it only saves time"
    )]
    Store {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<redb::Error>,
    },
    /// Its directory cannot be made.
    #[error("{path}: {source}")]
    Io {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// A file of results.
pub struct Results {
    path: PathBuf,
    database: Database,
    /// Not written yet.
    fresh: Vec<(Vec<u8>, Vec<u8>)>,
    written: Instant,
}

impl Results {
    /// Opens a file, or makes it.
    ///
    /// # Errors
    /// [`ResultsError`], such as when another process has it open.
    pub fn open(path: &Path) -> Result<Self, ResultsError> {
        if let Some(directory) = path.parent() {
            let io = |source| ResultsError::Io { path: directory.into(), source };
            std::fs::create_dir_all(directory).map_err(io)?;
        }
        let database = Database::create(path).map_err(|e| match e {
            DatabaseError::DatabaseAlreadyOpen => ResultsError::InUse { path: path.into() },
            e => store_error(path, e),
        })?;
        let written = Instant::now();
        Ok(Results { path: path.into(), database, fresh: Vec::new(), written })
    }

    /// Results that are kept no longer than this is.
    ///
    /// # Errors
    /// [`ResultsError`]
    pub fn in_memory() -> Result<Self, ResultsError> {
        let path = PathBuf::from("memory");
        let made = Database::builder().create_with_backend(InMemoryBackend::new());
        let database = made.map_err(|e| store_error(&path, e))?;
        Ok(Results { path, database, fresh: Vec::new(), written: Instant::now() })
    }

    /// The results of some items, as far as they are there.
    ///
    /// # Errors
    /// [`ResultsError`]
    pub fn get(&self, items: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, ResultsError> {
        let failed = |e: redb::Error| store_error(&self.path, e);
        let read = self.database.begin_read().map_err(|e| failed(e.into()))?;
        let table = match read.open_table(RESULTS) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(vec![None; items.len()]),
            table => table.map_err(|e| failed(e.into()))?,
        };
        let get = |item: &Vec<u8>| {
            let found = table.get(item.as_slice()).map_err(|e| failed(e.into()))?;
            Ok(found.map(|bytes| bytes.value().to_vec()))
        };
        items.iter().map(get).collect()
    }

    /// Adds a result. It is safe after the next [`Results::write`].
    pub fn put(&mut self, item: Vec<u8>, result: Vec<u8>) {
        self.fresh.push((item, result));
    }

    /// Writes what was added, if that is due.
    ///
    /// # Errors
    /// [`ResultsError`]
    pub fn write_if_due(&mut self) -> Result<(), ResultsError> {
        if self.written.elapsed() < WRITE_AFTER { Ok(()) } else { self.write() }
    }

    /// Writes what was added.
    ///
    /// # Errors
    /// [`ResultsError`]
    pub fn write(&mut self) -> Result<(), ResultsError> {
        if !self.fresh.is_empty() {
            self.try_write().map_err(|e| store_error(&self.path, e))?;
            self.fresh.clear();
        }
        self.written = Instant::now();
        Ok(())
    }

    fn try_write(&self) -> Result<(), redb::Error> {
        let write = self.database.begin_write()?;
        {
            let mut table = write.open_table(RESULTS)?;
            for (item, result) in &self.fresh {
                table.insert(item.as_slice(), result.as_slice())?;
            }
        }
        write.commit()?;
        Ok(())
    }
}

fn store_error(path: &Path, source: impl Into<redb::Error>) -> ResultsError {
    ResultsError::Store { path: path.into(), source: Box::new(source.into()) }
}
