//! The slices in memory of a database that is built or read, within a bound.
//!
//! A slice that is not in memory when it is needed is read from its file.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::Instant;

use certificate_spec::cover::Cover;
use certificate_spec::database::SliceRecord;
use rayon::prelude::*;

use super::error::BuildError;
use super::placement::TablePlacement;
use super::residency::Residency;
use crate::depth;
use crate::disk::figures::Figures;
use crate::disk::mapped::file_length;
use crate::disk::store::{Store, StoreError};
use crate::disk::table_files::TableFiles;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::files::{Files, count_quiet};
use crate::values::stats::{Counts, placements};
use crate::values::table::Table;
use draughtproof_game::Board;

/// A session of building or loading a database: the slices in memory, and the bound on them.
pub struct BuildSession<'a> {
    pub(crate) store: &'a Store,
    pub(crate) board: &'a Board,
    builder: Builder,
    pub(crate) cover: Cover,
    pub(crate) resident: Residency,
    /// The records of the slices that the MANIFEST lists.
    records: HashMap<Slice, SliceRecord>,
    tables: TableFiles,
    placement: TablePlacement,
}

/// An event of making tables.
#[derive(Debug, Clone, Copy)]
pub enum Making {
    /// Another process makes tables, and this one waits until that is finished.
    Wait,
    /// Tables are about to be made.
    Begin {
        /// The number of slices.
        slices: usize,
        /// The number of their indices.
        indices: u64,
        /// The bytes of the tables' files.
        bytes: u64,
    },
    /// The table of a slice with this number of indices is made.
    Done(u64),
    /// All tables are made.
    End,
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

    /// Checks that the memory suffices to build a database, before anything of it is built.
    ///
    /// # Errors
    /// [`BuildError::Memory`]
    pub fn check_memory(board: &Board, cover: &Cover, limit: u64) -> Result<(), BuildError> {
        BuildError::check_memory(board, cover, Self::least_memory(board, cover), limit)
    }

    /// The least memory with which a database can be built.
    pub fn least_memory(board: &Board, cover: &Cover) -> u64 {
        let slices = Slice::all(board, cover).into_iter();
        slices.map(|slice| Self::memory_of(board, cover, slice)).max().unwrap_or(0)
    }

    /// The least memory with which all of a database can be loaded.
    pub fn loading_memory(board: &Board, cover: &Cover) -> u64 {
        Residency::new(board, cover, 0).least(&Slice::all(board, cover), 0)
    }

    /// The least memory with which a slice and its twin can be solved.
    pub(crate) fn memory_of(board: &Board, cover: &Cover, slice: Slice) -> u64 {
        let empty = Residency::new(board, cover, 0);
        empty.least(&Builder::needs(slice), room_to_solve(board, slice))
    }

    /// Like [`BuildSession::memory_of`], but with the needed tables in files: one of these at a
    /// time is made in memory.
    fn memory_with_files(board: &Board, cover: &Cover, slice: Slice) -> u64 {
        let make = |need| Builder::table_memory(board, need) + Builder::work(board, need);
        let most = Builder::needs(slice).into_iter().map(make).max().unwrap_or(0);
        Builder::base_memory(board, cover) + most.max(room_to_solve(board, slice))
    }

    /// The least memory with which this session can build a database.
    pub(crate) fn least_memory_here(&self, cover: &Cover) -> u64 {
        let slices = Slice::all(self.board, cover).into_iter();
        slices.map(|slice| self.memory_here(cover, slice)).max().unwrap_or(0)
    }

    /// The least memory with which this session can solve a slice of a cover and its twin.
    fn memory_here(&self, cover: &Cover, slice: Slice) -> u64 {
        match self.placement {
            TablePlacement::Spilled { .. } => Self::memory_with_files(self.board, cover, slice),
            _ => Self::memory_of(self.board, cover, slice),
        }
    }

