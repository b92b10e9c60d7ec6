//! The sources of values.

use std::fmt;

use serde::Serialize;

use super::Lookup;
use crate::board::Position;
use crate::egdb::{StoreError, ValueRange};

/// The source of a value or a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// A side has no piece or no move.
    Rules,
    /// The database has the position, or the positions after its captures.
    Database,
    /// A certificate has the position.
    Proof,
    /// The values of the moves.
    Moves,
}

impl Basis {
    /// The name of the basis in answers.
    pub fn name(self) -> &'static str {
        match self {
            Basis::Rules => "rules",
            Basis::Database => "database",
            Basis::Proof => "proof",
            Basis::Moves => "moves",
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Basis::Rules => "by the rules",
            Basis::Database => "by database",
            Basis::Proof => "by proof",
            Basis::Moves => "by its moves",
        })
    }
}

impl Lookup<'_> {
    /// Returns the source of the value of a position, as it was found; `None` if nothing is known.
    ///
    /// # Errors
    /// [`StoreError`] when a file of the database cannot be read or is damaged.
    pub fn basis(
        &self,
        position: &Position,
        value: ValueRange,
    ) -> Result<Option<Basis>, StoreError> {
        if value == ValueRange::UNKNOWN {
            return Ok(None);
        }
        if !position.both_sides() || !self.board.can_move(position) {
            return Ok(Some(Basis::Rules));
        }
        if self.values.try_probe(position)?.is_some() {
            return Ok(Some(Basis::Database));
        }
        let is_proved = self.proved(position) != ValueRange::UNKNOWN;
        Ok(Some(if is_proved { Basis::Proof } else { Basis::Moves }))
    }
}
