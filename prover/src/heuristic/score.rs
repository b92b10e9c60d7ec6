//! Scores: hundredths of a man for the side to move, and beyond all evaluations wins and losses.

use super::bound::{Bound, Claims};
use super::eval::LIMIT;
use crate::egdb::Value;

/// The score of a win on the board, less the moves to it.
pub(super) const WIN: i32 = 30_000;
/// The score of a win in the database, less the moves to where it is reached.
const DATABASE_WIN: i32 = 20_000;
/// The score of a win of which nothing is known but that it is one: another thread has proved it,
/// or a search whose score was lost.
const PROVED_WIN: i32 = 15_000;
/// Scores beyond this are wins or losses, each well founded.
pub(super) const DECISIVE: i32 = LIMIT + 1_000;
/// Beyond any score.
pub(super) const INFINITE: i32 = 32_000;

/// The score of a value of the database that is met so many moves from the root.
pub(super) fn of_value(value: Value, ply: usize) -> i32 {
    match value {
        Value::Win => DATABASE_WIN - ply as i32,
        Value::Draw => 0,
        Value::Loss => ply as i32 - DATABASE_WIN,
    }
}

/// A score as counted from a position at `ply`, of one as counted from the root.
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

/// A score that does not contradict what is proved.
pub(super) fn claims_allow(claims: Claims, score: i32) -> i32 {
    match claims.bound() {
        Bound::Win => score.max(PROVED_WIN),
        Bound::Loss => score.min(-PROVED_WIN),
        Bound::Draw => 0,
        Bound::AtLeastDraw => score.max(0),
        Bound::AtMostDraw => score.min(0),
        Bound::None => score,
    }
}
