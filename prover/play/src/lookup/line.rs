//! The line of play to the end of a win.

use std::collections::HashSet;

use super::{Lookup, LookupError};
use crate::board::Position;
use crate::egdb::Value;

impl Lookup<'_> {
    /// The names of the moves to the end of the game if the winner always hurries to the next
    /// capture, crowning or move of a man, and the loser always delays it. `None` where a depth on
    /// the way is not known: the values alone do not lead to the end of a win.
    pub(super) fn line(&self, start: &Position) -> Result<Option<Vec<String>>, LookupError> {
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        let mut at = *start;
        loop {
            let Some(best) = self.rate_moves(&at)?.into_iter().next() else {
                return Ok(Some(names));
            };
            let is_decided = best.value.value().is_some_and(|value| value != Value::Draw);
            // Correct depths never lead to a position twice.
            if !is_decided || best.depth.is_none() || !seen.insert(at) {
                return Ok(None);
            }
            names.push(self.board.write_move(&at, &best.after)?);
            at = best.after;
        }
    }
}
