//! The ledger: results that were found before, by a run that was interrupted, for another threshold
//! or opening.
//!
//! The key is the whole item, so a result is used for that very search and for no other. What the
//! manager does is a function of the results; so a run that finds some of them here does what it
//! would have done without, only faster. Each has a sum of its item and itself, as the store sees
//! to it that a write is whole and not that no bit changes later: one that does not fit is none.

use std::fs::DirEntry;
use std::panic::{UnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use certificate_spec::Digest;
use redb::backends::InMemoryBackend;
use redb::{
    Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition, TableError,
    TableHandle,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::search::Checkpoint;
use crate::wire;

const RESULTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("ledger 1");
/// What the tables of earlier versions are called.
const OLD_TABLES: &str = "results";
/// Bytes of a sum.
const SUM: usize = 8;
/// Results are written after so long at the latest.
const WRITE_AFTER: Duration = Duration::from_secs(1);
/// A file that is in use is waited for so long: a process that was killed may still be ending, and
/// one that this process starts has its files until it is another program.
const RELEASE: Duration = Duration::from_millis(500);

/// What can go wrong with a ledger.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// Another process has it open.
    #[error(
        "{path}: another process is using it; wait for that one, or name another file with --results"
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The store cannot be read or written.
    #[error(
        "{path}: {source}; if this is no file of results, name another with --results; if it is damaged, remove it: it only saves time"
    )]
    Store {
        /// The file.
        path: PathBuf,
        /// The error of the store.
        source: Box<redb::Error>,
    },
    /// The file is not as it was written.
    #[error(
        "{path}: damaged; remove it and run this again (it only saves time), or name another file with --results"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Its directory cannot be made, or a file of an earlier version cannot be renamed.
    #[error("{path}: {source}")]
    Io {
        /// The directory or file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

/// Digits of an item's digest in the name of the file that keeps its search.
const ID: usize = 16;

/// A file of results.
pub struct Ledger {
    path: PathBuf,
    /// Whether the results are in a file of that name, and not in memory.
    is_file: bool,
    database: Database,
    fresh: Mutex<Fresh>,
    /// Where a file of an earlier version has gone that was in its place.
    set_aside: Option<PathBuf>,
}

/// A result as the store has it.
#[derive(Serialize, Deserialize)]
struct StoredResult {
    /// A sum of the item and the result.
    sum: [u8; SUM],
    result: Vec<u8>,
}

/// A result and the item that it belongs to, as bytes.
pub struct Record {
    /// The item.
    pub item: Vec<u8>,
    /// Its result.
    pub result: Vec<u8>,
}

/// A search that is kept beside a ledger while it is under way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptSearch {
    /// Its file.
    pub path: PathBuf,
    /// The bytes of the file.
    pub bytes: u64,
}

/// Results that are not written yet.
struct Fresh {
    results: Vec<Record>,
    /// When some were written last.
    written: Instant,
}

impl Default for Fresh {
    fn default() -> Self {
        Fresh { results: Vec::new(), written: Instant::now() }
    }
}

