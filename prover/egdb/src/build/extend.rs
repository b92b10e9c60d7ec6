//! Building what a store lacks, within a bound on memory.
//!
//! Slices are solved in order, each with its twin, and written as soon as they are solved. A slice
//! that is not in memory when it is needed comes back from its file.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use certificate_spec::database::SliceRecord;
use thiserror::Error;

use super::residency::{Later, Residency};
use crate::depth;
use crate::disk::figures::Figures;
use crate::disk::store::{Store, StoreError};
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::stats::{Counts, placements};
use draughtproof_game::Board;

/// Why a database could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// The files.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Some slice needs more memory than may be used.
    #[error(
        "the {board} database with {pieces} pieces needs {} MiB of memory, and {} MiB may be used: take fewer --pieces or more --memory, or begin --partly",
        need.div_ceil(1 << 20), limit >> 20
    )]
    Memory {
        /// The board.
        board: String,
        /// Pieces of the database.
        pieces: u8,
        /// Bytes needed.
        need: u64,
        /// Bytes that may be used.
        limit: u64,
    },
    /// Everything is finished for which there is memory.
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
        /// Pieces of the database.
        pieces: u8,
        /// Bytes expected.
        need: u64,
        /// Bytes free.
        free: u64,
    },
}

/// What happens while building.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// A number of pieces begins, with so many indices, of which some were finished by a run before.
    Begin {
        /// Pieces.
        pieces: u8,
        /// All indices of slices for which there is memory.
        indices: u64,
        /// Those of slices that are finished.
        finished: u64,
    },
    /// So many more indices are finished.
    Done(u64),
    /// All slices with the number of pieces that began last are finished.
    End,
}

/// The slices in memory, and the bound on them.
pub struct Working<'a> {
    store: &'a Store,
    board: &'a Board,
    builder: Builder,
    pieces: u8,
    resident: Residency,
    /// Of the slices that the MANIFEST lists.
    records: HashMap<Slice, SliceRecord>,
}

impl<'a> Working<'a> {
    /// Nothing in memory yet, of a database that will have `pieces` pieces; never more than `memory`
    /// bytes.
    ///
    /// # Errors
    /// [`BuildError`] of the MANIFEST, or of memory that is too small for anything.
    pub fn new(store: &'a Store, pieces: u8, memory: u64) -> Result<Self, BuildError> {
        let board = store.board();
        let need = Builder::base_memory(board, pieces);
        if need > memory {
            return Err(BuildError::Memory { board: board.name(), pieces, need, limit: memory });
        }
        let (_, records) = store.finished()?;
        Ok(Working {
            store,
            board,
            builder: Builder::new(board, pieces),
            pieces,
            resident: Residency::new(board, pieces, memory),
            records: records.into_iter().map(|r| (Slice::from(r.name), r)).collect(),
        })
    }

    /// Refuses what there is not memory enough to build, before there is anything of it.
    ///
    /// # Errors
    /// [`BuildError::Memory`]
    pub fn check_memory(board: &Board, pieces: u8, limit: u64) -> Result<(), BuildError> {
        let need = Self::least_memory(board, pieces);
        if need <= limit {
            return Ok(());
        }
        Err(BuildError::Memory { board: board.name(), pieces, need, limit })
    }

    /// The least memory with which a database can be built.
    pub fn least_memory(board: &Board, pieces: u8) -> u64 {
        let pairs = (2..=pieces).flat_map(|n| Builder::pairs(board, n));
        pairs.map(|slice| Self::memory_of(board, pieces, slice)).max().unwrap_or(0)
    }

    /// The least memory with which a slice and its twin can be solved in a database with `pieces` pieces.
    fn memory_of(board: &Board, pieces: u8, slice: Slice) -> u64 {
        let empty = Residency::new(board, pieces, 0);
        empty.least(&Builder::needs(slice), room_to_solve(board, slice))
    }

    /// Of pairs with equally many pieces, in order, those for which there is memory, and those for which
    /// there is not or that need such a one.
    fn split_by_memory(&self, pairs: Vec<Slice>) -> (Vec<Slice>, Vec<Slice>) {
        let (limit, mut left_out) = (self.resident.memory, HashSet::new());
        pairs.into_iter().partition(|&slice| {
            let fits = Self::memory_of(self.board, self.pieces, slice) <= limit
                && !Builder::needs(slice).iter().any(|need| left_out.contains(need));
            if !fits {
                left_out.extend(both(slice));
            }
            fits
        })
    }

    /// Brings slices into memory, and keeps room for others that are about to be made.
    fn bring(&mut self, wanted: &[Slice], room: u64, later: &[Slice]) -> Result<(), BuildError> {
        self.bring_and_tell(wanted, room, later, |_| ())
    }

