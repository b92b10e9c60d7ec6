//! The slices in memory of a database that is built or read, within a bound.
//!
//! A slice that is not in memory when it is needed is read from its file.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::Instant;

use super::BuildError;
use super::residency::Residency;
use crate::depth;
use crate::disk::StoreError;
use crate::disk::slice_files::Figures;
use crate::disk::store::Store;
use crate::disk::table_files::TableFiles;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::files::{Files, count_quiet};
use crate::values::stats::{Counts, placements};
use crate::values::table::Table;
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceRecord;
use draughtproof_game::Board;
use rayon::prelude::*;

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
        // If files cannot be used in their byte order, none is opened, and the table stays in
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

/// The place where a session keeps the tables of finished slices.
pub(super) enum TablePlacement {
    /// All are in memory. A table that had to be dropped is read again from the slice's file.
    Memory,
    /// The tables of these slices are in mapped files, which stay, and the others in memory.
    Mapped(HashSet<Slice>),
    /// The tables that a build needs are in mapped files of at most `spill_budget` bytes together,
    /// as far as there is room for them, and the others in memory.
    Spilled {
        /// The bytes of disk that the files may take.
        spill_budget: u64,
    },
    /// The tables that a build needs are in mapped files, which it shares with processes that build
    /// other slices.
    Shared,
}

impl BuildSession<'_> {
    /// Counts the values of a finished slice.
    pub fn count(&mut self, slice: Slice) -> Result<Counts, BuildError> {
        self.bring(&[slice], 0, &[])?;
        let (win, loss) = self.builder.table(slice).count();
        Ok(Counts { positions: placements(self.board, slice), win, loss })
    }

    /// Counts the values of a finished slice that need not be in memory itself. Reads the values of
    /// quiet positions from its file, part by part, and plays the captures of the others. Takes
    /// longer than [`BuildSession::count`] where many slices are counted.
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

    /// Solves a slice and its twin and writes them.
    pub(crate) fn solve(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        let start = Stopwatch::start();
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
        let solve_seconds = start.seconds() / pair.len() as f64;
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

    /// Solves a listed slice and its twin, of which files are lost, and puts them in their places.
    pub(crate) fn solve_again(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        self.solve(slice, later)?;
        let records = slice.with_twin().into_iter().filter_map(|slice| self.records.get(&slice));
        records.into_iter().try_for_each(|record| self.store.put_back(record))?;
        Ok(())
    }

    /// Writes a slice, which was solved in this time, and its figures.
    fn save(&self, slice: Slice, solve_seconds: f64) -> Result<(), BuildError> {
        let start = Stopwatch::start();
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
            write_seconds: start.seconds(),
        })?;
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
}

/// Measures how long work takes, without the time in which other programs had the processors.
pub(super) struct Stopwatch {
    start: Instant,
    threads: Threads,
}

impl Stopwatch {
    pub(super) fn start() -> Stopwatch {
        Stopwatch { start: Instant::now(), threads: Threads::now() }
    }

    /// The seconds since the start, times the share of its runnable time in which this program did
    /// run. Where the system does not say that share, other programs count.
    pub(super) fn seconds(&self) -> f64 {
        let passed = self.start.elapsed().as_secs_f64();
        let now = Threads::now();
        let ran = now.ran.saturating_sub(self.threads.ran) as f64;
        let waited = now.waited.saturating_sub(self.threads.waited) as f64;
        if ran > 0.0 { passed * ran / (ran + waited) } else { passed }
    }
}

/// The times that all threads of this program have spent so far, in nanoseconds.
#[derive(Default)]
struct Threads {
    /// Running.
    ran: u64,
    /// Ready to run, while other threads had the processors.
    waited: u64,
}

impl Threads {
    /// As Linux says it (`Documentation/scheduler/sched-stats.rst`); zeros elsewhere.
    fn now() -> Threads {
        let mut all = Threads::default();
        for task in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let mut numbers = text.split_whitespace().map_while(|word| word.parse::<u64>().ok());
            all.ran += numbers.next().unwrap_or(0);
            all.waited += numbers.next().unwrap_or(0);
        }
        all
    }
}

impl BuildSession<'_> {
    /// Checks that the memory suffices to build a database, before anything of it is built.
    pub fn check_memory(board: &Board, cover: &Cover, limit: u64) -> Result<(), BuildError> {
        BuildError::check_memory(board, cover, Self::least_memory(board, cover), limit)
    }

    /// The least memory with which a database can be built.
    pub fn least_memory(board: &Board, cover: &Cover) -> u64 {
        let slices = Slice::all(board, cover).into_iter();
        slices.map(|slice| Self::memory_of(board, cover, slice)).max().unwrap_or(0)
    }

    /// The least memory with which a database can be built with [`BuildSession::spill_tables`].
    pub fn least_memory_with_files(board: &Board, cover: &Cover) -> u64 {
        let slices = Slice::all(board, cover).into_iter();
        slices.map(|slice| Self::memory_with_files(board, cover, slice)).max().unwrap_or(0)
    }

    /// The least memory with which all of a database can be loaded.
    pub fn loading_memory(board: &Board, cover: &Cover) -> u64 {
        Residency::new(board, cover, 0).least(&Slice::all(board, cover), 0)
    }

    /// The least memory with which the depths of a cover can be found.
    pub fn least_depth_memory(board: &Board, cover: &Cover) -> u64 {
        let empty = Residency::new(board, cover, 0);
        let least = |slice| empty.least(&depth_needs(slice), depth::memory(board, slice));
        Slice::all(board, cover).into_iter().map(least).max().unwrap_or(0)
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