impl Ledger {
    /// Opens a file, or makes it, and goes over all that is in it: the store panics at a file whose
    /// structure is damaged, and had better do so here than in the middle of a proof. A file of an
    /// earlier version is renamed, and so are the searches that are kept beside it.
    ///
    /// # Errors
    /// [`LedgerError`], such as when another process has it open.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        if let Some(directory) = path.parent() {
            let io = |source| LedgerError::Io { path: directory.into(), source };
            std::fs::create_dir_all(directory).map_err(io)?;
        }
        let mut database = open_database(path)?;
        let mut set_aside = None;
        if is_old(&database).map_err(|e| store_error(path, e))? {
            drop(database);
            set_aside = Some(rename_old(path)?);
            database = open_database(path)?;
        }
        Ok(Ledger {
            path: path.into(),
            is_file: true,
            database,
            fresh: Mutex::default(),
            set_aside,
        })
    }

    /// Results that are kept no longer than this is.
    ///
    /// # Errors
    /// [`LedgerError`]
    pub fn in_memory() -> Result<Self, LedgerError> {
        let path = PathBuf::from("memory");
        let made = Database::builder().create_with_backend(InMemoryBackend::new());
        let database = made.map_err(|e| store_error(&path, e))?;
        let (fresh, set_aside) = (Mutex::default(), None);
        Ok(Ledger { path, is_file: false, database, fresh, set_aside })
    }

    /// Where a file of an earlier version has gone that was in the place of this one.
    pub fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// The results of some items, as far as they are there.
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
        let get = |item: &Vec<u8>| {
            let found = table.get(item.as_slice()).map_err(|e| failed(e.into()))?;
            Ok(found.and_then(|bytes| {
                let StoredResult { sum, result } = wire::decode(bytes.value())?;
                (sum == sum_of(item, &result)).then_some(result)
            }))
        };
        items.iter().map(get).collect()
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
        let all = table.iter().map_err(|e| failed(e.into()))?;
        let item = |entry: Result<(redb::AccessGuard<'_, &[u8]>, _), redb::StorageError>| {
            let (item, _) = entry.map_err(|e| failed(e.into()))?;
            Ok(item.value().to_vec())
        };
        all.map(item).collect()
    }

    /// Where searches are kept while they are under way: nowhere, if these results are in memory.
    pub(super) fn checkpoints(&self) -> Option<Checkpoints> {
        self.is_file.then(|| Checkpoints(self.path.clone()))
    }

    /// The searches that are kept beside the file, in order of their names. Those that are left
    /// when a proof is done are of another start, budget, table or version, or of a question that
    /// the other one has answered.
    pub fn searches_kept(&self) -> Vec<KeptSearch> {
        if self.is_file { searches_beside(&self.path) } else { Vec::new() }
    }

    /// Adds a result. It is safe after the next [`Ledger::write`].
    pub fn put(&self, record: Record) {
        self.fresh().results.push(record);
    }

    /// Writes what was added, if that is due; says whether it was.
    ///
    /// # Errors
    /// [`LedgerError`]
    pub fn write_if_due(&self) -> Result<bool, LedgerError> {
        self.write_after(WRITE_AFTER)
    }

    /// Writes what was added.
    ///
    /// # Errors
    /// [`LedgerError`]
    pub fn write(&self) -> Result<(), LedgerError> {
        self.write_after(Duration::ZERO).map(|_| ())
    }

    fn fresh(&self) -> MutexGuard<'_, Fresh> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what was added, if the last time was so long ago.
    fn write_after(&self, time: Duration) -> Result<bool, LedgerError> {
        let mut fresh = self.fresh();
        if fresh.written.elapsed() < time {
            return Ok(false);
        }
        if !fresh.results.is_empty() {
            self.try_write(&fresh.results).map_err(|e| store_error(&self.path, e))?;
            // The kept searches that led to them are no longer needed.
            for Record { item, .. } in fresh.results.drain(..).filter(|_| self.is_file) {
                Checkpoint::remove(&Checkpoints(self.path.clone()).file(&item));
            }
        }
        fresh.written = Instant::now();
        Ok(true)
    }

    fn try_write(&self, results: &[Record]) -> Result<(), redb::Error> {
        let write = self.database.begin_write()?;
        {
            let mut table = write.open_table(RESULTS)?;
            for Record { item, result } in results {
                let stored = StoredResult { sum: sum_of(item, result), result: result.clone() };
                table.insert(item.as_slice(), wire::encode(&stored).as_slice())?;
            }
        }
        write.commit()?;
        Ok(())
    }
}

/// Files beside those of results, one for each search under way.
pub(super) struct Checkpoints(PathBuf);