    /// The same; tells of each slice once it is in memory.
    fn bring_and_tell(
        &mut self,
        wanted: &[Slice],
        room: u64,
        later: &[Slice],
        mut tell: impl FnMut(Slice),
    ) -> Result<(), BuildError> {
        let change = self.resident.bring(wanted, room, later).map_err(|need| {
            let (board, pieces, limit) = (self.board.name(), self.pieces, self.resident.memory);
            BuildError::Memory { board, pieces, need, limit }
        })?;
        change.forget.into_iter().for_each(|slice| self.builder.forget(slice));
        for slice in change.load {
            self.builder.restore(slice, self.store.load_slice(slice, self.records.get(&slice))?);
            tell(slice);
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

    /// Has all slices in memory, up to the number of pieces that this began with. `tell` hears of so many
    /// more indices each time.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn load_all(mut self, mut tell: impl FnMut(u64)) -> Result<crate::Values, BuildError> {
        let (board, all) = (self.board, Slice::all(self.board, self.pieces));
        self.bring_and_tell(&all, 0, &[], |slice| tell(slice.indices(board)))?;
        self.builder.complete(self.pieces);
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

/// Extends a store (under [`Store::lock`]) to as many pieces as `working` began with. Slices that an
/// earlier run has finished are not built again.
///
/// # Errors
/// [`BuildError`]; whatever is finished stays. Slices for which there is not memory enough are left out,
/// all others with as many pieces are finished first.
pub fn extend(working: &mut Working<'_>, mut tell: impl FnMut(Event)) -> Result<(), BuildError> {
    let (store, board) = (working.store, working.board);
    let (there, mut records) = store.finished()?;
    store.remove_damaged()?;
    for n in there.max(1) + 1..=working.pieces {
        let of_n = |s: &Slice| s.pieces() == n;
        let slices: Vec<Slice> = Slice::all(board, n).into_iter().filter(of_n).collect();
        let indices: u64 = slices.iter().map(|s| s.indices(board)).sum();
        let pairs = Builder::pairs(board, n);
        let is_finished = |slice: &Slice| both(*slice).iter().all(|&s| store.has_slice(s));
        let todo: Vec<Slice> = pairs.into_iter().filter(|s| !is_finished(s)).collect();
        let (todo, left_out) = working.split_by_memory(todo);
        let sum = |pairs: &[Slice]| -> u64 {
            pairs.iter().flat_map(|&s| both(s)).map(|s| s.indices(board)).sum()
        };
        let (left, indices) = (sum(&todo), indices - sum(&left_out));
        check_disk(store, board, n, left, &records)?;
        tell(Event::Begin { pieces: n, indices, finished: indices - left });
        let mut later = Later::new(&todo);
        for slice in todo {
            later.next();
            working.solve(slice, later.needs())?;
            tell(Event::Done(both(slice).iter().map(|s| s.indices(board)).sum()));
        }
        if !left_out.is_empty() {
            tell(Event::End);
            return Err(BuildError::LeftOut {
                board: board.name(),
                pieces: n,
                left: left_out.iter().flat_map(|&s| both(s)).count(),
                need: Working::least_memory(board, n),
                limit: working.resident.memory,
            });
        }
        for &slice in &slices {
            records.push(store.record(slice)?);
        }
        store.complete(n, &records)?;
        tell(Event::End);
    }
    Ok(())
}

/// Adds the depths of all slices to a store (under [`Store::lock`]) that has as many pieces as `working`
/// began with. Depths that an earlier run has written are not found again.
///
/// # Errors
/// [`BuildError`]; whatever is written stays.
pub fn extend_depths(
    working: &mut Working<'_>,
    mut tell: impl FnMut(Event),
) -> Result<(), BuildError> {
    let board = working.board;
    let size = |slice: Slice| both(slice).iter().map(|s| s.indices(board)).sum::<u64>();
    for pieces in 2..=working.pieces {
        let pairs = Builder::pairs(board, pieces);
        let indices = pairs.iter().map(|&s| size(s)).sum();
        let todo: Vec<Slice> = pairs.into_iter().filter(|&s| !working.has_depths(s)).collect();
        let left: u64 = todo.iter().map(|&s| size(s)).sum();
        tell(Event::Begin { pieces, indices, finished: indices - left });
        for (i, &slice) in todo.iter().enumerate() {
            let later: Vec<Slice> = todo[i + 1..].iter().flat_map(|&s| depth_needs(s)).collect();
            working.write_depths(slice, &later)?;
            tell(Event::Done(size(slice)));
        }
        tell(Event::End);
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

/// About how many bytes slices with `pieces` pieces and so many indices will take: somewhat more than
/// in proportion to those with a piece less, or a byte for 32 where there are none.
fn expected_bytes(board: &Board, pieces: u8, indices: u64, records: &[SliceRecord]) -> u64 {
    let before: Vec<_> =
        records.iter().filter(|r| r.name.pieces() == u32::from(pieces) - 1).collect();
    let bytes: u64 = before.iter().map(|r| r.length).sum();
    let slices = Slice::all(board, pieces - 1);
    let before: u64 =
        slices.iter().filter(|s| s.pieces() == pieces - 1).map(|s| s.indices(board)).sum();
    if bytes == 0 || before == 0 || pieces < 5 {
        return indices / 32;
    }
    (indices as f64 * bytes as f64 / before as f64 * 1.5) as u64
}
