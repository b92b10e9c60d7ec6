//! The claims of certificates about their starts.

use std::collections::BTreeMap;

use thiserror::Error;

use super::outcomes::Outcomes;
use crate::board::{Board, Position};

/// Sources that contradict each other.
#[derive(Debug, Error)]
#[error("{position}: {sources} contradict each other: let check verify them", sources = .sources.join(" and "))]
pub struct ContradictionError {
    /// The FEN of the position.
    pub position: String,
    /// The sources that make claims about it.
    pub sources: Vec<String>,
}

/// The known outcomes of a position, and their sources.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) outcomes: Outcomes,
    pub(super) sources: Vec<String>,
}

impl Known {
    pub(super) fn nothing() -> Known {
        Known { outcomes: Outcomes::ANY, sources: Vec::new() }
    }

    pub(super) fn add(
        &mut self,
        outcomes: Outcomes,
        source: String,
        board: &Board,
        position: &Position,
    ) -> Result<(), ContradictionError> {
        self.outcomes = self.outcomes.and(outcomes);
        self.sources.push(source);
        if self.outcomes.is_empty() {
            let position = board.write_fen(position);
            return Err(ContradictionError { position, sources: self.sources.clone() });
        }
        Ok(())
    }
}

/// The claims of certificates, by their starts. Several claims about one start are intersected: if
/// neither side loses, it is a draw. A position and its twin are one start: a claim about one of
/// them holds for the other with colours exchanged.
pub struct Evidence<'a> {
    pub(super) board: &'a Board,
    known: BTreeMap<Position, Known>,
}

impl<'a> Evidence<'a> {
    /// Evidence without any claims.
    pub fn new(board: &'a Board) -> Self {
        Evidence { board, known: BTreeMap::new() }
    }

    /// Adds the claim of `source` about a position.
    ///
    /// # Errors
    /// [`ContradictionError`] if no outcome is left.
    pub fn add(
        &mut self,
        position: &Position,
        outcomes: Outcomes,
        source: String,
    ) -> Result<(), ContradictionError> {
        let outcomes = if self.is_turned(position) { outcomes.turned() } else { outcomes };
        let known = self.known.entry(self.one_of_two(position)).or_insert_with(Known::nothing);
        known.add(outcomes, source, self.board, position)
    }

    pub(super) fn of(&self, position: &Position) -> Known {
        let known = self.known.get(&self.one_of_two(position)).cloned();
        let Known { outcomes, sources } = known.unwrap_or_else(Known::nothing);
        let outcomes = if self.is_turned(position) { outcomes.turned() } else { outcomes };
        Known { outcomes, sources }
    }

    /// The representative of a position and its twin.
    fn one_of_two(&self, position: &Position) -> Position {
        position.twin(self.board).min(*position)
    }

    fn is_turned(&self, position: &Position) -> bool {
        self.one_of_two(position) != *position
    }
}
