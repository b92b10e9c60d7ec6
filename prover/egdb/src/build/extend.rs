//! Building what a store lacks, within a bound on memory.
//!
//! Slices are solved in order, each with its twin, and written as soon as they are solved. A slice
//! that is not in memory when it is needed comes back from its file.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use certificate_spec::cover::Cover;
use certificate_spec::database::SliceRecord;
use thiserror::Error;

use super::residency::{Later, Residency};
use crate::depth;
use crate::disk::figures::Figures;
use crate::disk::store::{Store, StoreError};
use crate::index::cover::{at_most, union};
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::stats::{Counts, placements};
use draughtproof_game::Board;

/// Why a database could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// An error of the files.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Some slice needs more memory than may be used.
    #[error(
        "the {board} database with {cover} pieces needs {} MiB of memory, and {} MiB may be used: take fewer --pieces or more --memory, or begin --partly",
        need.div_ceil(1 << 20), limit >> 20
    )]
    Memory {
        /// The board.
        board: String,
        /// The cover of the database.
        cover: Cover,
        /// Bytes needed.
        need: u64,
        /// Bytes that may be used.
        limit: u64,
    },
    /// Some slices need more memory than may be used; all others are finished.
    #[error(
        "{left} slices of the {board} database with {pieces} pieces are left out, the others are finished: it needs {} MiB of memory, and {} MiB may be used: run it again with more --memory",
        need.div_ceil(1 << 20), limit >> 20
    )]
    LeftOut {
        /// The board.
        board: String,
        /// Pieces of the slices.
        pieces: u8,
        /// The number of slices that are not finished.
        left: usize,
        /// Bytes needed.
        need: u64,
        /// Bytes that may be used.
        limit: u64,
    },
    /// The disk is too small.
    #[error(
        "the {board} database with {pieces} pieces will take about {} MiB, and {} MiB are free where it is to be written",
        need.div_ceil(1 << 20), free >> 20
    )]
    Disk {
        /// The board.
        board: String,
        /// Pieces of the slices.
        pieces: u8,
        /// Bytes expected.
        need: u64,
        /// Bytes free.
        free: u64,
    },
}

/// The progress of a build.
#[derive(Debug, Clone)]
pub enum Event {
    /// The slices with a number of pieces begin.
    Begin {
        /// The cover that there will be when they are finished.
        cover: Cover,
        /// All indices of those slices for which there is memory.
        indices: u64,
        /// Those of slices that are finished.
        finished: u64,
    },
    /// The number of indices finished since the last event.
    Done(u64),
    /// All slices with the number of pieces that began last are finished.
    End,
}

/// A session of building or loading a database: the slices in memory, and the bound on them.
pub struct BuildSession<'a> {
    store: &'a Store,
    board: &'a Board,
    builder: Builder,
    cover: Cover,
    resident: Residency,
    /// Of the slices that the MANIFEST lists.
    records: HashMap<Slice, SliceRecord>,
}

impl<'a> BuildSession<'a> {
    /// A session with nothing in memory yet, of a database with a cover; never more than `memory`
    /// bytes.
    ///
    /// # Errors
    /// [`BuildError`] of the MANIFEST, or of memory that is too small for anything.
    pub fn new(store: &'a Store, cover: &Cover, memory: u64) -> Result<Self, BuildError> {
        let board = store.board();
        let need = Builder::base_memory(board, cover);
        if need > memory {
            let cover = cover.clone();
            return Err(BuildError::Memory { board: board.name(), cover, need, limit: memory });
        }
        let (_, records) = store.finished()?;
        Ok(BuildSession {
            store,
            board,
            builder: Builder::new(board, cover),
            cover: cover.clone(),
            resident: Residency::new(board, cover, memory),
            records: records.into_iter().map(|r| (Slice::from(r.name), r)).collect(),
        })
    }

    /// Checks that there is memory enough to build a database, before anything of it is built.
    ///
    /// # Errors
    /// [`BuildError::Memory`]
    pub fn check_memory(board: &Board, cover: &Cover, limit: u64) -> Result<(), BuildError> {
        let need = Self::least_memory(board, cover);
        if need <= limit {
            return Ok(());
        }
        Err(BuildError::Memory { board: board.name(), cover: cover.clone(), need, limit })
    }

    /// The least memory with which a database can be built.
    pub fn least_memory(board: &Board, cover: &Cover) -> u64 {
        let slices = Slice::all(board, cover).into_iter();
        slices.map(|slice| Self::memory_of(board, cover, slice)).max().unwrap_or(0)
    }

