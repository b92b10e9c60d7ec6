//! Alpha-beta among the moves that keep the value of a position.
//!
//! In positions that the database decides, an ordinary search sees only their value. This search
//! takes the value for granted and scores the positions otherwise, by the evaluation.

use draughtproof_proof::heuristic::Heuristic;

use crate::board::Position;
use crate::egdb::Value;
use crate::lookup::{Lookup, LookupError};

/// The score of a side without a move, beyond any evaluation.
const STUCK: i32 = 30_000;

/// A search among moves that keep the database value.
pub(super) struct KeptValue<'s, 'a> {
    pub(super) lookup: Lookup<'a>,
    pub(super) engine: &'s Heuristic<'a>,
}

impl KeptValue<'_, '_> {
    /// The moves that keep the value of a position, which must have this value.
    pub(super) fn moves(
        &self,
        position: &Position,
        value: Value,
    ) -> Result<Vec<Position>, LookupError> {
        let mut moves = Vec::new();
        self.lookup.board.successors(position, &mut moves);
        let mut kept = Vec::with_capacity(moves.len());
        for after in moves {
            if self.lookup.values.known(&after)?.value() == Some(value.reversed()) {
                kept.push(after);
            }
        }
        Ok(kept)
    }

    /// The score of a position of this value for the side to move, in hundredths of a man, by a
    /// search of `plies` plies; captures are played out.
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
        // A sooner loss has a lower score.
        let mut best = -STUCK + i32::from(u8::MAX) - plies.min(u8::MAX.into()) as i32;
        for after in self.moves(position, value)? {
            let window = (-beta, -alpha);
            let score = -self.node(&after, value.reversed(), plies.saturating_sub(1), window)?;
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }
}