    /// The least memory with which a database can be built with [`BuildSession::spill_tables`].
    pub fn least_memory_with_files(board: &Board, cover: &Cover) -> u64 {
        let slices = Slice::all(board, cover).into_iter();
        slices.map(|slice| Self::memory_with_files(board, cover, slice)).max().unwrap_or(0)
    }

    /// Splits pairs with an equal number of pieces, in order, into those for which the memory
    /// suffices, and those for which it does not or that need such a one.
    pub(crate) fn split_by_memory(&self, pairs: Vec<Slice>) -> (Vec<Slice>, Vec<Slice>) {
        let (limit, mut left_out) = (self.resident.memory, HashSet::new());
        pairs.into_iter().partition(|&slice| {
            let fits = self.memory_here(&self.cover, slice) <= limit
                && !Builder::needs(slice).iter().any(|need| left_out.contains(need));
            if !fits {
                left_out.extend(slice.with_twin());
            }
            fits
        })
    }

    /// Brings slices into memory, with room for `room` bytes of slices that are about to be made.
    fn bring(&mut self, wanted: &[Slice], room: u64, later: &[Slice]) -> Result<(), BuildError> {
        self.bring_with_progress(wanted, room, later, |_| ())
    }

    /// Brings finished slices into memory.
    pub(crate) fn load(&mut self, slices: &[Slice]) -> Result<(), BuildError> {
        self.bring(slices, 0, &[])
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

    /// Uses the tables of slices that are in files, and makes none.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn use_tables(&mut self) -> Result<(), BuildError> {
        let mut slices = Slice::all(self.board, &self.cover);
        slices.retain(|slice| self.records.contains_key(slice));
        self.open_tables(&slices, false)?;
        Ok(())
    }

    /// Keeps the tables of slices in mapped files instead of in memory: of the slices of the cover
    /// that the store has, the first in order that take at most `space` bytes together. Makes the
    /// tables that are missing. Tables that are there are used without reading all of them.
    ///
    /// # Errors
    /// [`BuildError`]: among others when the disk has less space than needed; finished tables stay.
    pub fn map(&mut self, space: u64, mut progress: impl FnMut(Making)) -> Result<(), BuildError> {
        let mut all = Slice::all(self.board, &self.cover);
        all.retain(|slice| self.records.contains_key(slice));
        let chosen = first_tables(self.board, all, space);
        self.placement = TablePlacement::Mapped(chosen.iter().copied().collect());
        if self.open_tables(&chosen, false)?.is_empty() {
            return Ok(());
        }
        let _lock = self.tables.lock(|| progress(Making::Wait))?;
        // Another process may have made some tables meanwhile. New tables follow from those that
        // are there, so all pages of these are checked.
        let missing = self.open_tables(&chosen, true)?;
        let indices = missing.iter().map(|slice| slice.indices(self.board)).sum();
        let bytes = missing.iter().map(|&slice| self.tables.length(slice)).sum();
        let free = self.store.free_space()?;
        if bytes > free {
            let directory = self.store.tables();
            return Err(BuildError::TableSpace { directory, need: bytes, free });
        }
        progress(Making::Begin { slices: missing.len(), indices, bytes });
        for slice in missing {
            self.bring(&[slice], 0, &[])?;
            progress(Making::Done(slice.indices(self.board)));
        }
        progress(Making::End);
        Ok(())
    }

    /// The bytes of the tables that [`BuildSession::map`] makes within `space` bytes of disk.
    pub fn table_bytes(board: &Board, cover: &Cover, space: u64) -> u64 {
        let chosen = first_tables(board, Slice::all(board, cover), space);
        chosen.iter().map(|slice| file_length(slice.indices(board))).sum()
    }

    /// The least memory with which the depths of a cover can be found.
    pub fn least_depth_memory(board: &Board, cover: &Cover) -> u64 {
        let empty = Residency::new(board, cover, 0);
        let least = |slice| empty.least(&depth_needs(slice), depth::memory(board, slice));
        Slice::all(board, cover).into_iter().map(least).max().unwrap_or(0)
    }

