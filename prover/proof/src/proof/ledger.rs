//! The ledger: results of earlier searches, of a run that was interrupted, of another threshold or
//! of another opening.
//!
//! The key is the whole item, so a result is used for an equal search and for no other. What the
//! manager does is a function of the results, so a run that finds some of them here does what it
//! would have done without, only faster. The store guarantees that a write is whole, but does not
//! detect a bit that changes later. Therefore each result has a checksum of its item and itself,
//! and a result whose checksum does not fit is ignored.

use std::io::ErrorKind;
use std::panic::{UnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::queue::search_digest;
use crate::egdb::atomic::{free_space, is_about_space, parent};
use crate::search::Checkpoint;
use crate::wire;
use certificate_spec::Digest;
use redb::backends::InMemoryBackend;
use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition, TableError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

const RESULTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("ledger 1");
/// The bytes of a checksum.
const SUM: usize = 8;
/// The longest time before new results are written to disk.
const WRITE_AFTER: Duration = Duration::from_secs(1);
/// Time to wait for a file that is in use: a process that was killed may still be ending, and a
/// child of this process holds its files until it executes another program.
const RELEASE: Duration = Duration::from_millis(500);

/// Returns the remedy for an error of the store. An error of writing does not damage what is there.
fn advice(error: &redb::Error) -> &'static str {
    match error {
        redb::Error::PreviousIo => "start the same command again: what is found is kept",
        _ => {
            "if this is no file of results, name another with --results; if it is damaged, remove \
             it: it only saves time"
        }
    }
}

/// The space below which a disk counts as full where the store does not say why it fails.
const LITTLE: u64 = 1 << 20;

/// Whether an error of the store is one of a full disk. After the first error of a file the store
/// only says that there was one.
fn is_of_space(directory: &Path, error: &redb::Error) -> bool {
    match error {
        redb::Error::Io(error) => is_about_space(error),
        redb::Error::PreviousIo => free_space(directory).is_ok_and(|free| free < LITTLE),
        _ => false,
    }
}