    /// The least memory with which a slice and its twin can be solved in a database with `pieces`
    /// pieces.
    fn memory_of(board: &Board, cover: &Cover, slice: Slice) -> u64 {
        let empty = Residency::new(board, cover, 0);
        empty.least(&Builder::needs(slice), room_to_solve(board, slice))
    }

    /// Of pairs with equally many pieces, in order, those for which there is memory, and those for
    /// which there is not or that need such a one.
    fn split_by_memory(&self, pairs: Vec<Slice>) -> (Vec<Slice>, Vec<Slice>) {
        let (limit, mut left_out) = (self.resident.memory, HashSet::new());
        pairs.into_iter().partition(|&slice| {
            let fits = Self::memory_of(self.board, &self.cover, slice) <= limit
                && !Builder::needs(slice).iter().any(|need| left_out.contains(need));
            if !fits {
                left_out.extend(both(slice));
            }
            fits
        })
    }

    /// Brings slices into memory, and keeps room for others that are about to be made.
    fn bring(&mut self, wanted: &[Slice], room: u64, later: &[Slice]) -> Result<(), BuildError> {
        self.bring_with_progress(wanted, room, later, |_| ())
    }

    /// The same; calls `loaded` with each slice once it is in memory.
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
            loaded(slice);
        }
        Ok(())
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

    /// Solves a slice and its twin and writes them.
    fn solve(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        let start = Instant::now();
        let pair = both(slice);
        let room = room_to_solve(self.board, slice);
        self.bring(&Builder::needs(slice), room, later)?;
        self.builder.solve(slice);
        self.resident.add(&pair);
        let solved = start.elapsed();
        for &slice in &pair {
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
                solve_seconds: solved.as_secs_f64() / pair.len() as f64,
                write_seconds: start.elapsed().as_secs_f64(),
            })?;
        }
        Ok(())
    }

    /// Writes the depths of a slice and its twin, both finished.
    fn write_depths(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        self.bring(&depth_needs(slice), depth::memory(self.board, slice), later)?;
        for table in depth::depths(&self.builder, slice) {
            if let Some(record) = self.records.get(&table.slice) {
                depth::save(self.store, record, &table)?;
            }
        }
        Ok(())
    }

    /// Whether the depths of a slice and its twin are there, for the values that are there.
    fn has_depths(&self, slice: Slice) -> bool {
        let has = |s: &Slice| self.records.get(s).is_some_and(|r| depth::has_file(self.store, r));
        both(slice).iter().all(has)
    }

    /// Loads all slices, up to the number of pieces that this began with. `progress` is called
    /// with the number of indices of each slice that has been loaded.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn load_all(mut self, mut progress: impl FnMut(u64)) -> Result<crate::Values, BuildError> {
        let (board, all) = (self.board, Slice::all(self.board, &self.cover));
        self.bring_with_progress(&all, 0, &[], |slice| progress(slice.indices(board)))?;
        Ok(self.builder.finish())
    }
}

/// The bytes that solving a slice and its twin takes besides what it needs.
pub(crate) fn room_to_solve(board: &Board, slice: Slice) -> u64 {
    let tables: u64 = both(slice).iter().map(|&s| Builder::table_memory(board, s)).sum();
    tables + Builder::work(board, slice)
}

/// A slice and its twin, once if they are the same.
pub(crate) fn both(slice: Slice) -> Vec<Slice> {
    if slice == slice.twin() { vec![slice] } else { vec![slice, slice.twin()] }
}

/// The slices that finding the depths of a slice and its twin looks at.
fn depth_needs(slice: Slice) -> Vec<Slice> {
    [both(slice), Builder::needs(slice)].concat()
}

