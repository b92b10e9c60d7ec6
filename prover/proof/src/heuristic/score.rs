//! Scores: hundredths of a man for the side to move; wins and losses lie beyond all evaluations.
//!
//! Claims about a position's value that are proved, kept apart from scores.
//!
//! A proof here is well founded: it ends in database values and in positions without moves, never
//! in an evaluation and never in a repetition. So it holds for the position independently of the
//! path to it (there is no graph-history interaction), and may be kept beside any score.

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
pub(super) fn from_here(score: i32, ply: i32) -> i32 {
    match score {
        DECISIVE.. => score + ply,
        s if s <= -DECISIVE => score - ply,
        _ => score,
    }
}

/// The inverse of [`from_here`].
pub(super) fn from_root(score: i32, ply: i32) -> i32 {
    from_here(score, -ply)
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

/// A set of claims about a position, a bit each, as the search collects them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Claims(u8);

impl Claims {
    const NOT_LOST: u8 = 1;
    const NOT_WON: u8 = 2;
    const WON: u8 = 4 | Self::NOT_LOST;
    const LOST: u8 = 8 | Self::NOT_WON;

    /// No claims.
    pub(super) const NONE: Claims = Claims(0);
    /// The claims that any single move may prove.
    const BY_ONE_MOVE: u8 = Self::WON | Self::NOT_LOST;
    /// All claims: those that hold after every move of a position without moves.
    const ALL: u8 = 15;

    /// The claims as bits, of which the lowest four are used.
    pub(super) fn bits(self) -> u8 {
        self.0
    }

    /// The inverse of [`Claims::bits`].
    pub(super) fn from_bits(bits: u8) -> Self {
        Claims(bits)
    }

    /// The claims that follow from a database value.
    pub(super) fn of(value: Value) -> Self {
        Claims(match value {
            Value::Win => Self::WON,
            Value::Draw => Self::NOT_LOST | Self::NOT_WON,
            Value::Loss => Self::LOST,
        })
    }

    /// Whether these are the claims that the side to move neither wins nor loses.
    pub(super) fn is_draw(self) -> bool {
        self.0 == Self::NOT_LOST | Self::NOT_WON
    }

    /// Whether a win or a loss is claimed.
    pub(super) fn is_decisive(self) -> bool {
        self.0 & 12 != 0
    }

    pub(super) fn is_not_lost(self) -> bool {
        self.0 & Self::NOT_LOST != 0
    }

    pub(super) fn is_not_won(self) -> bool {
        self.0 & Self::NOT_WON != 0
    }

    /// The union of two sets of claims.
    pub(super) fn and(self, other: Claims) -> Self {
        Claims(self.0 | other.0)
    }

    /// The claims as the other side states them: a win of one is a loss of the other.
    fn turned(self) -> u8 {
        (self.0 & 5) << 1 | (self.0 & 10) >> 1
    }

    /// The values that the claims leave possible.
    pub(super) fn range(self) -> ValueRange {
        let lower = match self {
            _ if self.0 & 4 != 0 => Value::Win,
            _ if self.is_not_lost() => Value::Draw,
            _ => Value::Loss,
        };
        let upper = match self {
            _ if self.0 & 8 != 0 => Value::Loss,
            _ if self.is_not_won() => Value::Draw,
            _ => Value::Win,
        };
        ValueRange { lower, upper }
    }
}

/// The claims about a position, collected from those about its successors.
#[derive(Clone, Copy)]
pub(super) struct Gathered {
    /// The claims that one of the successors so far proves.
    by_one: u8,
    /// The claims that hold after every successor so far.
    by_all: u8,
}

impl Gathered {
    /// The state before the first successor.
    pub(super) fn new() -> Self {
        Gathered { by_one: 0, by_all: Claims::ALL & !Claims::BY_ONE_MOVE }
    }

    /// Adds the claims about one more successor.
    pub(super) fn add(&mut self, successor: Claims) {
        self.by_one |= successor.turned() & Claims::BY_ONE_MOVE;
        self.by_all &= successor.turned();
    }

    /// The proved claims if there are successors that were not searched.
    pub(super) fn some(self) -> Claims {
        Claims(self.by_one)
    }

    /// The proved claims when all successors were added. A position without successors is a loss.
    pub(super) fn all(self) -> Claims {
        Claims(self.by_one | self.by_all)
    }
}