    /// Maps the tables of slices as far as there are files of them; with `whole` only tables of
    /// which every page has its checksum. Returns the other slices.
    fn open_tables(&mut self, slices: &[Slice], whole: bool) -> Result<Vec<Slice>, BuildError> {
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
    fn move_to_file(&mut self, slice: Slice) -> Result<(), BuildError> {
        self.tables.write(slice, self.builder.table(slice))?;
        // Where files cannot be used in their byte order, none is opened, and the table stays in
        // memory.
        if let Some(table) = self.tables.open(slice)? {
            self.put_mapped(slice, table);
        }
        Ok(())
    }

    /// Uses a mapped table for a slice.
    fn put_mapped(&mut self, slice: Slice, table: Table) {
        self.builder.put(slice, table);
        self.resident.map(slice);
    }

    /// Lets the file of a table be found, by the finished slice that the MANIFEST does not list.
    fn add_table(&mut self, slice: Slice) -> Result<(), BuildError> {
        self.tables.add(&self.store.record(slice)?);
        Ok(())
    }

    /// The store.
    pub fn store(&self) -> &Store {
        self.store
    }

    /// Makes a build keep the finished slices that it needs in mapped files, within `spill_budget`
    /// bytes of disk, instead of in memory. A table for which no space is left replaces those that
    /// are needed again last; a table that finds no space stays in memory.
    ///
    /// # Errors
    /// [`BuildError`]: among others when files of finished slices cannot be read.
    pub fn spill_tables(
        &mut self,
        spill_budget: u64,
        wait: impl FnOnce(),
    ) -> Result<fs::File, BuildError> {
        self.placement = TablePlacement::Spilled { spill_budget };
        // Slices that an earlier run has finished are not in the MANIFEST yet.
        for slice in Slice::all(self.board, &self.cover) {
            if !self.records.contains_key(&slice) && self.store.has_slice(slice) {
                self.add_table(slice)?;
            }
        }
        Ok(self.tables.lock(wait)?)
    }

    /// Brings the table of a finished slice into a mapped file, if it is not in memory.
    fn bring_to_file(
        &mut self,
        slice: Slice,
        needs: &[Slice],
        later: &[Slice],
    ) -> Result<(), BuildError> {
        if self.resident.has(slice) {
            return Ok(());
        }
        if let Some(table) = self.tables.open(slice)?.filter(Table::is_right) {
            self.put_mapped(slice, table);
            return Ok(());
        }
        // Captures lead to fewer pieces, so this recursion ends.
        for capture in Builder::captures(slice) {
            self.bring_to_file(capture, needs, later)?;
        }
        self.bring(&[slice], 0, later)?;
        self.move_to_file_within(slice, needs, later)
    }

    /// Moves a table to a file, if there is room for it.
    fn move_to_file_within(
        &mut self,
        slice: Slice,
        needs: &[Slice],
        later: &[Slice],
    ) -> Result<(), BuildError> {
        let TablePlacement::Spilled { spill_budget } = self.placement else { return Ok(()) };
        let length = self.tables.length(slice);
        let mut used: u64 = self.resident.mapped().map(|s| self.tables.length(s)).sum();
        while used + length > spill_budget {
            let next_use = |s: &Slice| later.iter().position(|l| l == s).unwrap_or(usize::MAX);
            let others = self.resident.mapped().filter(|other| !needs.contains(other));
            let Some(other) = others.max_by_key(|s| (next_use(s), s.name().order())) else {
                return Ok(());
            };
            self.tables.remove(other)?;
            self.builder.forget(other);
            self.resident.unmap(other);
            used -= self.tables.length(other);
        }
        self.move_to_file(slice)
    }

    /// Removes the files of all tables; returns the freed bytes.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn remove_tables(&self, wait: impl FnOnce()) -> Result<u64, BuildError> {
        let _lock = self.tables.lock(wait)?;
        Ok(self.tables.remove_all()?)
    }