/// Extends a store (under [`Store::lock`]) by what the cover of `session` has and the store has
/// not. What else the store covers stays: afterwards it has both. Slices that an earlier run has
/// finished are not built again.
///
/// # Errors
/// [`BuildError`]; whatever is finished stays. Slices for which there is not memory enough are left
/// out, all others with as many pieces are finished first.
pub fn extend(
    session: &mut BuildSession<'_>,
    mut progress: impl FnMut(Event),
) -> Result<(), BuildError> {
    let (store, board, wanted) = (session.store, session.board, session.cover.clone());
    let (there, mut records) = store.finished()?;
    store.remove_damaged(&wanted)?;
    for n in 2..=wanted.most_pieces() {
        let part = at_most(&wanted, n);
        let is_new = |s: &Slice| s.pieces() == n && !there.admits_slice(s.name());
        let slices: Vec<Slice> = Slice::all(board, &part).into_iter().filter(is_new).collect();
        if slices.is_empty() {
            continue;
        }
        let cover = union(&there, &part);
        let indices: u64 = slices.iter().map(|s| s.indices(board)).sum();
        let is_finished = |slice: &Slice| both(*slice).iter().all(|&s| store.has_slice(s));
        let pairs = Builder::pairs(board, &part, n).into_iter();
        let todo: Vec<Slice> = pairs.filter(|s| is_new(s) && !is_finished(s)).collect();
        let (todo, left_out) = session.split_by_memory(todo);
        let sum = |pairs: &[Slice]| -> u64 {
            pairs.iter().flat_map(|&s| both(s)).map(|s| s.indices(board)).sum()
        };
        let (left, indices) = (sum(&todo), indices - sum(&left_out));
        check_disk(store, board, n, left, &records)?;
        progress(Event::Begin { cover: cover.clone(), indices, finished: indices - left });
        let mut later = Later::new(&todo);
        for slice in todo {
            later.next();
            session.solve(slice, later.needs())?;
            progress(Event::Done(both(slice).iter().map(|s| s.indices(board)).sum()));
        }
        if !left_out.is_empty() {
            progress(Event::End);
            return Err(BuildError::LeftOut {
                board: board.name(),
                pieces: n,
                left: left_out.iter().flat_map(|&s| both(s)).count(),
                need: BuildSession::least_memory(board, &part),
                limit: session.resident.memory,
            });
        }
        for &slice in &slices {
            records.push(store.record(slice)?);
        }
        records.sort_by_key(|record| record.name.order());
        store.complete(&cover, &records)?;
        progress(Event::End);
    }
    Ok(())
}

/// Adds the depths of all slices of the cover of `session` to a store (under [`Store::lock`]) that
/// has their values. Depths that an earlier run has written are not found again.
///
/// # Errors
/// [`BuildError`]; whatever is written stays.
pub fn extend_depths(
    session: &mut BuildSession<'_>,
    mut progress: impl FnMut(Event),
) -> Result<(), BuildError> {
    let (board, wanted) = (session.board, session.cover.clone());
    let size = |slice: Slice| both(slice).iter().map(|s| s.indices(board)).sum::<u64>();
    for n in 2..=wanted.most_pieces() {
        let pairs = Builder::pairs(board, &wanted, n);
        let indices = pairs.iter().map(|&s| size(s)).sum();
        let todo: Vec<Slice> = pairs.into_iter().filter(|&s| !session.has_depths(s)).collect();
        let left: u64 = todo.iter().map(|&s| size(s)).sum();
        let cover = at_most(&wanted, n);
        progress(Event::Begin { cover, indices, finished: indices - left });
        for (i, &slice) in todo.iter().enumerate() {
            let later: Vec<Slice> = todo[i + 1..].iter().flat_map(|&s| depth_needs(s)).collect();
            session.write_depths(slice, &later)?;
            progress(Event::Done(size(slice)));
        }
        progress(Event::End);
    }
    Ok(())
}

/// Refuses to start what will not fit on the disk.
fn check_disk(
    store: &Store,
    board: &Board,
    pieces: u8,
    indices: u64,
    records: &[SliceRecord],
) -> Result<(), BuildError> {
    let need = expected_bytes(board, pieces, indices, records);
    let free = store.free_space()?;
    if need <= free {
        return Ok(());
    }
    Err(BuildError::Disk { board: board.name(), pieces, need, free })
}

/// About how many bytes slices with `pieces` pieces and so many indices will take: somewhat more
/// than in proportion to those with a piece less, or a byte for 32 where there are none.
fn expected_bytes(board: &Board, pieces: u8, indices: u64, records: &[SliceRecord]) -> u64 {
    let before = records.iter().filter(|r| r.name.pieces() == u32::from(pieces) - 1);
    let (bytes, before) = before.fold((0, 0), |(bytes, indices), record| {
        (bytes + record.length, indices + Slice::from(record.name).indices(board))
    });
    if bytes == 0 || before == 0 || pieces < 5 {
        return indices / 32;
    }
    (indices as f64 * bytes as f64 / before as f64 * 1.5) as u64
}
