//! Published values of positions, compared with the claims of certificates and databases.
//!
//! A file of the literature has lines with a position and its published value (`corpus/README.md`).
//! Both the published value and the proofs are sets of [`Outcomes`]: they agree if every outcome
//! that is still possible was published, and disagree if none of them was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use certificate_spec::claim;
use certificate_spec::text::without_mark;
use thiserror::Error;

use crate::board::{Board, Game, Position, Side};
use crate::egdb;

/// The possible outcomes of a position with best play of both sides: a bit for a win of Black (1),
/// a draw (2), and a win of White (4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcomes(u8);

impl Outcomes {
    /// All outcomes: nothing is known.
    pub const ANY: Outcomes = Outcomes(7);

    /// The words for the sets, other than the full and the empty one.
    const WORDS: [(u8, &str); 6] = [
        (1, "black-wins"),
        (2, "draw"),
        (4, "white-wins"),
        (3, "black-not-lost"),
        (6, "white-not-lost"),
        (5, "not-draw"),
    ];

    /// The intersection of two sets.
    pub fn and(self, other: Outcomes) -> Outcomes {
        Outcomes(self.0 & other.0)
    }

    /// Whether the claims that were intersected contradict each other.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The outcomes with colours exchanged.
    fn turned(self) -> Outcomes {
        Outcomes(self.0 & 2 | self.0 << 2 & 4 | self.0 >> 2)
    }

    /// A set for the side to move as one for both sides.
    fn of(black_to_move: u8, turn: Side) -> Outcomes {
        let outcomes = Outcomes(black_to_move);
        if turn == Side::Black { outcomes } else { outcomes.turned() }
    }

    /// Reads a word: one that names the side, or `win`, `draw`, `loss`, `>=draw`, `<=draw` for the
    /// side to move.
    fn read(word: &str, turn: Side) -> Option<Outcomes> {
        let relative = [("win", 1), ("loss", 4), (">=draw", 3), ("<=draw", 6)];
        if let Some((_, set)) = relative.iter().find(|(name, _)| *name == word) {
            return Some(Self::of(*set, turn));
        }
        Self::WORDS.iter().find(|(_, name)| *name == word).map(|(set, _)| Outcomes(*set))
    }

    /// The word for the set, which names the side; `unknown` for all outcomes.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(set, _)| *set == self.0).map_or("unknown", |(_, word)| word)
    }

    /// The outcomes that a certificate's claim admits.
    pub fn of_claim(value: claim::Value) -> Outcomes {
        Outcomes(match value {
            claim::Value::BlackWins => 1,
            claim::Value::Draw => 2,
            claim::Value::BlackNotLost => 3,
            claim::Value::WhiteWins => 4,
            claim::Value::WhiteNotLost => 6,
        })
    }

    fn of_value(value: egdb::Value, turn: Side) -> Outcomes {
        let set = match value {
            egdb::Value::Win => 1,
            egdb::Value::Draw => 2,
            egdb::Value::Loss => 4,
        };
        Self::of(set, turn)
    }
}

/// A published value.
#[derive(Debug, Clone)]
pub struct Published {
    /// The line of the file, from 1.
    pub line: usize,
    /// The position as the file has it: a FEN, or moves from the start.
    pub text: String,
    pub position: Position,
    /// The outcomes that the published value admits.
    pub value: Outcomes,
}

/// The reason why a file of published values cannot be used.
#[derive(Debug, Error)]
pub enum LiteratureError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}, line {line}: {what}")]
    Line { path: PathBuf, line: usize, what: String },
}

