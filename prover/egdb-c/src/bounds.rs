//! Bounds and depths of a position, besides its value.

use std::ffi::{c_char, c_int};

use draughtproof_egdb::{Cached, Database};
use draughtproof_game::Position;

use crate::database::{EGDB_UNKNOWN, answer, egdb_database, egdb_position, number};

/// From `egdb_probe_cached`: a file would have to be read for the value.
pub const EGDB_NOT_CACHED: c_int = 4;
/// From `egdb_depth`, and in `egdb_move`: there is no depth, because the position is drawn or
/// unknown, or no depths are stored (`prove db --depth`).
pub const EGDB_NO_DEPTH: c_int = -3;

/// Like `egdb_probe`, but reads no file and decodes nothing: if the value is not in memory, it
/// returns `EGDB_NOT_CACHED`. This is for a search that looks many positions up and cannot wait.
///
/// # Safety
/// As for `egdb_probe`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_probe_cached(
    database: *const egdb_database,
    position: egdb_position,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let probe = |database: &Database, position: &Position| match database.probe_cached(position) {
        Ok(Cached::Value(value)) => Ok(number(Some(value))),
        Ok(Cached::Unknown) => Ok(EGDB_UNKNOWN),
        Ok(Cached::NotCached) => Ok(EGDB_NOT_CACHED),
        Err(error) => Err(error.to_string()),
    };
    // SAFETY: the caller vouches for it.
    unsafe { answer(database, position, (error, error_size), probe) }
}

/// The bounds of the value of a position, inclusively, for the side to move: writes `EGDB_LOSS`,
/// `EGDB_DRAW` or `EGDB_WIN` into `lower` and `upper`, which are equal where the value is known.
/// Where the database does not cover the position, the bounds follow from the rules and the values
/// of its moves; `EGDB_LOSS` and `EGDB_WIN` mean that nothing is known. Returns 0, `EGDB_INVALID`,
/// or `EGDB_ERROR` and a message.
///
/// # Safety
/// As for `egdb_probe`; `lower` and `upper` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_bounds(
    database: *const egdb_database,
    position: egdb_position,
    lower: *mut c_int,
    upper: *mut c_int,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let find = |database: &Database, position: &Position| {
        let bounds = database.bounds(position).map_err(|e| e.to_string())?;
        for (out, value) in [(lower, bounds.lower), (upper, bounds.upper)] {
            if !out.is_null() {
                // SAFETY: the caller vouches for it.
                unsafe { out.write(number(Some(value))) };
            }
        }
        Ok(0)
    };
    // SAFETY: the caller vouches for it.
    unsafe { answer(database, position, (error, error_size), find) }
}

/// The depth of a won or lost position: the plies until the next capture, crowning or move of a man
/// that keeps the value, that move included, when the winner hurries and the loser delays; 0 for a
/// loss without a move. Otherwise `EGDB_NO_DEPTH`, `EGDB_INVALID`, or `EGDB_ERROR` and a message.
///
/// # Safety
/// As for `egdb_probe`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_depth(
    database: *const egdb_database,
    position: egdb_position,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let find = |database: &Database, position: &Position| {
        Ok(depth_number(database.depth(position).map_err(|e| e.to_string())?))
    };
    // SAFETY: the caller vouches for it.
    unsafe { answer(database, position, (error, error_size), find) }
}

/// A depth in C; `EGDB_NO_DEPTH` if there is none.
pub(crate) fn depth_number(depth: Option<u32>) -> c_int {
    depth.and_then(|plies| c_int::try_from(plies).ok()).unwrap_or(EGDB_NO_DEPTH)
}
