//! Looks a position up: its value, that of each legal move, and the line of play to the end of a
//! win.
//!
//! All values are proved: by the database, by the rules where a side cannot move, or because they
//! follow from the values of the moves. A value that is not known is reported as unknown.

mod answer;
mod depths_found;
mod fastest;
mod line;

use std::cmp::Reverse;

pub use answer::{KnownValue, MoveAnswer, PositionAnswer};

use crate::board::{Board, MoveError, Position};
use crate::egdb::{Depths, StoreError, Value, Values};

/// The sources of values and depths.
#[derive(Clone, Copy)]
pub struct Lookup<'a> {
    /// The board.
    pub board: &'a Board,
    /// The values of the positions.
    pub values: &'a Values,
    /// The depths; none if there can be none.
    pub depths: Option<&'a Depths>,
}

/// The reason why a position has no answer.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A move has no name, which is a mistake of the program.
    #[error(transparent)]
    Move(#[from] MoveError),
}

/// A legal move with its value and depth, as far as known.
#[derive(Debug, Clone, Copy)]
pub struct RatedMove {
    /// The position after the move.
    pub after: Position,
    /// The value of the move for the side that makes it.
    pub value: KnownValue,
    /// The plies until the next capture, crowning or move of a man, this move included.
    pub depth: Option<u32>,
    /// The depth of the position after the move. Among moves of equal depth it tells how long the
    /// next part of the win takes.
    further: Option<u32>,
}

impl RatedMove {
    /// The key by which moves are sorted, the best first: by the certain value, then by the
    /// possible one, then by depth (wins soon, losses late), known depths before unknown ones.
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
    /// The answer about a position: its value, its depth, its moves and the line to the end of a
    /// win.
    ///
    /// # Errors
    /// [`LookupError`] when a file of the database cannot be read or is damaged.
    pub fn answer(&self, position: &Position) -> Result<PositionAnswer, LookupError> {
        Ok(self.answer_with(position, |_| KnownValue::UNKNOWN)?.0)
    }

    /// Like [`Lookup::answer`], but also uses bounds from `proved`, for the sides to move. The
    /// moves are returned a second time, with their positions, in the order of the answer.
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

    /// The legal moves, the best first. Moves that lead to equal positions are one.
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

    /// The value by [`Lookup::known`], or by the moves where they say more.
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

    /// The stored depth of a position with this value; 0 where there is no move.
    fn stored_depth(&self, position: &Position, value: Value) -> Result<Option<u32>, StoreError> {
        if !self.board.can_move(position) {
            return Ok(Some(0));
        }
        self.depths.map_or(Ok(None), |depths| depths.depth(position, value))
    }

    /// The stored depth, or the one that follows from the moves.
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
        // No depth is less than one ply; for other depths a move of unknown depth may be better.
        let decides = |best: &&RatedMove| best.depth == Some(1) && value == Value::Win;
        let are_all_known = moves.iter().all(|other| {
            let is_worse = other.value.upper() < value;
            is_worse || other.value.exact().is_some() && other.depth.is_some()
        });
        Ok(best.filter(|best| are_all_known || decides(best)).and_then(|best| best.depth))
    }
}

/// Whether a move is a conversion: a man has moved or was crowned, or a piece was captured.
fn converts(before: &Position, after: &Position) -> bool {
    let men = |p: &Position| (p.black & !p.kings, p.white & !p.kings);
    men(before) != men(after) || before.pieces() != after.pieces()
}