/// Reads a file of published values: lines of columns separated by tabs, the first of which names
/// the columns. Empty lines, and those that begin with `#`, are skipped.
///
/// # Errors
/// [`LiteratureError`] if the file cannot be read, or at the first line that does not have the
/// required form.
pub fn read_literature(path: &Path, game: &Game) -> Result<Vec<Published>, LiteratureError> {
    let text = fs::read_to_string(path)
        .map_err(|source| LiteratureError::Io { path: path.into(), source })?;
    let wrong = |line, what| LiteratureError::Line { path: path.into(), line, what };
    let text = without_mark(&text);
    let end = text.lines().count() + 1;
    let mut lines = text
        .lines()
        .zip(1..)
        .filter(|(text, _)| !text.is_empty() && !text.starts_with('#'))
        .map(|(text, line)| (text.split('\t').collect::<Vec<_>>(), line));
    let (header, number) = lines.next().unwrap_or((vec!["nothing"], end));
    let place = |wanted| header.iter().position(|name| *name == wanted);
    let (fen, moves, value) = (place("fen"), place("moves"), place("value"));
    let (Some(at), Some(value)) = (fen.xor(moves), value) else {
        let found = header.join(", ");
        let what = format!(
            "expected a header with the columns value and either fen or moves, found {found}"
        );
        return Err(wrong(number, what));
    };
    let row = |cells: &[&str], line| {
        let (expected, found) = (header.len(), cells.len());
        if expected != found {
            return Err(format!("expected {expected} columns as in the header, found {found}"));
        }
        let position = match fen {
            Some(_) => game.board.read_fen(cells[at]).map_err(|e| e.to_string())?,
            None => {
                let played = game.board.read_line(&game.start(), cells[at]);
                played.map_err(|e| e.to_string())?.pop().unwrap_or(game.start())
            }
        };
        let value = Outcomes::read(cells[value], position.turn).ok_or_else(|| {
            let absolute = Outcomes::WORDS.map(|(_, word)| word).join(", ");
            let found = cells[value];
            format!("value: expected one of win, loss, >=draw, <=draw, {absolute}, found {found:?}")
        })?;
        Ok(Published { line, text: cells[at].into(), position, value })
    };
    let rows = lines.map(|(cells, line)| row(&cells, line).map_err(|what| wrong(line, what)));
    let published = rows.collect::<Result<Vec<_>, _>>()?;
    if published.is_empty() {
        return Err(wrong(end, "expected a published value after the header, found none".into()));
    }
    Ok(published)
}

/// Sources that contradict each other.
#[derive(Debug, Error)]
#[error("{position}: {sources} contradict each other: let check verify them", sources = .sources.join(" and "))]
pub struct ContradictionError {
    pub position: String,
    pub sources: Vec<String>,
}

/// The outcomes that are still possible by the proofs, and their sources: directories of
/// certificates, or the database.
#[derive(Debug, Clone)]
pub struct Known {
    pub outcomes: Outcomes,
    pub sources: Vec<String>,
}

/// The claims of certificates, by their starts. Several claims about one start are intersected: if
/// neither side loses, it is a draw. A position and its twin are one start: a claim about one of
/// them holds for the other with colours exchanged.
pub struct Evidence<'a> {
    board: &'a Board,
    /// The results for a position or its twin, by the smaller of both.
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
        let (key, outcomes) = self.as_kept(position, outcomes);
        let known = self.of_key(&key).with(outcomes, source, self.board, position)?;
        self.known.insert(key, known);
        Ok(())
    }

    /// Returns the outcomes that a position may have, also by its value in the database, if any.
    ///
    /// # Errors
    /// [`ContradictionError`] if the database contradicts a certificate.
    pub fn of(
        &self,
        position: &Position,
        in_database: Option<egdb::Value>,
    ) -> Result<Known, ContradictionError> {
        let (key, _) = self.as_kept(position, Outcomes::ANY);
        let mut known = self.of_key(&key);
        known.outcomes = self.as_kept(position, known.outcomes).1;
        let Some(value) = in_database else { return Ok(known) };
        let outcomes = Outcomes::of_value(value, position.turn);
        known.with(outcomes, "database".into(), self.board, position)
    }

    /// The representative of a position and its twin, and the outcomes as it has them, or back.
    fn as_kept(&self, position: &Position, outcomes: Outcomes) -> (Position, Outcomes) {
        let key = position.twin(self.board).min(*position);
        (key, if key == *position { outcomes } else { outcomes.turned() })
    }

    fn of_key(&self, key: &Position) -> Known {
        let nothing = || Known { outcomes: Outcomes::ANY, sources: Vec::new() };
        self.known.get(key).cloned().unwrap_or_else(nothing)
    }
}

impl Known {
    fn with(
        mut self,
        outcomes: Outcomes,
        source: String,
        board: &Board,
        position: &Position,
    ) -> Result<Known, ContradictionError> {
        self.outcomes = self.outcomes.and(outcomes);
        self.sources.push(source);
        if self.outcomes.is_empty() {
            let position = board.write_fen(position);
            return Err(ContradictionError { position, sources: self.sources });
        }
        Ok(self)
    }

    /// `agree` if the proved outcomes imply the published value, `disagree` if they exclude it, or
    /// `open` if too little is proved.
    pub fn agreement(&self, published: Outcomes) -> &'static str {
        match self.outcomes.and(published) {
            both if both == self.outcomes => "agree",
            both if both.is_empty() => "disagree",
            _ => "open",
        }
    }
}
