//! Alpha-beta among the moves that keep the value of a position.
//!
//! In positions that the database decides, an ordinary search sees nothing but their value. This
//! one takes the value for granted and asks how the players stand otherwise, by the evaluation.

use crate::board::Position;
use crate::egdb::Value;
use crate::heuristic::Heuristic;
use crate::lookup::{Lookup, LookupError};

/// Beyond any evaluation: the score of a side without a move.
const STUCK: i32 = 30_000;

/// A search over a database.
pub(super) struct KeptValue<'s, 'a> {
    pub(super) lookup: Lookup<'a>,
    pub(super) engine: &'s Heuristic<'a>,
}

impl KeptValue<'_, '_> {
    /// The moves that keep the value of a position that is known to have it.
    ///
    /// # Errors
    /// [`LookupError`]
    pub(super) fn moves(
        &self,
        position: &Position,
        value: Value,
    ) -> Result<Vec<Position>, LookupError> {
        let mut moves = Vec::new();
        self.lookup.board.successors(position, &mut moves);
        let mut kept = Vec::with_capacity(moves.len());
        for after in moves {
            if self.lookup.known(&after)?.exact() == Some(turned(value)) {
                kept.push(after);
            }
        }
        Ok(kept)
    }

    /// A guess in hundredths of a man for the side to move of a position of this value, so many
    /// plies deep; captures are played out.
    ///
    /// # Errors
    /// [`LookupError`]
    pub(super) fn score(
        &self,
        position: &Position,
        value: Value,
        plies: u32,
    ) -> Result<i32, LookupError> {
        self.node(position, value, plies, (-STUCK, STUCK))
    }

    fn node(
        &self,
        position: &Position,
        value: Value,
        plies: u32,
        (mut alpha, beta): (i32, i32),
    ) -> Result<i32, LookupError> {
        let is_quiet = !self.lookup.board.can_capture(position);
        if plies == 0 && is_quiet && self.lookup.board.can_move(position) {
            return Ok(self.engine.evaluate(position));
        }
        // Sooner is worse.
        let mut best = -STUCK + i32::from(u8::MAX) - plies.min(u8::MAX.into()) as i32;
        for after in self.moves(position, value)? {
            let window = (-beta, -alpha);
            let score = -self.node(&after, turned(value), plies.saturating_sub(1), window)?;
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }
}

/// The value for the other side.
pub(super) fn turned(value: Value) -> Value {
    match value {
        Value::Win => Value::Loss,
        Value::Draw => Value::Draw,
        Value::Loss => Value::Win,
    }
}
