//! Bounds on the value of a position that a database need not cover, and on the value of each of
//! its moves.

use std::cmp::Reverse;

use certificate_spec::value::Value;
use draughtproof_game::{Board, MoveError, Position};
use thiserror::Error;

use crate::database::Database;
use crate::disk::error::StoreError;

/// Bounds of a value for the side to move, inclusively.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound of the value.
    pub lower: Value,
    /// The upper bound of the value.
    pub upper: Value,
}

impl Bounds {
    /// The bounds of a value of which nothing is known.
    pub const UNKNOWN: Bounds = Bounds { lower: Value::Loss, upper: Value::Win };

    fn exact(value: Value) -> Self {
        Bounds { lower: value, upper: value }
    }

    /// The value, if both bounds are equal.
    pub fn value(&self) -> Option<Value> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// The bounds for the other side.
    pub fn for_opponent(&self) -> Self {
        let turned = |value| match value {
            Value::Win => Value::Loss,
            Value::Draw => Value::Draw,
            Value::Loss => Value::Win,
        };
        Bounds { lower: turned(self.upper), upper: turned(self.lower) }
    }
}

/// A legal move with the bounds of its value and its depth, as far as known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatedMove {
    /// The name of the move in PDN, such as `22x15`.
    pub name: String,
    /// The position after the move.
    pub after: Position,
    /// The bounds of the move's value for the side that makes it.
    pub bounds: Bounds,
    /// The plies until the next capture, crowning or move of a man that keeps the value, this move
    /// included; `None` for draws and where no depth is stored.
    pub depth: Option<u32>,
}

impl RatedMove {
    /// The key by which moves are sorted, the best first.
    fn rank(&self) -> impl Ord + use<> {
        let depth = self.depth.map(i64::from);
        let is_loss = self.bounds.value() == Some(Value::Loss);
        let depth = depth.map(|depth| if is_loss { -depth } else { depth });
        (Reverse(self.bounds.lower), Reverse(self.bounds.upper), depth.is_none(), depth)
    }
}

/// The reason why moves have no values.
#[derive(Debug, Error)]
pub enum MovesError {
    /// A file of the database cannot be read or is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A move has no name, which is a mistake of this crate.
    #[error(transparent)]
    Name(#[from] MoveError),
}

impl Database {
    /// The bounds of a position's value: by the rules, where a side has no piece or no move; from
    /// the database; or from the values of the moves, where the position itself is not covered.
    ///
    /// # Errors
    /// As for [`Database::probe`].
    pub fn bounds(&self, position: &Position) -> Result<Bounds, StoreError> {
        let known = self.known(position)?;
        if known.value().is_some() {
            return Ok(known);
        }
        let mut bounds = Bounds::exact(Value::Loss);
        let mut successors = Vec::new();
        self.board().successors(position, &mut successors);
        for after in &successors {
            let bound = self.known(after)?.for_opponent();
            bounds.lower = bounds.lower.max(bound.lower);
            bounds.upper = bounds.upper.max(bound.upper);
        }
        Ok(bounds)
    }

    /// The legal moves with values and depths, the best first: wins that come soon, draws, losses
    /// that come late; a move whose value is not certain is sorted by its lower bound. Moves that
    /// lead to equal positions are one.
    ///
    /// # Errors
    /// [`MovesError`], when a file cannot be read or is damaged.
    pub fn moves(&self, position: &Position) -> Result<Vec<RatedMove>, MovesError> {
        let mut successors = Vec::new();
        self.board().successors(position, &mut successors);
        let rate = |after: Position| {
            let bounds = self.known(&after)?.for_opponent();
            let further = match self.board().can_move(&after) {
                true => self.depth(&after)?,
                false => Some(0),
            };
            let depth = further.map(|n| if converts(position, &after) { 1 } else { n + 1 });
            let name = self.board().write_move(position, &after)?;
            Ok::<_, MovesError>(RatedMove { name, after, bounds, depth })
        };
        let mut moves = successors.into_iter().map(rate).collect::<Result<Vec<_>, _>>()?;
        moves.sort_by_key(RatedMove::rank);
        Ok(moves)
    }

    /// The bounds without looking at the moves.
    fn known(&self, position: &Position) -> Result<Bounds, StoreError> {
        let by_rules = by_rules(self.board(), position);
        let value = by_rules.map_or_else(|| self.probe(position), |value| Ok(Some(value)))?;
        Ok(value.map_or(Bounds::UNKNOWN, Bounds::exact))
    }
}

/// The value where the game ends here, or after the next move because the other side has no piece.
fn by_rules(board: &Board, position: &Position) -> Option<Value> {
    if !board.can_move(position) {
        return Some(Value::Loss);
    }
    (!position.both_sides()).then_some(Value::Win)
}

/// Whether a move captures, crowns or moves a man.
fn converts(before: &Position, after: &Position) -> bool {
    let men = |p: &Position| (p.black & !p.kings, p.white & !p.kings);
    men(before) != men(after) || before.pieces() != after.pieces()
}
