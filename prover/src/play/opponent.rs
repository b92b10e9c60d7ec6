//! Whoever answers.

use std::fmt;

use certificate_spec::claim::Question;
use thiserror::Error;

use super::proof_moves::ProofMoves;
use super::record::GameRecord;
use crate::board::Position;
use crate::certificate::BrokenProof;
use crate::egdb::Value;
use crate::heuristic::{Analysis, Bound, Heuristic, Limits};
use crate::lookup::{Lookup, LookupError, RatedMove};

/// A move, and who says that it is good.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The position after it.
    pub after: Position,
    /// Who says so.
    pub source: Source,
}

/// Where a move comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// There is no other.
    OnlyMove,
    /// The certificate, which proves this.
    Proof(Question),
    /// The database, by the values of all moves.
    Database {
        /// The value for the side that moves.
        value: Value,
        /// The plies to the next capture, crowning or move of a man, if they are known.
        depth: Option<u32>,
    },
    /// An alpha-beta search.
    Search {
        /// A guess in hundredths of a man, for the side that moves.
        score: i32,
        /// How deep it was.
        depth: u32,
        /// What it has proved.
        proven: Bound,
    },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::OnlyMove => f.write_str("the only move"),
            Source::Proof(question) => f.write_str(match question {
                Question::BlackNotLost => "proof: Black does not lose",
                Question::WhiteNotLost => "proof: White does not lose",
                Question::BlackWins => "proof: Black wins",
                Question::WhiteWins => "proof: White wins",
            }),
            Source::Database { value, depth } => {
                f.write_str(match value {
                    Value::Win => "database: win",
                    Value::Draw => "database: draw",
                    Value::Loss => "database: loss",
                })?;
                depth.map_or(Ok(()), |depth| write!(f, ", depth {depth}"))
            }
            Source::Search { proven, .. } if proven.is_exact() => write!(f, "search: {proven}"),
            Source::Search { score, depth, .. } => {
                write!(f, "search: score {score:+}, depth {depth}")
            }
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The database.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The certificate.
    #[error(transparent)]
    Proof(#[from] BrokenProof),
}

/// A player: a certificate, a database, and a search for what neither knows.
pub struct Opponent<'a> {
    /// The database.
    pub lookup: Lookup<'a>,
    /// The certificate, if there is one.
    pub proof: Option<ProofMoves<'a>>,
    /// The search,
    pub engine: Heuristic<'a>,
    /// and how far it goes.
    pub limits: Limits,
}

impl Opponent<'_> {
    /// A move for the side whose turn it is; `None` if there is none. What is known to win comes
    /// first, then the proof, then what the database decides, and last the search.
    ///
    /// # Errors
    /// [`PlayError`]
    pub fn choose(&mut self, record: &GameRecord) -> Result<Option<Choice>, PlayError> {
        self.choose_and_report(record, &mut |_| ())
    }

    /// The same; `see` is shown what a search finds, depth by depth.
    ///
    /// # Errors
    /// [`PlayError`]
    pub fn choose_and_report(
        &mut self,
        record: &GameRecord,
        see: &mut dyn FnMut(&Analysis),
    ) -> Result<Option<Choice>, PlayError> {
        let position = record.position();
        let rated = self.lookup.rate_moves(position)?;
        let Some(best) = rated.first() else { return Ok(None) };
        if rated.len() == 1 {
            return Ok(Some(Choice { after: best.after, source: Source::OnlyMove }));
        }
        // No other move can be better.
        let decided = best.value.exact().filter(|v| rated.iter().all(|m| m.value.upper() <= *v));
        if decided != Some(Value::Win)
            && let Some(proof) = &mut self.proof
            && let Some((question, after)) = proof.choice(position)?
        {
            return Ok(Some(Choice { after, source: Source::Proof(question) }));
        }
        Ok(Some(match decided {
            Some(value) => self.by_database(record, &rated, value)?,
            None => self.search(record, best.after, see),
        }))
    }

    /// The best move by values. Where depths do not show the way to the end of a win, it is looked
    /// for; where that fails, and in other positions, one to where the game has not been yet.
    fn by_database(
        &self,
        record: &GameRecord,
        rated: &[RatedMove],
        value: Value,
    ) -> Result<Choice, PlayError> {
        let best = rated[0];
        let way = match (value, best.depth) {
            (Value::Win, Some(_)) => Some(best.after),
            (Value::Win, None) => self.lookup.fastest(record.position())?,
            _ => None,
        };
        let as_good = rated.iter().filter(|m| m.value.exact() == Some(value));
        let fresh = || as_good.map(|m| m.after).min_by_key(|after| record.times(after));
        let after = way.or_else(fresh).unwrap_or(best.after);
        let depth = rated.iter().find(|m| m.after == after).and_then(|m| m.depth);
        Ok(Choice { after, source: Source::Database { value, depth } })
    }

    /// The move that the search likes best; `otherwise` if it has no variation to show.
    fn search(
        &mut self,
        record: &GameRecord,
        otherwise: Position,
        see: &mut dyn FnMut(&Analysis),
    ) -> Choice {
        let (earlier, position) = (record.earlier(), record.position());
        let found = self.engine.search_after(&earlier, position, self.limits, see);
        let (score, depth, proven) = (found.score, found.depth, found.proven);
        let after = found.pv.first().copied().unwrap_or(otherwise);
        Choice { after, source: Source::Search { score, depth, proven } }
    }
}
