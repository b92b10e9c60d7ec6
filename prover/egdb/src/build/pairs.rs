//! Builds some slices of a database while other processes build others of them.
//!
//! The slices that a slice follows from must be there; the order of the tasks has to ensure that.
//! The MANIFEST is left to [`extend`](super::extend::extend), which finds all slices finished.

use std::collections::HashSet;

use super::error::BuildError;
use super::residency::Later;
use super::session::BuildSession;
use crate::disk::error::StoreError;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;

/// An event of a slice and its twin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairEvent {
    /// Another process builds them, and this one waits until that is finished.
    Wait,
    /// They were there already, and are undamaged.
    Found,
    /// Building them begins.
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
