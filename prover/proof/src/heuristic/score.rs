//! Scores: hundredths of a man for the side to move; wins and losses lie beyond all evaluations.

use super::claims::Claims;
use super::eval::LIMIT;
use crate::egdb::{Value, ValueRange};

/// The score of a win on the board, before the number of moves to it is subtracted.
pub(super) const WIN: i32 = 30_000;
/// The score of a win in the database, before the number of moves to that position is subtracted.
const DATABASE_WIN: i32 = 20_000;
/// The score of a win that is proved but has no distance: another thread has proved it, or a search
/// whose score was lost.
const PROVED_WIN: i32 = 15_000;
/// Scores beyond this are wins or losses, each well founded.
pub(super) const DECISIVE: i32 = LIMIT + 1_000;
/// A bound that no score reaches.
pub(super) const INFINITE: i32 = 32_000;

/// The score of a database value that is met `ply` moves from the root.
pub(super) fn of_value(value: Value, ply: usize) -> i32 {
    match value {
        Value::Win => DATABASE_WIN - ply as i32,
        Value::Draw => 0,
        Value::Loss => ply as i32 - DATABASE_WIN,
    }
}

/// Converts a score counted from the root to one counted from a position at `ply`.
pub(super) fn from_here(score: i32, ply: usize) -> i32 {
    match score {
        DECISIVE.. => score + ply as i32,
        s if s <= -DECISIVE => score - ply as i32,
        _ => score,
    }
}

/// The inverse of [`from_here`].
pub(super) fn from_root(score: i32, ply: usize) -> i32 {
    match score {
        DECISIVE.. => score - ply as i32,
        s if s <= -DECISIVE => score + ply as i32,
        _ => score,
    }
}

/// The nearest score that does not contradict the claims.
pub(super) fn claims_allow(claims: Claims, score: i32) -> i32 {
    let ValueRange { lower, upper } = claims.range();
    match (lower, upper) {
        (Value::Win, _) => score.max(PROVED_WIN),
        (_, Value::Loss) => score.min(-PROVED_WIN),
        (Value::Draw, Value::Draw) => 0,
        (Value::Draw, Value::Win) => score.max(0),
        (Value::Loss, Value::Draw) => score.min(0),
        (Value::Loss, Value::Win) => score,
    }
}
