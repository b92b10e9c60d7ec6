//! The slices in memory of a database that is built or read, within a bound.
//!
//! A slice that is not in memory when it is needed is read from its file.

use std::collections::HashMap;

use certificate_spec::cover::Cover;
use certificate_spec::database::SliceRecord;
use rayon::prelude::*;

use super::error::BuildError;
use super::placement::TablePlacement;
use super::residency::Residency;
use crate::disk::error::StoreError;
use crate::disk::store::Store;
use crate::disk::table_files::TableFiles;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::files::Files;
use crate::values::table::Table;
use draughtproof_game::Board;

/// A session of building or loading a database: the slices in memory, and the bound on them.
pub struct BuildSession<'a> {
    pub(crate) store: &'a Store,
    pub(crate) board: &'a Board,
    pub(super) builder: Builder,
    pub(crate) cover: Cover,
    pub(crate) resident: Residency,
    /// The records of the slices that the MANIFEST lists.
    pub(super) records: HashMap<Slice, SliceRecord>,
    pub(super) tables: TableFiles,
    pub(super) placement: TablePlacement,
}

impl<'a> BuildSession<'a> {
    /// A session with no slice in memory yet, of a database with a cover. It never takes more than
    /// `memory` bytes.
    ///
    /// # Errors
    /// [`BuildError`]: the MANIFEST cannot be read, or the memory is too small for any slice.
    pub fn new(store: &'a Store, cover: &Cover, memory: u64) -> Result<Self, BuildError> {
        let board = store.board();
        let need = Builder::base_memory(board, cover);
        BuildError::check_memory(board, cover, need, memory)?;
        let (_, records) = store.finished()?;
        let tables = TableFiles::new(store, &records);
        Ok(BuildSession {
            tables,
            placement: TablePlacement::Memory,
            store,
            board,
            builder: Builder::new(board, cover),
            cover: cover.clone(),
            resident: Residency::new(board, cover, memory),
            records: records.into_iter().map(|r| (Slice::from(r.name), r)).collect(),
        })
    }

    pub fn store(&self) -> &Store {
        self.store
    }

    /// Brings slices into memory, with room for `room` bytes of slices that are about to be made.
    pub(super) fn bring(
        &mut self,
        wanted: &[Slice],
        room: u64,
        later: &[Slice],
    ) -> Result<(), BuildError> {
        self.bring_with_progress(wanted, room, later, |_| ())
    }

    /// Like [`BuildSession::bring`]; calls `loaded` with each slice once it is in memory.
    fn bring_with_progress(
        &mut self,
        wanted: &[Slice],
        room: u64,
        later: &[Slice],
        mut loaded: impl FnMut(Slice),
    ) -> Result<(), BuildError> {
        let change = self.resident.bring(wanted, room, later).map_err(|need| {
            let (board, cover) = (self.board.name(), self.cover.clone());
            BuildError::Memory { board, cover, need, limit: self.resident.memory }
        })?;
        change.forget.into_iter().for_each(|slice| self.builder.forget(slice));
        for slice in change.load {
            self.builder.restore(slice, self.store.load_slice(slice, self.records.get(&slice))?);
            if matches!(&self.placement, TablePlacement::Mapped(slices) if slices.contains(&slice))
            {
                self.move_to_file(slice)?;
            }
            loaded(slice);
        }
        Ok(())
    }

    /// Maps the tables of slices as far as there are files of them; with `whole` only tables of
    /// which every page has its checksum. Returns the other slices.
    pub(super) fn open_tables(
        &mut self,
        slices: &[Slice],
        whole: bool,
    ) -> Result<Vec<Slice>, BuildError> {
        let open = |&slice: &Slice| {
            let table = self.tables.open(slice)?;
            Ok::<_, StoreError>(table.filter(|table| !whole || table.is_right()))
        };
        let opened = slices.par_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let mut missing = Vec::new();
        for (&slice, table) in slices.iter().zip(opened) {
            match table {
                Some(table) => self.put_mapped(slice, table),
                None => {
                    self.builder.forget(slice);
                    self.resident.unmap(slice);
                    missing.push(slice);
                }
            }
        }
        Ok(missing)
    }

    /// Writes the table of a slice to a file, and maps that instead of keeping the table in memory.
    pub(super) fn move_to_file(&mut self, slice: Slice) -> Result<(), BuildError> {
        self.tables.write(slice, self.builder.table(slice))?;
        // Where files cannot be used in their byte order, none is opened, and the table stays in
        // memory.
        if let Some(table) = self.tables.open(slice)? {
            self.put_mapped(slice, table);
        }
        Ok(())
    }

    /// Uses a mapped table for a slice.
    pub(super) fn put_mapped(&mut self, slice: Slice, table: Table) {
        self.builder.put(slice, table);
        self.resident.map(slice);
    }

    /// Lets the file of a table be found, by the finished slice that the MANIFEST does not list.
    pub(super) fn add_table(&mut self, slice: Slice) -> Result<(), BuildError> {
        self.tables.add(&self.store.record(slice)?);
        Ok(())
    }

    /// Returns the slices of a pair whose files are missing or damaged; `None` if the MANIFEST does
    /// not list the pair.
    pub(crate) fn lost_of_listed(&self, pair: &[Slice]) -> Result<Option<Vec<Slice>>, BuildError> {
        let records = pair.iter().map(|s| self.records.get(s)).collect::<Option<Vec<_>>>();
        Ok(records.map(|records| self.store.lost(records)).transpose()?)
    }

    /// The slices of the cover that the MANIFEST does not list.
    pub(crate) fn unlisted(&self) -> impl Iterator<Item = Slice> {
        let all = Slice::all(self.board, &self.cover).into_iter();
        all.filter(|slice| !self.records.contains_key(slice))
    }

    /// Loads all slices of the session's cover. `progress` is called with the number of indices of
    /// each slice that has been loaded.
    pub fn load_all(mut self, mut progress: impl FnMut(u64)) -> Result<crate::Values, BuildError> {
        let (board, all) = (self.board, Slice::all(self.board, &self.cover));
        self.bring_with_progress(&all, 0, &[], |slice| progress(slice.indices(board)))?;
        Ok(self.builder.finish())
    }

    /// The database of this session: values of mapped slices from their tables, those of other
    /// slices through a cache of `cache` bytes.
    pub fn into_values(self, cache: u64) -> crate::Values {
        let files = Files::new(self.store.clone(), &self.cover, cache);
        self.builder.finish().with_files(files)
    }
}
