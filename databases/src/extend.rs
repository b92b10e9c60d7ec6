//! Building what a store lacks, within a bound on memory.
//!
//! Slices are solved in order, each with its twin, and written as soon as they are solved. A slice
//! that is not in memory when it is needed comes back from its file; when memory is short, the slices
//! that are not needed for longest are forgotten (Belady's rule: the order of work is known).

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use certificate_spec::database::SliceRecord;
use thiserror::Error;

use super::build::Builder;
use super::figures::Figures;
use super::slice::Slice;
use super::stats::placements;
use super::store::{Store, StoreError};
use crate::board::Board;

/// Why a database could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// The files.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Some slice needs more memory than may be used.
    #[error(
        "the {board} database with {pieces} pieces needs {} MiB of memory, and {} MiB may be used: take fewer --pieces or more --memory",
        need >> 20, limit >> 20
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
    /// The disk is too small.
    #[error(
        "the {board} database with {pieces} pieces will take about {} MiB, and {} MiB are free where it is to be written",
        need >> 20, free >> 20
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
        /// All indices.
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
    resident: HashSet<Slice>,
    memory: u64,
    /// Of the slices that the MANIFEST lists.
    records: HashMap<Slice, SliceRecord>,
}

impl<'a> Working<'a> {
    /// Nothing in memory yet, of a database that will have `pieces` pieces; never more than `memory`
    /// bytes.
    ///
    /// # Errors
    /// [`StoreError`] of the MANIFEST.
    pub fn new(store: &'a Store, pieces: u8, memory: u64) -> Result<Self, StoreError> {
        let board = store.board();
        let builder = Builder::new(board, pieces);
        let (_, records) = store.finished()?;
        let records = records.into_iter().map(|r| (Slice::from(r.name), r)).collect();
        let resident = HashSet::new();
        Ok(Working { store, board, builder, pieces, resident, memory, records })
    }

    /// The least memory with which a database can be built slice by slice.
    pub fn least_memory(board: &Board, pieces: u8) -> u64 {
        let pairs = (2..=pieces).flat_map(|n| Builder::pairs(board, n));
        let need = |slice: Slice| {
            let tables: u64 = [slice, slice.twin()]
                .into_iter()
                .chain(Self::closure(&Builder::needs(slice), |_| false))
                .map(|s| Builder::table_memory(board, s))
                .sum();
            tables + Builder::work(board, slice)
        };
        Builder::base_memory(board, pieces) + pairs.map(need).max().unwrap_or(0)
    }

    /// The slices that must come from files so that `wanted` are in memory, in order: those that are not
    /// there, and what their captures lead to.
    fn closure(wanted: &[Slice], is_there: impl Fn(Slice) -> bool) -> Vec<Slice> {
        let mut found: HashSet<Slice> = HashSet::new();
        let mut todo: Vec<Slice> = wanted.to_vec();
        while let Some(slice) = todo.pop() {
            if !is_there(slice) && found.insert(slice) {
                todo.extend(Builder::captures(slice));
            }
        }
        let mut found: Vec<Slice> = found.into_iter().collect();
        found.sort_by_key(|s| s.name().order());
        found
    }

    fn table_memory(&self, slice: Slice) -> u64 {
        Builder::table_memory(self.board, slice)
    }

