//! Looks a position up: its value, that of each legal move, and the line of play to the end of a
//! win.
//!
//! All values are proved: by the database, by a certificate, by the rules where a side cannot move,
//! or because they follow from the values of the moves. A value that is not known is reported as
//! unknown. Certificates need not have been checked: what they prove is what they claim.

mod fastest;
mod found;
mod proved_positions;

pub use found::Found;
pub use proved_positions::{Place, ProvedPositions, question_name};

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, MoveError, Position};
use crate::egdb::{Depths, RatedMove, StoreError, Value, ValueRange, Values};
use certificate_spec::claim::Question;
use serde::{Serialize, Serializer};
#[cfg(feature = "openapi")]
use utoipa::ToSchema;

/// The sources of values and depths.
#[derive(Clone, Copy)]
pub struct Lookup<'a> {
    pub board: &'a Board,
    /// The values of the positions.
    pub values: &'a Values,
    /// The depths; none if there can be none.
    pub depths: Option<&'a Depths>,
    /// The positions of certificates of the board.
    pub proofs: &'a [Arc<ProvedPositions>],
    /// The results of earlier work; without it, wins whose depths are not stored are in no order.
    pub found: Option<&'a Found>,
}

/// The reason why a position has no answer.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl Lookup<'_> {
    /// The answer about a position: its value, its depth, its moves and the line to the end of a
    /// win. With certificates it says what each value rests on.
    ///
    /// # Errors
    /// [`LookupError`] when a file of the database cannot be read or is damaged.
    pub fn answer(&self, position: &Position) -> Result<PositionAnswer, LookupError> {
        let (mut answer, rated) = self.answer_and_rate(position, &|| false)?;
        if answer.depth.is_some()
            && let Some(line) = self.line(position, &|| false)?
        {
            answer.plies = line.len().try_into().ok();
            answer.line = line;
        }
        if !self.proofs.is_empty() {
            answer.by = self.basis(position, answer.value)?;
            for (named, rated) in answer.moves.iter_mut().zip(&rated) {
                named.by = self.basis(&rated.after, rated.value.reversed())?;
            }
        }
        Ok(answer)
    }

    /// Like [`Lookup::answer`], without the line and without what values rest on; also returns the
    /// moves with their positions, in the order of the answer. `is_stopped` is as for
    /// [`Lookup::moves_until`].
    pub fn answer_and_rate(
        &self,
        position: &Position,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(PositionAnswer, Vec<RatedMove>), LookupError> {
        let rated = self.moves_until(position, is_stopped)?;
        let value = self.value(position, &rated)?;
        let depth = self.depth_among(position, value, &rated)?;
        let moves = rated.iter().map(|rated| self.name(position, rated));
        let answer = PositionAnswer {
            fen: self.board.write_fen(position),
            value,
            by: None,
            depth,
            moves: moves.collect::<Result<_, _>>()?,
            plies: None,
            line: Vec::new(),
        };
        Ok((answer, rated))
    }

    /// The names of the moves of [`Values::line`].
    ///
    /// # Errors
    /// [`LookupError`] when a file of the database cannot be read or is damaged.
    pub fn line(
        &self,
        start: &Position,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<String>>, LookupError> {
        let Some(line) = self.values.line(self.depths, start, is_stopped)? else { return Ok(None) };
        let before = std::iter::once(start).chain(&line);
        let names = before.zip(&line).map(|(at, after)| self.board.write_move(at, after));
        Ok(Some(names.collect::<Result<_, _>>()?))
    }

    /// The bounds of the value of a position, and what they rest on; `None` if there are none.
    pub fn bounds(&self, position: &Position) -> Result<(ValueRange, Option<Basis>), LookupError> {
        let value = self.value(position, &self.moves(position)?)?;
        Ok((value, self.basis(position, value)?))
    }

    /// The value of a position for the side to move, as far as certificates prove it or
    /// a search has solved it.
    pub fn proved(&self, position: &Position) -> ValueRange {
        let proved = self.proofs.iter().map(|proof| proof.value(position));
        let proved = proved.fold(ValueRange::UNKNOWN, ValueRange::narrowed);
        self.found.map_or(proved, |found| proved.narrowed(found.solved().value(position)))
    }

    /// The move that a certificate or a solved position has for the side to move, and the question
    /// that it proves: whether it wins before whether it does not lose.
    pub fn proved_move(&self, position: &Position) -> Option<(Question, Position)> {
        let of = |is_win| {
            let known = self.proofs.iter().find_map(|proof| proof.choice(position, is_win));
            known.or_else(|| self.found?.solved().choice(position, is_win))
        };
        of(true).or_else(|| of(false))
    }

    /// The legal moves, the best first, by database, certificates and what was solved. Moves that
    /// lead to equal positions are one. Among moves that win, the first makes progress: the winner
    /// who always makes the first move comes to the end of the game.
    pub fn moves(&self, position: &Position) -> Result<Vec<RatedMove>, LookupError> {
        self.moves_until(position, &|| false)
    }

    /// Like [`Lookup::moves`]. Depths that are not stored are found only until `is_stopped` returns
    /// true; it is not called where nothing has to be found.
    pub fn moves_until(
        &self,
        position: &Position,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<RatedMove>, LookupError> {
        let mut rated = self.rate_moves(position)?;
        if self.values.covers(position) {
            self.find_depths(position, &mut rated, is_stopped)?;
            if rated.iter().all(|m| m.value.value().is_some()) {
                return Ok(rated);
            }
        }
        for m in &mut rated {
            m.value = m.value.narrowed(self.proved(&m.after).reversed());
        }
        rated.sort_by_key(RatedMove::rank);
        // The ranks of a proof fall along its choices.
        let chosen = self.proved_move(position).map(|(_, after)| after);
        if let Some(at) = rated.iter().position(|m| Some(m.after) == chosen)
            && rated[at].value.lower == rated[0].value.lower
        {
            rated[..=at].rotate_right(1);
        }
        Ok(rated)
    }

    /// Like [`Lookup::moves`], by the database and stored depths alone.
    pub fn rate_moves(&self, position: &Position) -> Result<Vec<RatedMove>, LookupError> {
        Ok(self.values.rate_moves(self.depths, position)?)
    }

    fn name(&self, before: &Position, rated: &RatedMove) -> Result<MoveAnswer, LookupError> {
        let RatedMove { after, value, depth, .. } = *rated;
        let name = self.board.write_move(before, &after)?;
        Ok(MoveAnswer { name, fen: self.board.write_fen(&after), value, by: None, depth })
    }

    /// The value by the database or the rules, or by the moves where they say more.
    fn value(&self, position: &Position, moves: &[RatedMove]) -> Result<ValueRange, StoreError> {
        let known = self.values.known(position)?;
        let known = if known.value().is_some() { known } else { RatedMove::best_value(moves) };
        Ok(known.narrowed(self.proved(position)))
    }

    /// The stored depth, or the one that follows from the moves.
    fn depth_among(
        &self,
        position: &Position,
        value: ValueRange,
        moves: &[RatedMove],
    ) -> Result<Option<u32>, StoreError> {
        let Some(value) = value.value().filter(|value| *value != Value::Draw) else {
            return Ok(None);
        };
        if let Some(stored) = self.values.stored_depth(self.depths, position, value)? {
            return Ok(Some(stored));
        }
        let best = moves.first().filter(|best| best.value.value() == Some(value));
        let depth = best.and_then(|best| best.depth);
        // No depth is less than one ply; for other depths a move of unknown depth may be better.
        let is_least = depth == Some(1) && value == Value::Win;
        let are_all_known = moves.iter().all(|other| {
            let is_worse = other.value.upper < value;
            is_worse || other.value.value().is_some() && other.depth.is_some()
        });
        Ok(depth.filter(|_| are_all_known || is_least))
    }
}

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

/// Returns in words what a depth counts. It is not the number of plies to the end of the game.
pub fn depth_in_words(depth: u32) -> String {
    format!("next capture, crowning or move of a man in {depth}")
}

/// A position and all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PositionAnswer {
    /// The position, as a canonical FEN.
    pub fen: String,
    /// Its value for the side to move.
    #[serde(flatten, serialize_with = "known_value")]
    pub value: ValueRange,
    /// The source of the value; only where certificates are asked, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Basis>,
    /// The plies until the next capture, crowning or move of a man that keeps the value; 0 if there
    /// is no move. None for draws and where it is not known.
    pub depth: Option<u32>,
    /// The legal moves, the best first.
    pub moves: Vec<MoveAnswer>,
    /// The number of moves of the line; none where there is no line.
    pub plies: Option<u32>,
    /// The moves of both sides to the end of a win, if the value is a win or loss and all depths
    /// that lead there are stored; otherwise empty.
    pub line: Vec<String>,
}

/// A legal move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(ToSchema))]
pub struct MoveAnswer {
    /// The name of the move in PDN.
    #[serde(rename = "move")]
    pub name: String,
    /// The position after it, as a canonical FEN.
    pub fen: String,
    /// The value of the move for the side that makes it.
    #[serde(flatten, serialize_with = "known_value")]
    #[cfg_attr(feature = "openapi", schema(value_type = KnownValue))]
    pub value: ValueRange,
    /// The source of the value; only where certificates are asked, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub by: Option<Basis>,
    /// The plies until the next capture, crowning or move of a man, this move included.
    pub depth: Option<u32>,
}

/// A value, or bounds of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(ToSchema))]
#[serde(untagged)]
pub enum KnownValue {
    /// The value is known.
    Exact {
        #[cfg_attr(feature = "openapi", schema(example = "draw"))]
        value: &'static str,
    },
    /// The value lies between bounds, inclusively. A loss and a win as bounds say nothing.
    Between {
        /// The lower bound.
        #[cfg_attr(feature = "openapi", schema(example = "draw"))]
        lower: &'static str,
        /// The upper bound.
        #[cfg_attr(feature = "openapi", schema(example = "draw"))]
        upper: &'static str,
    },
}

impl From<ValueRange> for KnownValue {
    fn from(range: ValueRange) -> Self {
        match range.value() {
            Some(value) => KnownValue::Exact { value: value.name() },
            None => KnownValue::Between { lower: range.lower.name(), upper: range.upper.name() },
        }
    }
}

fn known_value<S: Serializer>(range: &ValueRange, serializer: S) -> Result<S::Ok, S::Error> {
    KnownValue::from(*range).serialize(serializer)
}
