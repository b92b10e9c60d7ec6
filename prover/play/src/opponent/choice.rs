//! Chooses replies from a proof, a database or a search.
//!
//! Alpha-beta among the moves that keep the value of a position.
//!
//! In positions that the database decides, an ordinary search sees only their value. This search
//! takes the value for granted and scores the positions otherwise, by the evaluation.

use std::cmp::Reverse;
use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::record::GameRecord;
use crate::board::Position;
use crate::egdb::{RatedMove, Value, ValueRange, numbers};
use crate::lookup::{Lookup, LookupError, depth_in_words};
use certificate_spec::claim::Question;
use draughtproof_proof::heuristic::{Analysis, Heuristic, Limits};

/// The depth of the search among moves that keep a win or a loss of unknown depth, in plies.
const PLIES: u32 = 6;

/// A move, and the source that recommends it.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The position after the move.
    pub after: Position,
    /// The source of the move.
    pub source: Source,
}

/// The source of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// It is the only legal move.
    OnlyMove,
    /// The certificate, which proves this question.
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
        /// The score in hundredths of a man, for the side that moves.
        score: i32,
        /// The depth of the search, in moves.
        depth: u32,
        /// The proved range of the value, for the side that moves.
        proven: ValueRange,
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
                write!(f, "database: {}", value.name())?;
                depth.map_or(Ok(()), |depth| write!(f, ", {}", depth_in_words(depth)))
            }
            Source::Search { proven, .. } if proven.value().is_some() => {
                write!(f, "search: {proven}")
            }
            Source::Search { score, depth, .. } => {
                write!(f, "search: score {}, depth {depth}", numbers::score(*score))
            }
        }
    }
}

/// A player: certificates, a database, and a search for positions that neither decides.
pub struct Opponent<'a> {
    /// The database, with its depths, and the certificates.
    pub lookup: Lookup<'a>,
    /// The search.
    pub engine: Heuristic<'a>,
    /// The limits of the search. The time limit applies to a move from any source.
    pub limits: Limits,
}

impl<'a> Opponent<'a> {
    /// A player whose searches go as far as possible.
    pub fn new(lookup: Lookup<'a>, engine: Heuristic<'a>) -> Self {
        Opponent { lookup, engine, limits: Limits::default() }
    }

    /// A move for the side to move; `None` if there is none. A known win comes first, then the
    /// proof, then the database, and last the search.
    ///
    /// # Errors
    /// [`LookupError`] when a file of the database cannot be read or is damaged.
    pub fn choose(&mut self, record: &GameRecord) -> Result<Option<Choice>, LookupError> {
        self.choose_and_report(record, &mut |_| ())
    }