#[derive(Debug, Error)]
pub enum LedgerError {
    /// Another process has it open.
    #[error(
        "{path}: another process is using it; wait for that one, or name another file with --results"
    )]
    InUse { path: PathBuf },
    /// The disk is full.
    #[error(
        "{path}: no space left on {}: make room there, or name another file with --results, and \
         start the same command again: what is found is kept", directory.display()
    )]
    Full { path: PathBuf, directory: PathBuf },
    /// The store cannot be read or written.
    #[error("{path}: {source}; {}", advice(source))]
    Store {
        path: PathBuf,
        /// The error of the store.
        source: Box<redb::Error>,
    },
    /// The content of the file is damaged.
    #[error(
        "{path}: damaged; remove it and run this again (it only saves time), or name another file with --results"
    )]
    Damaged { path: PathBuf },
    /// The operating system reports an error.
    #[error("{path}: {source}; --results names another file")]
    Io {
        /// The path of the directory or file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

/// The number of digits of an item's digest in the name of its checkpoint file.
const ID: usize = 16;

/// A file of results, or results in memory.
pub struct Ledger {
    path: PathBuf,
    /// Whether the results are in the file `path`, and not in memory.
    is_file: bool,
    database: Database,
    fresh: Mutex<Fresh>,
}

#[derive(Serialize, Deserialize)]
struct StoredResult {
    /// A checksum of the item and the result.
    sum: [u8; SUM],
    result: Vec<u8>,
}

/// A result and the item that it belongs to, as bytes.
pub struct Record {
    /// The encoded item.
    pub item: Vec<u8>,
    /// The encoded result of the item.
    pub result: Vec<u8>,
    /// Whether the search is over, so that its checkpoint is no longer needed.
    pub is_over: bool,
}

/// The checkpoint of a search under way, which is kept beside a ledger.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptSearch {
    /// The path of the checkpoint's file.
    pub path: PathBuf,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// Results that are not written yet.
struct Fresh {
    results: Vec<Record>,
    /// The time of the last write.
    written: Instant,
}

impl Default for Fresh {
    fn default() -> Self {
        Fresh { results: Vec::new(), written: Instant::now() }
    }
}

impl Ledger {
    /// Opens a file, or makes it, and reads all of its content: the store panics at a file whose
    /// structure is damaged, and a panic here is better than one in the middle of a proof.
    ///
    /// # Errors
    /// [`LedgerError`], such as when another process has it open.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)
                .map_err(|source| LedgerError::Io { path: directory.into(), source })?;
        }
        let database = open_database(path)?;
        Ok(Ledger { path: path.into(), is_file: true, database, fresh: Mutex::default() })
    }

    /// A ledger in memory, whose results are lost when it is dropped.
    ///
    /// # Errors
    /// [`LedgerError`]
    pub fn in_memory() -> Result<Self, LedgerError> {
        let path = PathBuf::from("memory");
        let made = Database::builder().create_with_backend(InMemoryBackend::new());
        let database = made.map_err(|e| store_error(&path, e))?;
        Ok(Ledger { path, is_file: false, database, fresh: Mutex::default() })
    }

    /// The stored results of some items, each `None` if there is none or its checksum does not fit.
    ///
    /// # Errors
    /// [`LedgerError`]
    pub fn get(&self, items: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, LedgerError> {
        let failed = |e: redb::Error| store_error(&self.path, e);
        let read = self.database.begin_read().map_err(|e| failed(e.into()))?;
        let table = match read.open_table(RESULTS) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(vec![None; items.len()]),
            table => table.map_err(|e| failed(e.into()))?,
        };
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            let found = table.get(item.as_slice()).map_err(|e| failed(e.into()))?;
            results.push(found.and_then(|bytes| {
                let StoredResult { sum, result } = wire::decode(bytes.value())?;
                (sum == sum_of(item, &result)).then_some(result)
            }));
        }
        Ok(results)
    }

    /// The items that have a result on disk, in order of their bytes.
    ///
    /// # Errors
    /// [`LedgerError`]
    pub fn items(&self) -> Result<Vec<Vec<u8>>, LedgerError> {
        let failed = |e: redb::Error| store_error(&self.path, e);
        let read = self.database.begin_read().map_err(|e| failed(e.into()))?;
        let table = match read.open_table(RESULTS) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
            table => table.map_err(|e| failed(e.into()))?,
        };
        let mut items = Vec::new();
        for entry in table.iter().map_err(|e| failed(e.into()))? {
            let (item, _) = entry.map_err(|e| failed(e.into()))?;
            items.push(item.value().to_vec());
        }
        Ok(items)
    }

    /// The path of the checkpoint of an item's search; `None` if the results are in memory. Its
    /// name has the first digits of the digest of the search, whatever its budget
    /// ([`search_digest`]).
    pub(super) fn checkpoint(&self, item: &[u8]) -> Option<PathBuf> {
        let mut name = self.is_file.then(|| self.path.clone().into_os_string())?;
        name.push(format!(".{}", &search_digest(item).to_string()[..ID]));
        Some(name.into())
    }

    /// The checkpoints beside the file, in order of their names. Those that are left when a proof
    /// is done belong to another start, budget, table or version, or to a question that the answer
    /// to the other question has settled.
    pub fn searches_kept(&self) -> Vec<KeptSearch> {
        if self.is_file { searches_beside(&self.path) } else { Vec::new() }
    }

    /// Adds a result. It is safe on disk after the next [`Ledger::write`].
    pub fn put(&self, record: Record) {
        self.fresh().results.push(record);
    }

    /// Writes the added results if the last write was at least a second ago; returns whether it
    /// did.
    ///
    /// # Errors
    /// [`LedgerError`]
    pub(super) fn write_if_due(&self) -> Result<bool, LedgerError> {
        self.write_after(WRITE_AFTER)
    }

    /// Writes the added results.
    ///
    /// # Errors
    /// [`LedgerError`]
    pub fn write(&self) -> Result<(), LedgerError> {
        self.write_after(Duration::ZERO).map(|_| ())
    }

    fn fresh(&self) -> MutexGuard<'_, Fresh> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the added results if the last write was at least `time` ago; returns whether it did.
    fn write_after(&self, time: Duration) -> Result<bool, LedgerError> {
        let mut fresh = self.fresh();
        if fresh.written.elapsed() < time {
            return Ok(false);
        }
        if !fresh.results.is_empty() {
            self.try_write(&fresh.results).map_err(|e| store_error(&self.path, e))?;
            // The checkpoints of searches that have a result now are no longer needed.
            for Record { item, is_over, .. } in fresh.results.drain(..) {
                if let Some(file) = self.checkpoint(&item).filter(|_| is_over) {
                    Checkpoint::remove(&file);
                }
            }
        }
        fresh.written = Instant::now();
        Ok(true)
    }

    fn try_write(&self, results: &[Record]) -> Result<(), redb::Error> {
        let write = self.database.begin_write()?;
        {
            let mut table = write.open_table(RESULTS)?;
            for Record { item, result, .. } in results {
                let stored = StoredResult { sum: sum_of(item, result), result: result.clone() };
                table.insert(item.as_slice(), wire::encode(&stored).as_slice())?;
            }
        }
        write.commit()?;
        Ok(())
    }
}

