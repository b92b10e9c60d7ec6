//! Finds depths that are not stored, for the moves of won and lost positions.

use super::{Lookup, LookupError};
use crate::board::Position;
use crate::egdb::{DepthFinder, RatedMove, Value, converts};

impl Lookup<'_> {
    /// Like [`Lookup::rate_moves`]. Where the position is won or lost, depths that are not stored
    /// are found, as far as the order of the best moves needs them and until `is_stopped` returns
    /// true.
    pub fn rate_moves_with(
        &self,
        finder: &mut DepthFinder,
        position: &Position,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<RatedMove>, LookupError> {
        let mut rated = self.rate_moves(position)?;
        let value = rated.first().and_then(|best| best.value.value());
        let Some(value) = value.filter(|value| *value != Value::Draw) else { return Ok(rated) };
        let as_good = rated.iter().take_while(|m| m.value.value() == Some(value)).count();
        let converting = rated[..as_good].iter_mut().filter(|m| converts(position, &m.after));
        let mut converting: Vec<_> = converting.collect();
        converting.iter_mut().for_each(|m| m.depth = Some(1));
        let is_last = converting.len() == as_good || value == Value::Win && !converting.is_empty();
        if is_last {
            // The winner has nothing better than to convert, or the loser can only convert. The
            // depths after the conversions decide which of them is best.
            if converting.len() > 1 {
                for m in converting.into_iter().filter(|m| m.further.is_none()) {
                    m.further = finder.depth(self.values, &m.after, is_stopped);
                }
            }
        } else if rated[..as_good].iter().any(|m| m.depth.is_none()) {
            finder.depth(self.values, position, is_stopped);
            for m in rated[..as_good].iter_mut().filter(|m| m.depth.is_none()) {
                m.further = finder.known(self.board, &m.after);
                m.depth = m.further.map(|further| further + 1);
            }
        }
        rated.sort_by_key(RatedMove::rank);
        Ok(rated)
    }
}