    /// Brings slices into memory, and keeps room for others that are about to be made. What else is
    /// in memory is forgotten as far as it must be, first what `later` names last or not at all.
    fn bring(&mut self, wanted: &[Slice], room: u64, later: &[Slice]) -> Result<(), BuildError> {
        let missing = Self::closure(wanted, |s| self.resident.contains(&s));
        let bytes = |slices: &[Slice]| slices.iter().map(|&s| self.table_memory(s)).sum::<u64>();
        let base = Builder::base_memory(self.board, self.pieces);
        let decoding = missing.iter().map(|&s| Builder::work(self.board, s)).max().unwrap_or(0);
        let extra = base + bytes(&missing) + room.max(decoding);
        // What loading the missing slices looks at stays, too.
        let mut pinned: HashSet<Slice> = wanted.iter().copied().collect();
        pinned.extend(missing.iter().flat_map(|&s| Builder::captures(s)));
        let mut others: Vec<Slice> = self.resident.difference(&pinned).copied().collect();
        let next_use = |s: &Slice| later.iter().position(|l| l == s).unwrap_or(usize::MAX);
        others.sort_by_cached_key(|s| (next_use(s), s.name().order()));
        loop {
            let there: u64 = self.resident.iter().map(|&s| self.table_memory(s)).sum();
            if extra + there <= self.memory {
                break;
            }
            let Some(victim) = others.pop() else {
                let (need, limit) = (extra + there, self.memory);
                let (board, pieces) = (self.board.name(), self.pieces);
                return Err(BuildError::Memory { board, pieces, need, limit });
            };
            self.builder.forget(victim);
            self.resident.remove(&victim);
        }
        for slice in missing {
            self.builder.restore(slice, self.store.load_slice(slice, self.records.get(&slice))?);
            self.resident.insert(slice);
        }
        Ok(())
    }

    /// Solves a slice and its twin and writes them.
    fn solve(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        let start = Instant::now();
        let pair = both(slice);
        let tables: u64 = pair.iter().map(|&s| self.table_memory(s)).sum();
        let room = tables + Builder::work(self.board, slice);
        self.bring(&Builder::needs(slice), room, later)?;
        self.builder.solve(slice);
        self.resident.extend(&pair);
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

    /// Has all slices in memory, up to the number of pieces that this began with.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn load_all(mut self) -> Result<super::Values, BuildError> {
        self.bring(&Slice::all(self.board, self.pieces), 0, &[])?;
        self.builder.complete(self.pieces);
        Ok(self.builder.finish())
    }
}

/// A slice and its twin, once if they are the same.
fn both(slice: Slice) -> Vec<Slice> {
    if slice == slice.twin() { vec![slice] } else { vec![slice, slice.twin()] }
}

/// Extends a store (under [`Store::lock`]) to `pieces` pieces. Slices that an earlier run has finished
/// are not built again.
///
/// # Errors
/// [`BuildError`]; whatever is finished stays.
pub fn extend(working: &mut Working<'_>, mut tell: impl FnMut(Event)) -> Result<(), BuildError> {
    let (store, board) = (working.store, working.board);
    let (there, mut records) = store.finished()?;
    for n in there.max(1) + 1..=working.pieces {
        let of_n = |s: &Slice| s.pieces() == n;
        let slices: Vec<Slice> = Slice::all(board, n).into_iter().filter(of_n).collect();
        let indices: u64 = slices.iter().map(|s| s.indices(board)).sum();
        let pairs = Builder::pairs(board, n);
        let is_finished = |slice: &Slice| both(*slice).iter().all(|&s| store.has_slice(s));
        let todo: Vec<Slice> = pairs.into_iter().filter(|s| !is_finished(s)).collect();
        let left: u64 = todo.iter().flat_map(|&s| both(s)).map(|s| s.indices(board)).sum();
        check_disk(store, board, n, left, &records)?;
        tell(Event::Begin { pieces: n, indices, finished: indices - left });
        // What is needed when, for the choice of what to forget.
        let mut later: Vec<Slice> = todo.iter().rev().flat_map(|&s| Builder::needs(s)).collect();
        later.reverse();
        for slice in todo {
            let needs = Builder::needs(slice).len();
            later.drain(..needs);
            working.solve(slice, &later)?;
            tell(Event::Done(both(slice).iter().map(|s| s.indices(board)).sum()));
        }
        for &slice in &slices {
            records.push(store.record(slice)?);
        }
        store.complete(n, &records)?;
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
pub fn expected_bytes(board: &Board, pieces: u8, indices: u64, records: &[SliceRecord]) -> u64 {
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
