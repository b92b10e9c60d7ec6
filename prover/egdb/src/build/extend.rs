//! Builds the slices that a store lacks, within a bound on memory.
//!
//! Slices are solved in order, each with its twin, and written as soon as they are solved. A slice
//! that is not in memory when it is needed is read from its file.
//!
//! Builds some slices of a database while other processes build others of them.
//!
//! The slices that a slice follows from must be there; the order of the tasks has to ensure that.
//! The MANIFEST is left to [`extend`](super::extend::extend), which finds all slices finished.

use std::collections::HashSet;

use super::BuildError;
use super::residency::Later;
use super::session::{BuildSession, depth_needs};
use crate::disk::StoreError;
use crate::disk::store::Store;
use crate::index::cover::{at_most, union};
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceRecord;
use draughtproof_game::Board;

/// The progress of a build.
#[derive(Debug, Clone)]
pub enum Event {
    /// The build of the slices with a number of pieces begins.
    Begin {
        /// The cover of the database when these slices are finished.
        cover: Cover,
        /// The number of indices of those of these slices for which the memory suffices.
        indices: u64,
        /// The number of indices of those that are finished already.
        finished: u64,
    },
    /// The number of indices finished since the last event.
    Done(u64),
    /// All slices with the number of pieces that began last are finished.
    End,
}

