//! The directory of a database's decoded tables: `DIR/<RxC>.tables`, a file a slice.
//!
//! A table's *key* stands for all that its values follow from. So a file with the right key is
//! right for any database, and a file with another key has another name.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::StoreError;
use super::atomic::remove_unfinished;
use super::store::{Lock, Store, lock_or_wait};
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::table::{MappedTable, Table, file_length, write};
use certificate_spec::Digest;
use certificate_spec::database::SliceRecord;
use draughtproof_game::Board;

pub(crate) struct TableFiles {
    directory: PathBuf,
    board: Board,
    keys: HashMap<Slice, Digest>,
}

impl TableFiles {
    /// The table files of the slices with these records, which are in order and complete under
    /// captures.
    pub(crate) fn new<'a>(
        store: &Store,
        records: impl IntoIterator<Item = &'a SliceRecord>,
    ) -> Self {
        let board = store.board().clone();
        let mut files = TableFiles { directory: store.tables(), board, keys: HashMap::new() };
        records.into_iter().for_each(|record| files.add(record));
        files
    }

    /// Adds a slice; the slices that its captures lead to must have been added.
    pub(crate) fn add(&mut self, record: &SliceRecord) {
        let slice = Slice::from(record.name);
        let mut all = record.digest.0.to_vec();
        let captures = Builder::captures(slice);
        captures.iter().filter_map(|after| self.keys.get(after)).for_each(|key| all.extend(key.0));
        self.keys.insert(slice, Digest::of(&all));
    }

    /// Whether a slice was added.
    pub(crate) fn knows(&self, slice: Slice) -> bool {
        self.keys.contains_key(&slice)
    }

    /// The slices with a file of their table, in no order.
    pub(crate) fn there(&self) -> Vec<Slice> {
        let has = |slice: &Slice| self.place(*slice).is_some_and(|(path, _)| path.exists());
        self.keys.keys().copied().filter(has).collect()
    }

    /// The bytes of the file of a slice's table.
    pub(crate) fn length(&self, slice: Slice) -> u64 {
        file_length(slice.indices(&self.board))
    }

    /// The path of a slice's table, and its key.
    fn place(&self, slice: Slice) -> Option<(PathBuf, Digest)> {
        let key = *self.keys.get(&slice)?;
        let short = &key.to_string()[..16];
        Some((self.directory.join(format!("{}.{short}", slice.name().file_name())), key))
    }

    /// Opens the table of a slice, if there is a file of it.
    pub(crate) fn open(&self, slice: Slice) -> Result<Option<Table>, StoreError> {
        let Some((path, key)) = self.place(slice) else { return Ok(None) };
        let indices = slice.indices(&self.board);
        let map = MappedTable::open(&path, key, indices).map_err(StoreError::io(path))?;
        Ok(map.map(|map| Table::mapped(indices, map)))
    }

    /// Writes the table of a slice. Other processes may write an equal table at the same time, and
    /// no process removes tables meanwhile ([`TableFiles::lock`]).
    pub(crate) fn write(&self, slice: Slice, table: &Table) -> Result<(), StoreError> {
        let Some((path, key)) = self.place(slice) else { return Ok(()) };
        let written = write(&path, key, table.indices(), table.groups());
        written.map_err(StoreError::io(path))
    }

    /// Removes the file of a slice's table, if it is still there.
    pub(crate) fn remove(&self, slice: Slice) -> Result<(), StoreError> {
        let Some((path, _)) = self.place(slice) else { return Ok(()) };
        missing_is((), fs::remove_file(&path)).map_err(StoreError::io(path))
    }

    /// Keeps other processes from making tables, as long as the lock is held. If another process
    /// makes tables, calls `wait` and waits until it is done. Removes the files that a killed
    /// process has left unfinished.
    pub(crate) fn lock(&self, wait: impl FnOnce()) -> Result<Lock, StoreError> {
        let path = self.directory.with_extension("tables.lock");
        let io = |source| StoreError::Io { path: path.clone(), source };
        fs::create_dir_all(&self.directory).map_err(io)?;
        let lock = lock_or_wait(&path, wait).map_err(io)?;
        remove_unfinished(&self.directory).map_err(io)?;
        Ok(lock)
    }

    /// Removes all tables (under [`TableFiles::lock`]); returns the freed bytes.
    pub(crate) fn remove_all(&self) -> Result<u64, StoreError> {
        let io = |source| StoreError::Io { path: self.directory.clone(), source };
        let mut bytes = 0;
        for entry in fs::read_dir(&self.directory).map_err(io)? {
            let entry = entry.map_err(io)?;
            bytes += entry.metadata().map_err(io)?.len();
            fs::remove_file(entry.path()).map_err(io)?;
        }
        fs::remove_dir(&self.directory).map_err(io)?;
        Ok(bytes)
    }
}

impl Store {
    /// The bytes of the decoded tables in their directory.
    pub fn table_bytes(&self) -> Result<u64, StoreError> {
        let directory = self.tables();
        let read = || {
            let mut bytes = 0;
            for entry in fs::read_dir(&directory)? {
                // Another process may be making or removing tables.
                bytes += missing_is(0, entry.and_then(|entry| entry.metadata()).map(|m| m.len()))?;
            }
            Ok(bytes)
        };
        missing_is(0, read()).map_err(StoreError::io(&directory))
    }
}

/// The found value, or `otherwise` if the error is that there is no such file.
fn missing_is<T>(otherwise: T, found: io::Result<T>) -> io::Result<T> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(otherwise),
        found => found,
    }
}