impl Checkpoints {
    /// The file of an item: that of the results, and the beginning of the item's digest.
    pub(super) fn file(&self, item: &[u8]) -> PathBuf {
        let mut name = self.0.clone().into_os_string();
        name.push(format!(".{}", &Digest::of(item).to_string()[..ID]));
        name.into()
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

/// Whether a file has results of an earlier version.
fn is_old(database: &Database) -> Result<bool, redb::Error> {
    let read = database.begin_read()?;
    Ok(read.list_tables()?.any(|table| table.name().starts_with(OLD_TABLES)))
}

/// Renames a file of an earlier version and the searches that are kept beside it; returns its new
/// path.
fn rename_old(path: &Path) -> Result<PathBuf, LedgerError> {
    let numbered = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(if n == 0 { ".old".into() } else { format!(".old{n}") });
        PathBuf::from(name)
    };
    let rename = |from: &Path, to: &Path| {
        let io = |source| LedgerError::Io { path: from.into(), source };
        std::fs::rename(from, to).map_err(io)
    };
    let aside = (0..).map(numbered).find(|path| !path.exists()).unwrap_or_else(|| numbered(0));
    for kept in searches_beside(path) {
        let id = kept.path.extension().unwrap_or_default();
        let mut name = aside.as_os_str().to_owned();
        name.push(".");
        name.push(id);
        rename(&kept.path, Path::new(&name))?;
    }
    rename(path, &aside)?;
    Ok(aside)
}

/// The searches that are kept beside a file of results, in order of their names.
fn searches_beside(path: &Path) -> Vec<KeptSearch> {
    let Some(name) = path.file_name() else { return Vec::new() };
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let kept = |entry: DirEntry| {
        let file = entry.file_name().into_string().ok()?;
        let id = file.strip_prefix(name.to_str()?)?.strip_prefix('.')?;
        let is_id = id.len() == ID && id.bytes().all(|b| b.is_ascii_hexdigit());
        let bytes = entry.metadata().ok()?.len();
        is_id.then(|| KeptSearch { path: entry.path(), bytes })
    };
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut all: Vec<_> = entries.filter_map(kept).collect();
    all.sort();
    all
}

/// What a function returns, or nothing, without a word on standard error, if it panics.
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

fn store_error(path: &Path, source: impl Into<redb::Error>) -> LedgerError {
    LedgerError::Store { path: path.into(), source: Box::new(source.into()) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use redb::{Database, ReadableTable, TableDefinition};

    use super::{Ledger, RESULTS, Record};

    #[test]
    fn a_result_that_has_changed_is_none() {
        let ledger = Ledger::in_memory().expect("memory");
        let items: Vec<Vec<u8>> = (0..4).map(|i| vec![i; 10]).collect();
        items.iter().for_each(|item| ledger.put(Record { item: item.clone(), result: vec![7; 5] }));
        ledger.write().expect("memory");
        let want = Some(vec![7; 5]);
        assert_eq!(ledger.get(&items).expect("memory"), vec![want.clone(); 4]);
        // A bit of the sum, one of the result; one that belongs to another item.
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

    #[test]
    fn a_file_of_an_earlier_version_is_set_aside() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("6x6.results");
        let beside = |name: &str| directory.path().join(name);
        for aside in ["6x6.results.old", "6x6.results.old1"] {
            {
                let database = Database::create(&path).expect("a file");
                let old: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("results 2");
                let write = database.begin_write().expect("a file");
                let item: &[u8] = &[1];
                write.open_table(old).expect("a file").insert(item, item).expect("a file");
                write.commit().expect("a file");
            }
            fs::write(beside("6x6.results.0123456789abcdef"), "a kept search").expect("a file");
            let ledger = Ledger::open(&path).expect("a file");
            assert_eq!(ledger.set_aside(), Some(beside(aside).as_path()));
            assert_eq!(ledger.get(&[vec![1]]).expect("a file"), [None]);
            assert!(beside(aside).exists() && ledger.searches_kept().is_empty());
            assert!(beside(&format!("{aside}.0123456789abcdef")).exists());
            drop(ledger);
            // A file of this version stays where it is.
            let again = Ledger::open(&path).expect("a file");
            again.put(Record { item: vec![1], result: vec![2] });
            again.write().expect("a file");
            assert_eq!(again.set_aside(), None);
            drop(again);
            assert_eq!(Ledger::open(&path).expect("a file").set_aside(), None);
            fs::remove_file(&path).expect("a file");
        }
    }
}
