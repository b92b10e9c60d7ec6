//! The values of positions that a database need not cover, and of each of their moves.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;

use crate::database::Database;
use crate::depth::Depths;
use crate::disk::StoreError;
use crate::values::resident::Values;
use certificate_spec::value::Value;
use draughtproof_game::Position;

/// A legal move with its value and depth, as far as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatedMove {
    pub after: Position,
    pub value: ValueRange,
    /// The plies until the next capture, crowning or move of a man that keeps the value, this move
    /// included; `None` for draws and where no depth is known.
    pub depth: Option<u32>,
    /// The depth of the position after the move. Among moves of equal depth it tells how long the
    /// next part of the win takes.
    pub further: Option<u32>,
}

impl RatedMove {
    /// The key by which moves are sorted, the best first: by the certain value, then by the
    /// possible one, then by depth (wins soon, losses late). An unknown depth is taken for a long
    /// one.
    pub fn rank(&self) -> impl Ord + use<> {
        let sign = if self.value.value() == Some(Value::Loss) { -1 } else { 1 };
        let late = |depth: Option<u32>| sign * depth.map_or(i64::MAX, i64::from);
        let value = (Reverse(self.value.lower), Reverse(self.value.upper));
        (value, late(self.depth), late(self.further))
    }

    /// The value of a position that follows from those of all its moves.
    pub fn best_value(moves: &[RatedMove]) -> ValueRange {
        let mut best = ValueRange::exact(Value::Loss);
        for m in moves {
            best.lower = best.lower.max(m.value.lower);
            best.upper = best.upper.max(m.value.upper);
        }
        best
    }
}

impl Values {
    /// The value by the rules, where a side has no piece or no move, or as it is stored.
    pub fn known(&self, position: &Position) -> Result<ValueRange, StoreError> {
        if !self.board().can_move(position) {
            return Ok(ValueRange::exact(Value::Loss));
        }
        if !position.both_sides() {
            return Ok(ValueRange::exact(Value::Win));
        }
        Ok(self.try_probe(position)?.map_or(ValueRange::UNKNOWN, ValueRange::exact))
    }

    /// The legal moves, the best first. Moves that lead to equal positions are one.
    pub fn rate_moves(
        &self,
        depths: Option<&Depths>,
        position: &Position,
    ) -> Result<Vec<RatedMove>, StoreError> {
        let mut successors = Vec::new();
        self.board().successors(position, &mut successors);
        let mut rated = Vec::with_capacity(successors.len());
        for after in successors {
            let there = self.known(&after)?;
            let further = match there.value() {
                Some(value) => self.stored_depth(depths, &after, value)?,
                None => None,
            };
            // A conversion that keeps the value is the next one, however long the win takes then.
            let depth = match there.value().is_some_and(|value| value != Value::Draw) {
                true if converts(position, &after) => Some(1),
                _ => further.map(|n| n + 1),
            };
            rated.push(RatedMove { after, value: there.reversed(), depth, further });
        }
        rated.sort_by_key(RatedMove::rank);
        Ok(rated)
    }

    /// The positions of best play by stored depths from a won or lost position to the end of the
    /// game: the winner always hurries to the next capture, crowning or move of a man, and the
    /// loser always delays it. The shortest win can be shorter than this line. `None` for draws,
    /// where a depth on the way is not stored, and if `is_stopped` returns true, which is called at
    /// each ply.
    ///
    /// # Errors
    /// [`StoreError`] when a file of the database cannot be read or is damaged.
    pub fn line(
        &self,
        depths: Option<&Depths>,
        start: &Position,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Position>>, StoreError> {
        let (mut line, mut seen) = (Vec::new(), HashSet::new());
        let mut at = *start;
        while let Some(best) = self.rate_moves(depths, &at)?.into_iter().next() {
            let is_decided = best.value.value().is_some_and(|value| value != Value::Draw);
            // Correct depths never lead to a position twice.
            if !is_decided || best.further.is_none() || !seen.insert(at) || is_stopped() {
                return Ok(None);
            }
            line.push(best.after);
            at = best.after;
        }
        Ok(Some(line))
    }

    /// The stored depth of a position with this value; 0 where there is no move.
    pub fn stored_depth(
        &self,
        depths: Option<&Depths>,
        position: &Position,
        value: Value,
    ) -> Result<Option<u32>, StoreError> {
        if !self.board().can_move(position) {
            return Ok(Some(0));
        }
        depths.map_or(Ok(None), |depths| depths.depth(position, value))
    }
}

impl Database {
    /// The bounds of a position's value: by the rules, where a side has no piece or no move; from
    /// the database; or from the values of the moves, where the position itself is not covered.
    pub fn bounds(&self, position: &Position) -> Result<ValueRange, StoreError> {
        let known = self.values.known(position)?;
        if known.value().is_some() {
            return Ok(known);
        }
        Ok(RatedMove::best_value(&self.values.rate_moves(None, position)?))
    }

    /// The legal moves with values and depths, the best first: wins that come soon, draws, losses
    /// that come late; a move whose value is not certain is sorted by its lower bound. Moves that
    /// lead to equal positions are one.
    pub fn moves(&self, position: &Position) -> Result<Vec<RatedMove>, StoreError> {
        self.values.rate_moves(Some(&self.depths), position)
    }
}

impl Database {
    /// The number of plies of [`Values::line`].
    ///
    /// # Errors
    /// [`StoreError`] when a file of the database cannot be read or is damaged.
    pub fn plies(&self, position: &Position) -> Result<Option<u32>, StoreError> {
        let line = self.values.line(Some(&self.depths), position, &|| false)?;
        Ok(line.and_then(|line| line.len().try_into().ok()))
    }
}

/// Whether a move is a conversion: a man has moved or was crowned, or a piece was captured.
pub fn converts(before: &Position, after: &Position) -> bool {
    let men = |p: &Position| (p.black & !p.kings, p.white & !p.kings);
    men(before) != men(after) || before.pieces() != after.pieces()
}

/// The possible values of a position for one side: those between two bounds, inclusively.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ValueRange {
    /// The lower bound of the value.
    pub lower: Value,
    /// The upper bound of the value.
    pub upper: Value,
}

impl ValueRange {
    /// The range of a value of which nothing is known.
    pub const UNKNOWN: Self = ValueRange { lower: Value::Loss, upper: Value::Win };
    pub const AT_LEAST_DRAW: Self = ValueRange { lower: Value::Draw, upper: Value::Win };
    pub const AT_MOST_DRAW: Self = ValueRange { lower: Value::Loss, upper: Value::Draw };

    /// The range of a known value.
    pub const fn exact(value: Value) -> Self {
        ValueRange { lower: value, upper: value }
    }

    /// The value, if both bounds are equal.
    pub fn value(self) -> Option<Value> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Whether a value is possible.
    pub fn admits(self, value: Value) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// The range for the other side.
    pub const fn reversed(self) -> Self {
        ValueRange { lower: self.upper.reversed(), upper: self.lower.reversed() }
    }

    /// The intersection of two ranges. If they contradict each other, `self` is returned.
    pub fn narrowed(self, other: Self) -> Self {
        let lower = self.lower.max(other.lower);
        let upper = self.upper.min(other.upper);
        if lower <= upper { ValueRange { lower, upper } } else { self }
    }
}

impl fmt::Display for ValueRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.lower, self.upper) {
            (Value::Loss, Value::Win) => "unknown",
            (Value::Draw, Value::Win) => ">=draw",
            (Value::Loss, Value::Draw) => "<=draw",
            (lower, _) => lower.name(),
        })
    }
}
