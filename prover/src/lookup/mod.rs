//! Looking a position up: its value, that of each legal move, and how a win ends.
//!
//! All that is said is known: from the database, from the rules where a side cannot move, or
//! because it follows from the values of the moves. What is not known is said to be so.

mod answer;
mod depths_found;
mod fastest;
mod line;

use std::cmp::Reverse;

pub use answer::{KnownValue, MoveAnswer, PositionAnswer};

use crate::board::{Board, MoveError, Position};
use crate::egdb::{Depths, StoreError, Value, Values};

/// Where values and depths are.
#[derive(Clone, Copy)]
pub struct Lookup<'a> {
    /// The board.
    pub board: &'a Board,
    /// The values.
    pub values: &'a Values,
    /// The depths, if any can be there.
    pub depths: Option<&'a Depths>,
}

/// Why a position has no answer.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A move without a name; a mistake of the program.
    #[error(transparent)]
    Move(#[from] MoveError),
}

/// A legal move and what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct RatedMove {
    /// The position after it.
    pub after: Position,
    /// Its value for the side that makes it.
    pub value: KnownValue,
    /// The plies until the next capture, crowning or move of a man, this move included.
    pub depth: Option<u32>,
    /// The depth of the position after it. Among moves of the same depth it tells how long the win
    /// takes that comes next.
    further: Option<u32>,
}

impl RatedMove {
    /// What it is sorted by, the best first: what is certain, then what is possible, then the depth
    /// (wins soon, losses late), known before unknown.
    fn rank(&self) -> impl Ord + use<> {
        let by_depth = |depth: Option<u32>| {
            let depth = i64::from(depth?);
            Some(if self.value.exact() == Some(Value::Loss) { -depth } else { depth })
        };
        let (depth, further) = (by_depth(self.depth), by_depth(self.further));
        let value = (Reverse(self.value.lower()), Reverse(self.value.upper()));
        (value, depth.is_none(), depth, further.is_none(), further)
    }
}

impl Lookup<'_> {
    /// All that is known of a position.
    ///
    /// # Errors
    /// [`LookupError`] when a file of the database cannot be read or is damaged.
    pub fn answer(&self, position: &Position) -> Result<PositionAnswer, LookupError> {
        Ok(self.answer_with(position, |_| KnownValue::UNKNOWN)?.0)
    }

    /// The same with what else is `proved` of positions, for their sides to move. The moves are
    /// returned a second time, in the order in which the answer has them.
    ///
    /// # Errors
    /// As for [`Lookup::answer`].
    pub fn answer_with(
        &self,
        position: &Position,
        proved: impl Fn(&Position) -> KnownValue,
    ) -> Result<(PositionAnswer, Vec<RatedMove>), LookupError> {
        let mut rated = self.rate_moves(position)?;
        for m in &mut rated {
            m.value = m.value.narrowed(proved(&m.after).for_opponent());
        }
        rated.sort_by_key(RatedMove::rank);
        let value = self.value(position, &rated)?.narrowed(proved(position));
        let depth = self.depth_among(position, value, &rated)?;
        let is_played_out = depth.is_some() && value.exact() != Some(Value::Draw);
        let line =
            if is_played_out { self.line(position)?.unwrap_or_default() } else { Vec::new() };
        let moves = rated.iter().map(|rated| self.name(position, rated));
        let answer = PositionAnswer {
            fen: self.board.write_fen(position),
            value,
            depth,
            moves: moves.collect::<Result<_, _>>()?,
            line,
        };
        Ok((answer, rated))
    }

    /// The legal moves, the best first. Moves that lead to the same position are one.
    ///
    /// # Errors
    /// As for [`Lookup::answer`].
    pub fn rate_moves(&self, position: &Position) -> Result<Vec<RatedMove>, LookupError> {
        let mut successors = Vec::new();
        self.board.successors(position, &mut successors);
        let rate = |after| self.rate(position, after);
        let mut rated = successors.into_iter().map(rate).collect::<Result<Vec<_>, _>>()?;
        rated.sort_by_key(RatedMove::rank);
        Ok(rated)
    }

    fn rate(&self, before: &Position, after: Position) -> Result<RatedMove, LookupError> {
        let there = self.known(&after)?;
        let further = match there.exact() {
            Some(value) => self.stored_depth(&after, value)?,
            None => None,
        };
        let depth = further.map(|further| if converts(before, &after) { 1 } else { further + 1 });
        Ok(RatedMove { after, value: there.for_opponent(), depth, further })
    }

    fn name(&self, before: &Position, rated: &RatedMove) -> Result<MoveAnswer, LookupError> {
        let RatedMove { after, value, depth, .. } = *rated;
        let name = self.board.write_move(before, &after)?;
        Ok(MoveAnswer { name, fen: self.board.write_fen(&after), value, depth })
    }

    /// The value by the database, or by the rules where a side has no pieces or no move.
    pub(crate) fn known(&self, position: &Position) -> Result<KnownValue, StoreError> {
        if !self.board.can_move(position) {
            return Ok(KnownValue::Exact { value: Value::Loss });
        }
        if !position.both_sides() {
            return Ok(KnownValue::Exact { value: Value::Win });
        }
        let value = self.values.try_probe(position)?;
        Ok(value.map_or(KnownValue::UNKNOWN, |value| KnownValue::Exact { value }))
    }

    /// The same, or what follows from the moves where that says more.
    fn value(&self, position: &Position, moves: &[RatedMove]) -> Result<KnownValue, StoreError> {
        let known = self.known(position)?;
        let best = |bound: fn(KnownValue) -> Value| moves.iter().map(|m| bound(m.value)).max();
        Ok(match (known, best(KnownValue::lower), best(KnownValue::upper)) {
            (KnownValue::Between { .. }, Some(lower), Some(upper)) => {
                KnownValue::between(lower, upper)
            }
            _ => known,
        })
    }

    /// The depth of a position with this value as it is stored, or by the rules where there is no
    /// move.
    fn stored_depth(&self, position: &Position, value: Value) -> Result<Option<u32>, StoreError> {
        if !self.board.can_move(position) {
            return Ok(Some(0));
        }
        self.depths.map_or(Ok(None), |depths| depths.depth(position, value))
    }

    /// The same, or as it follows from the moves.
    fn depth_among(
        &self,
        position: &Position,
        value: KnownValue,
        moves: &[RatedMove],
    ) -> Result<Option<u32>, StoreError> {
        let Some(value) = value.exact().filter(|value| *value != Value::Draw) else {
            return Ok(None);
        };
        if let Some(stored) = self.stored_depth(position, value)? {
            return Ok(Some(stored));
        }
        let best = moves.first().filter(|best| best.value.exact() == Some(value));
        // Nothing is sooner than one ply; otherwise a move of which less is known may be better.
        let decides = |best: &&RatedMove| best.depth == Some(1) && value == Value::Win;
        let are_all_known = moves.iter().all(|other| {
            let is_worse = other.value.upper() < value;
            is_worse || other.value.exact().is_some() && other.depth.is_some()
        });
        Ok(best.filter(|best| are_all_known || decides(best)).and_then(|best| best.depth))
    }
}

/// Whether a move captures, crowns or moves a man: whether men stand elsewhere, or a piece is gone.
fn converts(before: &Position, after: &Position) -> bool {
    let men = |p: &Position| (p.black & !p.kings, p.white & !p.kings);
    men(before) != men(after) || before.pieces() != after.pieces()
}