    /// Like [`Opponent::choose`]; `see` is also shown the result of each depth of a search.
    ///
    /// # Errors
    /// [`LookupError`] when a file of the database cannot be read or is damaged.
    pub fn choose_and_report(
        &mut self,
        record: &GameRecord,
        see: &mut dyn FnMut(&Analysis),
    ) -> Result<Option<Choice>, LookupError> {
        let position = record.position();
        let end = self.limits.time.map(|time| Instant::now() + time);
        let stop = self.engine.stop_flag();
        let is_stopped =
            || stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end);
        let rated = self.lookup.moves_until(position, &is_stopped)?;
        let Some(&best) = rated.first() else { return Ok(None) };
        if rated.len() == 1 {
            return Ok(Some(Choice { after: best.after, source: Source::OnlyMove }));
        }
        if !self.lookup.values.covers(position)
            && let Some((question, after)) = self.lookup.proved_move(position)
            && after == best.after
        {
            return Ok(Some(Choice { after, source: Source::Proof(question) }));
        }
        // The value is decided if no other move can be better than the best one.
        let decided = best.value.value().filter(|v| rated.iter().all(|m| m.value.upper <= *v));
        let choice = match decided {
            Some(value) => self.by_database(record, value, rated)?,
            None => self.search(record, best.after, see),
        };
        self.lookup.values.failure()?;
        Ok(Some(choice))
    }

    /// The best move of a position whose value is decided.
    fn by_database(
        &self,
        record: &GameRecord,
        value: Value,
        mut rated: Vec<RatedMove>,
    ) -> Result<Choice, LookupError> {
        rated.retain(|m| m.value.value() == Some(value));
        // A third repetition ends the game in a draw, which only the losing side wants.
        let ends_game = |m: &RatedMove| record.times(&m.after) + 1 >= GameRecord::REPETITIONS;
        match value {
            Value::Win => rated.sort_by_key(ends_game),
            Value::Loss => rated.sort_by_key(|m| !ends_game(m)),
            Value::Draw => {}
        }
        let by_depth = rated.first().filter(|m| m.depth.is_some() || ends_game(m));
        let (after, depth) = match by_depth {
            Some(best) => (best.after, best.depth),
            None => (self.by_value(record, value, &rated)?, None),
        };
        Ok(Choice { after, source: Source::Database { value, depth } })
    }

    /// A move by the values alone: preferably one to a position that the game has not had yet, and
    /// among those that keep the value the one that a search scores best.
    fn by_value(
        &self,
        record: &GameRecord,
        value: Value,
        rated: &[RatedMove],
    ) -> Result<Position, LookupError> {
        let kept = KeptValue { lookup: self.lookup, engine: &self.engine };
        let mut best: Option<(_, Position)> = None;
        for RatedMove { after, .. } in rated {
            let score = match value {
                Value::Draw => kept.strength_of_draw(after)?,
                _ => -kept.score(after, value.reversed(), PLIES)?,
            };
            let rank = (Reverse(record.times(after)), score);
            if best.is_none_or(|(least, _)| rank > least) {
                best = Some((rank, *after));
            }
        }
        Ok(best.map_or(*record.position(), |(_, after)| after))
    }

    /// The move that the search scores best; `otherwise` if it has no principal variation.
    fn search(
        &mut self,
        record: &GameRecord,
        otherwise: Position,
        see: &mut dyn FnMut(&Analysis),
    ) -> Choice {
        let earlier = record.earlier();
        let position = record.position();
        let found = self.engine.search_after(&earlier, position, self.limits, see);
        let Analysis { score, depth, proven, pv, .. } = found;
        let after = pv.first().copied().unwrap_or(otherwise);
        Choice { after, source: Source::Search { score, depth, proven } }
    }
}

/// The number of replies in a row that the opponent has to find.
const REPLIES: u32 = 2;
/// The weight of a later reply, as a share of the one before.
const LATER: f64 = 0.5;
/// The weight of a losing reply after which a piece can be captured at once: most players see that.
const PLAIN: f64 = 0.25;
/// The score if all replies lose, in hundredths of a man.
const ALL_LOSE: f64 = 1600.0;
/// The depth of the search that decides between moves with equal dangers, in plies.
const DRAW_PLIES: u32 = 4;

impl KeptValue<'_, '_> {
    /// The strength of a drawn position for the side that has just moved: a score in hundredths of
    /// a man, from the share of the opponent's replies that lose and from the evaluation.
    pub(super) fn strength_of_draw(&self, after: &Position) -> Result<i32, LookupError> {
        let danger = self.danger(after, REPLIES)?;
        let score = -self.score(after, Value::Draw, DRAW_PLIES)?;
        Ok((danger * ALL_LOSE) as i32 + score)
    }

    /// The weighted share of the replies to a drawn position that lose. For replies that keep the
    /// draw, the share that follows our best move counts, too.
    fn danger(&self, position: &Position, replies: u32) -> Result<f64, LookupError> {
        let mut moves = Vec::new();
        self.lookup.board.successors(position, &mut moves);
        let mut sum = 0.0;
        for after in &moves {
            sum += match self.lookup.values.known(after)?.value() {
                Some(Value::Win) if self.lookup.board.can_capture(after) => PLAIN,
                Some(Value::Win) => 1.0,
                Some(Value::Draw) if replies > 1 => {
                    LATER * self.danger_after(after, replies - 1)?
                }
                _ => 0.0,
            };
        }
        Ok(sum / moves.len().max(1) as f64)
    }

    /// Like `danger`, after the best of our moves that keep the draw.
    fn danger_after(&self, position: &Position, replies: u32) -> Result<f64, LookupError> {
        let mut best = 0.0_f64;
        for after in self.moves(position, Value::Draw)? {
            best = best.max(self.danger(&after, replies)?);
        }
        Ok(best)
    }
}

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