/// Extends a store (under [`Store::lock`]) by the slices of the cover of `session` that it lacks.
/// Afterwards the store covers both what it covered before and this cover. Slices that an earlier
/// run has finished are not built again.
///
/// # Errors
/// [`BuildError`]; finished slices stay. Slices for which the memory does not suffice are left out
/// after all others with as many pieces are finished.
pub fn extend(
    session: &mut BuildSession<'_>,
    mut progress: impl FnMut(Event),
) -> Result<(), BuildError> {
    let (store, board, wanted) = (session.store, session.board, session.cover.clone());
    let (there, mut records) = store.finished()?;
    store.remove_damaged(&wanted)?;
    let is_new = |s: &Slice| !there.admits_slice(s.name());
    let is_finished = |slice: &Slice| slice.with_twin().iter().all(|&s| store.has_slice(s));
    let todo_of = |n| -> Vec<Slice> {
        let pairs = Builder::pairs(board, &at_most(&wanted, n), n).into_iter();
        pairs.filter(|slice| is_new(slice) && !is_finished(slice)).collect()
    };
    // Slices that are left out for want of memory end the build, so nothing is needed after them.
    let all: Vec<Slice> = (2..=wanted.most_pieces()).flat_map(todo_of).collect();
    let mut later = Later::new(&all);
    for n in 2..=wanted.most_pieces() {
        let part = at_most(&wanted, n);
        let is_new = |s: &Slice| s.pieces() == n && is_new(s);
        let slices: Vec<Slice> = Slice::all(board, &part).into_iter().filter(is_new).collect();
        if slices.is_empty() {
            continue;
        }
        let cover = union(&there, &part);
        let indices: u64 = slices.iter().map(|s| s.indices(board)).sum();
        let (todo, left_out) = session.split_by_memory(todo_of(n));
        let sum = |pairs: &[Slice]| -> u64 {
            pairs.iter().flat_map(|&s| s.with_twin()).map(|s| s.indices(board)).sum()
        };
        let (left, indices) = (sum(&todo), indices - sum(&left_out));
        check_disk(store, board, n, left, &records)?;
        progress(Event::Begin { cover: cover.clone(), indices, finished: indices - left });
        for slice in todo {
            later.next();
            session.solve(slice, later.needs())?;
            progress(Event::Done(slice.with_twin().iter().map(|s| s.indices(board)).sum()));
        }
        if !left_out.is_empty() {
            progress(Event::End);
            return Err(BuildError::LeftOut {
                board: board.name(),
                pieces: n,
                left: left_out.iter().flat_map(|&s| s.with_twin()).count(),
                need: session.least_memory_here(&part),
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

/// Builds slices again that the MANIFEST lists and whose files are missing or damaged (under
/// [`Store::lock`]); other files stay.
///
/// # Errors
/// [`BuildError`]: among others when the memory does not suffice, or the slices come out with other
/// bytes than the MANIFEST lists.
pub fn rebuild(
    session: &mut BuildSession<'_>,
    lost: &[Slice],
    mut progress: impl FnMut(Event),
) -> Result<(), BuildError> {
    lost.iter().try_for_each(|&slice| session.store.remove_slice(slice))?;
    let mut pairs: Vec<Slice> = lost.iter().map(|&slice| pair_of(slice)).collect();
    pairs.sort_by_key(|slice| slice.name().order());
    pairs.dedup();
    let size = |slice: Slice| slice.with_twin().iter().map(|s| s.indices(session.board)).sum();
    let indices = pairs.iter().map(|&slice| size(slice)).sum();
    progress(Event::Begin { cover: session.cover.clone(), indices, finished: 0 });
    let mut later = Later::new(&pairs);
    for slice in pairs {
        later.next();
        session.solve_again(slice, later.needs())?;
        progress(Event::Done(size(slice)));
    }
    progress(Event::End);
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
    let size = |slice: Slice| slice.with_twin().iter().map(|s| s.indices(board)).sum::<u64>();
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

/// Checks that the expected slices fit on the disk, before they are built.
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

/// The approximate bytes of slices with `pieces` pieces and `indices` indices: somewhat more than
/// in proportion to slices with a piece less, or a byte for 32 indices where there are none.
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

/// An event of a slice and its twin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairEvent {
    /// Another process builds them, and this one waits until that is finished.
    Wait,
    /// They were there already, and are undamaged.
    Found,
    Begin,
    /// They have been built.
    Built,
}

/// The slice that stands for a slice and its twin: the first of them in order.
pub fn pair_of(slice: Slice) -> Slice {
    if slice.name().order() <= slice.twin().name().order() { slice } else { slice.twin() }
}

/// Builds slices of the cover of `session` with their twins, in order, under
/// [`Store::lock_with_others`](crate::Store::lock_with_others). Slices that are there are verified;
/// one that is damaged is built again. `report` is called with
/// each pair.
///
/// # Errors
/// [`BuildError`]: among others when a slice is missing that one of them follows from. Finished
/// slices stay.
pub fn build_pairs(
    session: &mut BuildSession<'_>,
    slices: &[Slice],
    mut report: impl FnMut(Slice, PairEvent),
) -> Result<(), BuildError> {
    let mut pairs: Vec<Slice> = slices.iter().map(|&slice| pair_of(slice)).collect();
    pairs.sort_by_key(|slice| slice.name().order());
    pairs.dedup();
    let mut later = Later::new(&pairs);
    for slice in pairs {
        later.next();
        let both = slice.with_twin();
        if session.lost_of_listed(&both)?.is_some_and(|lost| lost.is_empty()) {
            report(slice, PairEvent::Found);
            continue;
        }
        let _lock = session.store.lock_pair(slice, || report(slice, PairEvent::Wait))?;
        // Another process may have built them meanwhile.
        let lost = session.lost_of_listed(&both)?;
        let is_there = match &lost {
            Some(lost) => lost.is_empty(),
            None => session.store.are_finished(&both)?,
        };
        if is_there {
            report(slice, PairEvent::Found);
            continue;
        }
        check_needs(session, slice)?;
        report(slice, PairEvent::Begin);
        let solved = match lost {
            Some(lost) => {
                lost.iter().try_for_each(|&slice| session.store.remove_slice(slice))?;
                session.solve_again(slice, later.needs())
            }
            None => session.solve(slice, later.needs()),
        };
        solved.map_err(|error| with_damaged_slice(session, error))?;
        report(slice, PairEvent::Built);
    }
    Ok(())
}

/// Checks that all slices are there that have to be read to solve a slice and its twin.
fn check_needs(session: &BuildSession<'_>, slice: Slice) -> Result<(), BuildError> {
    // The directories are listed, since a network file system may have cached that a single name
    // did not exist a moment ago.
    let there: HashSet<Slice> = session.store.slices_there()?.into_iter().collect();
    let mut missing = session.resident.missing(&Builder::needs(slice));
    missing.retain(|need| !there.contains(need));
    match missing.first() {
        None => Ok(()),
        Some(&first) => Err(BuildError::Needs {
            path: session.store.slice_path(first),
            slice: slice.name().file_name(),
            first: first.name().file_name(),
            missing: missing.len(),
        }),
    }
}

/// The error of a damaged slice. If the MANIFEST does not list it, only its pair has to be built
/// again.
fn with_damaged_slice(session: &BuildSession<'_>, error: BuildError) -> BuildError {
    let BuildError::Store(StoreError::Mismatch { path, .. } | StoreError::Wire { path, .. }) =
        &error
    else {
        return error;
    };
    let unlisted = session.unlisted().find(|&slice| session.store.slice_path(slice) == *path);
    match unlisted {
        None => error,
        Some(slice) => BuildError::DamagedSlice {
            path: path.clone(),
            slice: pair_of(slice).name().file_name(),
        },
    }
}
