//! Sources of tables for a part of a check: none, a folder that shards share, or a journal.

use crate::journal::Journal;
use crate::tables::TableFolder;
use certificate_spec::Digest;
use checker_core::{Table, TableDigests, TableSource, TableView};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

impl TableSource for TableFolder {
    fn has_tables(&self) -> bool {
        true
    }
    fn read(&self, slice_file: Digest, table: &Table) -> Option<Digest> {
        TableFolder::read(self, slice_file, table)
    }
    fn write(&self, slice_file: Digest, table: TableView<'_>, digest: Digest) -> io::Result<()> {
        TableFolder::write(self, slice_file, table, digest)
    }
}

/// A journal as a source: slices that it has recorded count as verified.
pub(crate) struct Journaled<'a> {
    path: &'a Path,
    /// The part of the work that the journal is about, besides database and level: a shard, or
    /// empty.
    part: String,
    journal: Mutex<Option<Journal>>,
}

impl<'a> Journaled<'a> {
    pub(crate) fn new(path: &'a Path, part: impl ToString) -> Self {
        Journaled { path, part: part.to_string(), journal: Mutex::new(None) }
    }
}

impl TableSource for Journaled<'_> {
    fn begin(&self, about: &str) -> Result<TableDigests, String> {
        let about =
            if self.part.is_empty() { about.into() } else { format!("{about} {}", self.part) };
        let (journal, digests) = Journal::open(self.path, &about)?;
        *self.journal.lock().unwrap_or_else(PoisonError::into_inner) = Some(journal);
        Ok(digests)
    }
    fn is_journal(&self) -> bool {
        true
    }
    fn record(&self, digests: &TableDigests) -> Result<(), String> {
        match &mut *self.journal.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(journal) => journal.add(digests),
            None => Err("the journal was not begun".into()),
        }
    }
}
