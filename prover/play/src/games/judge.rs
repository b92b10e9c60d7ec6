//! Verdicts on positions by a search of each.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use draughtproof_proof::heuristic::{Heuristic, Limits};

use crate::board::{Position, Side};
use crate::egdb::{Value, ValueRange};
use crate::lookup::Lookup;

/// The source of a proved value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The position is in the database.
    Database,
    /// A certificate proves it.
    Proof,
    /// The search found a proof.
    Search,
}

/// The verdict on a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The side to move.
    pub turn: Side,
    /// The proved range of the value for the side to move.
    pub value: ValueRange,
    /// The source of this range.
    pub source: Source,
    /// The score for the side to move, in hundredths of a man.
    pub score: i32,
    /// The depth of the search, in moves.
    pub depth: u32,
    /// The principal variation: the position after each move.
    pub line: Vec<Position>,
}

/// The words for the range of a value, as Black sees it.
const VALUES: [(Value, Value, &str); 5] = [
    (Value::Win, Value::Win, "Black wins"),
    (Value::Draw, Value::Draw, "draw"),
    (Value::Loss, Value::Loss, "White wins"),
    (Value::Draw, Value::Win, "Black does not lose"),
    (Value::Loss, Value::Draw, "White does not lose"),
];

/// The words for the source of a value.
const SOURCES: [(Source, &str); 3] =
    [(Source::Database, "(database)"), (Source::Proof, "(proof)"), (Source::Search, "(search)")];

/// Between a score and the depth of its search.
const DEPTH: &str = ", depth ";

impl Verdict {
    /// Returns the score from Black's side, in hundredths of a man: `most` or 0 where the value is
    /// proved, and otherwise a guess within `most`.
    pub fn score_for_black(&self, most: i32) -> i32 {
        let score = match self.value.value() {
            Some(Value::Win) => most,
            Some(Value::Draw) => 0,
            Some(Value::Loss) => -most,
            None => self.score.clamp(-most, most),
        };
        if self.turn == Side::Black { score } else { -score }
    }

    /// Whether a text has the form of a verdict.
    pub fn is_text(text: &str) -> bool {
        let value = VALUES.iter().find_map(|(_, _, value)| text.strip_prefix(value));
        let score = match value.and_then(|rest| rest.strip_prefix(' ')) {
            None => Some(text),
            Some(rest) => match SOURCES.iter().find_map(|(_, source)| rest.strip_prefix(source)) {
                Some("") => return true,
                rest => rest.and_then(|rest| rest.strip_prefix(", ")),
            },
        };
        score.and_then(|text| text.split_once(DEPTH)).is_some_and(|(score, depth)| {
            score.starts_with(['+', '-']) && score.parse::<f64>().is_ok() && is_number(depth)
        })
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Writes the verdict as text, with the score from Black's side, in men.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (range, score) = match self.turn {
            Side::Black => (self.value, self.score),
            Side::White => (self.value.reversed(), -self.score),
        };
        let known = VALUES.iter().find(|known| (known.0, known.1) == (range.lower, range.upper));
        if let Some((_, _, value)) = known {
            let source = SOURCES.iter().find(|source| source.0 == self.source);
            write!(f, "{value} {}", source.map_or("", |source| source.1))?;
            if range.value().is_some() {
                return Ok(());
            }
            f.write_str(", ")?;
        }
        write!(f, "{:+.2}{DEPTH}{}", f64::from(score) / 100.0, self.depth)
    }
}

/// The most verdicts that are kept, of some 500 bytes each. Beyond that, all are dropped.
const KEPT: usize = 100_000;

/// Judges positions by searches with the same limits.
pub struct Judge<'a> {
    /// The database and the certificates.
    pub lookup: Lookup<'a>,
    limits: Limits,
    /// Searchers that no thread uses at the moment.
    idle: Mutex<Vec<Heuristic<'a>>>,
    /// The verdicts so far, since many games have equal openings.
    judged: Mutex<HashMap<Position, Verdict>>,
}

impl<'a> Judge<'a> {
    /// A judge that looks positions up, and searches each within these limits.
    pub fn new(lookup: Lookup<'a>, limits: Limits) -> Self {
        Judge { lookup, limits, idle: Mutex::default(), judged: Mutex::default() }
    }

    pub fn judge(&self, position: &Position) -> Verdict {
        let judged = || self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(verdict) = judged().get(position) {
            return verdict.clone();
        }
        let verdict = self.search(position);
        let mut judged = judged();
        if judged.len() >= KEPT {
            judged.clear();
        }
        judged.insert(*position, verdict.clone());
        verdict
    }

    fn search(&self, position: &Position) -> Verdict {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let Lookup { board, values, .. } = self.lookup;
        let mut heuristic = kept.unwrap_or_else(|| Heuristic::new(board, values));
        let found = heuristic.search(position, self.limits, |_| ());
        idle().push(heuristic);
        let proved = self.lookup.proved(position);
        let value = found.proven.narrowed(proved);
        let source = if values.probe(position).is_some() {
            Source::Database
        } else if value == proved || value != found.proven {
            Source::Proof
        } else {
            Source::Search
        };
        Verdict {
            turn: position.turn,
            value,
            source,
            score: found.score,
            depth: found.depth,
            line: found.pv,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_as_black_sees_them() {
        let told = |turn, value, source| {
            Verdict { turn, value, source, score: 123, depth: 9, line: Vec::new() }.to_string()
        };
        let [loss, draw, win] = [Value::Loss, Value::Draw, Value::Win].map(ValueRange::exact);
        let database = Source::Database;
        let search = Source::Search;
        assert_eq!(told(Side::Black, win, database), "Black wins (database)");
        assert_eq!(told(Side::White, win, search), "White wins (search)");
        assert_eq!(told(Side::White, loss, search), "Black wins (search)");
        assert_eq!(told(Side::White, draw, database), "draw (database)");
        assert_eq!(told(Side::White, draw, Source::Proof), "draw (proof)");
        let bound = "White does not lose (search), -1.23, depth 9";
        assert_eq!(told(Side::White, ValueRange::AT_LEAST_DRAW, search), bound);
        let bound = bound.replace('-', "+");
        assert_eq!(told(Side::Black, ValueRange::AT_MOST_DRAW, search), bound);
        assert_eq!(told(Side::White, ValueRange::UNKNOWN, search), "-1.23, depth 9");
        for other in ["", "draw", "draw (book)", "draw (proof) ", "1.23, depth 9", "+1, depth "] {
            assert!(!Verdict::is_text(other), "{other}");
        }
    }
}