fn open_database(path: &Path) -> Result<Database, LedgerError> {
    let deadline = Instant::now() + RELEASE;
    loop {
        let opened = quietly(|| {
            let mut database = Database::create(path)?;
            database.check_integrity()?;
            Ok(database)
        });
        return match opened {
            None => Err(LedgerError::Damaged { path: path.into() }),
            Some(Err(DatabaseError::DatabaseAlreadyOpen)) if Instant::now() < deadline => {
                std::thread::sleep(RELEASE / 20);
                continue;
            }
            Some(Err(DatabaseError::DatabaseAlreadyOpen)) => {
                Err(LedgerError::InUse { path: path.into() })
            }
            Some(opened) => opened.map_err(|e| store_error(path, e)),
        };
    }
}

/// The checkpoints beside a file of results, in order of their names.
fn searches_beside(path: &Path) -> Vec<KeptSearch> {
    let Some(name) = path.file_name() else { return Vec::new() };
    let directory = parent(path);
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let id = file
            .to_str()
            .zip(name.to_str())
            .and_then(|(file, name)| file.strip_prefix(name)?.strip_prefix('.'));
        if id.is_some_and(|id| id.len() == ID && id.bytes().all(|b| b.is_ascii_hexdigit()))
            && let Ok(metadata) = entry.metadata()
        {
            all.push(KeptSearch { path: entry.path(), bytes: metadata.len() });
        }
    }
    all.sort();
    all
}

/// Calls a function; `None` if it panics, without a message on standard error.
fn quietly<T>(f: impl FnOnce() -> T + UnwindSafe) -> Option<T> {
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let result = catch_unwind(f);
    set_hook(hook);
    result.ok()
}

fn sum_of(item: &[u8], result: &[u8]) -> [u8; SUM] {
    let digest = Digest::of(&[item, result].concat());
    std::array::from_fn(|i| digest.0[i])
}

/// Whether an error of the operating system says that what is in a file cannot be right.
fn is_damage(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::UnexpectedEof | ErrorKind::InvalidData)
}

fn store_error(path: &Path, source: impl Into<redb::Error>) -> LedgerError {
    let (path, source) = (PathBuf::from(path), source.into());
    let directory = parent(&path).to_path_buf();
    if is_of_space(&directory, &source) {
        return LedgerError::Full { path, directory };
    }
    match source {
        redb::Error::Io(e) if is_damage(e.kind()) => LedgerError::Damaged { path },
        redb::Error::Io(source) => LedgerError::Io { path, source },
        source => LedgerError::Store { path, source: Box::new(source) },
    }
}

#[cfg(test)]
mod tests {
    use redb::ReadableTable;

    use super::{Ledger, RESULTS, Record, store_error};

    #[test]
    fn nothing_is_to_be_removed_when_the_disk_is_full() {
        let said = |source: redb::Error| store_error("6x6.results".as_ref(), source).to_string();
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        for error in [redb::Error::Io(full), redb::Error::PreviousIo] {
            let said = said(error);
            assert!(!said.contains("remove") && said.contains("start the same"), "{said}");
        }
        assert!(said(redb::Error::Corrupted("bits".into())).contains("remove"));
    }

    #[test]
    fn changed_results_are_ignored() {
        let ledger = Ledger::in_memory().expect("memory");
        let items: Vec<Vec<u8>> = (0..4).map(|i| vec![i; 10]).collect();
        items.iter().for_each(|item| {
            ledger.put(Record { item: item.clone(), result: vec![7; 5], is_over: true })
        });
        ledger.write().expect("memory");
        let want = Some(vec![7; 5]);
        assert_eq!(ledger.get(&items).expect("memory"), vec![want.clone(); 4]);
        // One record has a changed bit in its checksum, one in its result, and one belongs to
        // another item.
        let write = ledger.database.begin_write().expect("memory");
        {
            let mut table = write.open_table(RESULTS).expect("memory");
            let [mut sum, mut result, other] = [0, 1, 3].map(|i| {
                let item: &[u8] = &items[i];
                table.get(item).expect("memory").expect("a result").value().to_vec()
            });
            sum[0] ^= 1;
            result[12] ^= 128;
            for (item, stored) in items.iter().zip([sum, result, other]) {
                table.insert(item.as_slice(), stored.as_slice()).expect("memory");
            }
        }
        write.commit().expect("memory");
        assert_eq!(ledger.get(&items).expect("memory"), [None, None, None, want]);
    }
}