    /// The database of this session: values of mapped slices from their tables, those of other
    /// slices through a cache of `cache` bytes.
    pub fn into_values(self, cache: u64) -> crate::Values {
        let files = Files::new(self.store.clone(), &self.cover, cache);
        self.builder.finish().with_files(files)
    }

    /// Counts the values of a finished slice.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn count(&mut self, slice: Slice) -> Result<Counts, BuildError> {
        self.bring(&[slice], 0, &[])?;
        let (win, loss) = self.builder.table(slice).count();
        Ok(Counts { positions: placements(self.board, slice), win, loss })
    }

    /// Counts the values of a finished slice that need not be in memory itself: those of quiet
    /// positions from its file, part by part, and the others by playing their captures. Takes
    /// longer than [`BuildSession::count`] where many slices are counted.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn count_by_parts(&mut self, slice: Slice) -> Result<Counts, BuildError> {
        if self.resident.has(slice) {
            return self.count(slice);
        }
        self.bring(&Builder::captures(slice), Builder::count_memory(self.board, slice), &[])?;
        let Some([win, loss]) = count_quiet(self.store, slice)? else { return self.count(slice) };
        let [captures_win, captures_lose] = self.builder.count_captures(slice);
        let positions = placements(self.board, slice);
        Ok(Counts { positions, win: win + captures_win, loss: loss + captures_lose })
    }

    /// Takes the tables that a build needs from files, as far as other processes have left them
    /// there, and leaves the tables there that it solves: reading a slice again takes much of the
    /// time of solving one.
    ///
    /// # Errors
    /// [`BuildError`]: the folder cannot be made.
    pub fn share_tables(&mut self) -> Result<(), BuildError> {
        let directory = self.store.tables();
        fs::create_dir_all(&directory)
            .map_err(|source| StoreError::Io { path: directory, source })?;
        self.placement = TablePlacement::Shared;
        Ok(())
    }

    /// Maps the tables that are in files and undamaged.
    fn map_shared(&mut self, needs: &[Slice]) -> Result<(), BuildError> {
        // The key of a table stands for all slices that it follows from, so those of captures come
        // first.
        for slice in self.resident.missing(needs) {
            if !self.tables.knows(slice) {
                self.add_table(slice)?;
            }
        }
        let missing = needs.iter().copied().filter(|&need| !self.resident.has(need));
        let missing: Vec<Slice> = missing.collect();
        self.open_tables(&missing, true)?;
        Ok(())
    }

    /// Verifies the files of slices against the MANIFEST; returns whether it lists them.
    pub(crate) fn verify_listed(&self, pair: &[Slice]) -> Result<bool, BuildError> {
        let Some(records) = pair.iter().map(|s| self.records.get(s)).collect::<Option<Vec<_>>>()
        else {
            return Ok(false);
        };
        records.into_iter().try_for_each(|record| self.store.verify_slice(record))?;
        Ok(true)
    }

    /// The slices of the cover that the MANIFEST does not list.
    pub(crate) fn unlisted(&self) -> impl Iterator<Item = Slice> {
        let all = Slice::all(self.board, &self.cover).into_iter();
        all.filter(|slice| !self.records.contains_key(slice))
    }

    /// Solves a slice and its twin and writes them.
    pub(crate) fn solve(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        let start = Instant::now();
        let needs = Builder::needs(slice);
        match self.placement {
            TablePlacement::Memory | TablePlacement::Mapped(_) => {}
            TablePlacement::Spilled { .. } => {
                for &need in &needs {
                    self.bring_to_file(need, &needs, later)?;
                }
            }
            TablePlacement::Shared => self.map_shared(&needs)?,
        }
        self.bring(&needs, room_to_solve(self.board, slice), later)?;
        self.builder.solve(slice);
        let pair = slice.with_twin();
        self.resident.add(&pair);
        let solve_seconds = start.elapsed().as_secs_f64() / pair.len() as f64;
        for &slice in &pair {
            self.save(slice, solve_seconds)?;
            match self.placement {
                TablePlacement::Memory | TablePlacement::Mapped(_) => {}
                TablePlacement::Spilled { .. } => self.spill_solved(slice, &pair, later)?,
                TablePlacement::Shared => self.share_solved(slice)?,
            }
        }
        Ok(())
    }

    /// Writes a slice, which was solved in this time, and its figures.
    fn save(&self, slice: Slice, solve_seconds: f64) -> Result<(), BuildError> {
        let start = Instant::now();
        let table = self.builder.table(slice);
        let (win, loss) = table.count();
        let bytes = self.store.save_slice(slice, table)?;
        self.store.add_figures(&Figures {
            slice: slice.name(),
            indices: slice.indices(self.board),
            positions: placements(self.board, slice),
            win,
            loss,
            bytes,
            solve_seconds,
            write_seconds: start.elapsed().as_secs_f64(),
        })?;
        Ok(())
    }

    /// Moves the table of a slice that was just solved with the others of `pair` to a file if it is
    /// needed again, or else drops it.
    fn spill_solved(
        &mut self,
        slice: Slice,
        pair: &[Slice],
        later: &[Slice],
    ) -> Result<(), BuildError> {
        self.add_table(slice)?;
        if later.contains(&slice) {
            return self.move_to_file_within(slice, pair, later);
        }
        self.builder.forget(slice);
        self.resident.remove(slice);
        Ok(())
    }

    /// Leaves the table of a slice that was just solved to other processes.
    fn share_solved(&mut self, slice: Slice) -> Result<(), BuildError> {
        self.add_table(slice)?;
        self.tables.write(slice, self.builder.table(slice))?;
        Ok(())
    }

    /// Writes the depths of a slice and its twin, which are both finished.
    pub(crate) fn write_depths(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        self.bring(&depth_needs(slice), depth::memory(self.board, slice), later)?;
        for table in depth::depths(&self.builder, slice) {
            if let Some(record) = self.records.get(&table.slice) {
                depth::save(self.store, record, &table)?;
            }
        }
        Ok(())
    }

    /// Whether the depths of a slice and its twin are stored, for the current values.
    pub(crate) fn has_depths(&self, slice: Slice) -> bool {
        let has = |s: &Slice| self.records.get(s).is_some_and(|r| depth::has_file(self.store, r));
        slice.with_twin().iter().all(has)
    }

    /// Loads all slices of the session's cover. `progress` is called with the number of indices of
    /// each slice that has been loaded.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn load_all(mut self, mut progress: impl FnMut(u64)) -> Result<crate::Values, BuildError> {
        let (board, all) = (self.board, Slice::all(self.board, &self.cover));
        self.bring_with_progress(&all, 0, &[], |slice| progress(slice.indices(board)))?;
        Ok(self.builder.finish())
    }
}

/// The first of these slices whose tables take at most `space` bytes of disk together.
fn first_tables(board: &Board, slices: Vec<Slice>, space: u64) -> Vec<Slice> {
    let mut left = space;
    let fits = |slice: &Slice| {
        let length = file_length(slice.indices(board));
        let fits = length <= left;
        left -= if fits { length } else { 0 };
        fits
    };
    slices.into_iter().take_while(fits).collect()
}

/// The bytes that solving a slice and its twin takes besides the slices that it needs.
pub(crate) fn room_to_solve(board: &Board, slice: Slice) -> u64 {
    let tables: u64 = slice.with_twin().iter().map(|&s| Builder::table_memory(board, s)).sum();
    tables + Builder::work(board, slice)
}

/// The slices that finding the depths of a slice and its twin looks at.
pub(crate) fn depth_needs(slice: Slice) -> Vec<Slice> {
    [slice.with_twin(), Builder::needs(slice)].concat()
}
