//! Builds the slices that a store lacks, within a bound on memory.
//!
//! Slices are solved in order, each with its twin, and written as soon as they are solved. A slice
//! that is not in memory when it is needed is read from its file.

use certificate_spec::cover::Cover;
use certificate_spec::database::SliceRecord;

use super::error::BuildError;
use super::memory::depth_needs;
use super::pairs::pair_of;
use super::residency::Later;
use super::session::BuildSession;
use crate::disk::store::Store;
use crate::index::cover::{at_most, union};
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
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
