//! Files of published values.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use certificate_spec::text::without_mark;
use thiserror::Error;

use super::outcomes::Outcomes;
use crate::board::{Game, Position};

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
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A line does not have the required form.
    #[error("{path}, line {line}: {what}")]
    Line {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The value that was expected, and the one that was found.
        what: String,
    },
}

/// The form in which a line names its position.
#[derive(Clone, Copy)]
enum Naming {
    Fen,
    Moves,
}

/// The columns that the header names.
struct Header {
    columns: usize,
    naming: Naming,
    position: usize,
    value: usize,
}

impl Header {
    fn read(line: &str) -> Result<Header, String> {
        let names: Vec<&str> = line.split('\t').collect();
        let place = |wanted| names.iter().position(|name| *name == wanted);
        let (naming, position, value) = match (place("fen"), place("moves"), place("value")) {
            (Some(fen), None, Some(value)) => (Naming::Fen, fen, value),
            (None, Some(moves), Some(value)) => (Naming::Moves, moves, value),
            _ => {
                let found = names.join(", ");
                return Err(format!(
                    "expected a header with the columns value and either fen or moves, found {found}"
                ));
            }
        };
        Ok(Header { columns: names.len(), naming, position, value })
    }

    fn row(&self, game: &Game, line: &str) -> Result<(String, Position, Outcomes), String> {
        let cells: Vec<&str> = line.split('\t').collect();
        let (Some(&text), Some(&word), true) =
            (cells.get(self.position), cells.get(self.value), cells.len() == self.columns)
        else {
            let expected = self.columns;
            let found = cells.len();
            return Err(format!("expected {expected} columns as in the header, found {found}"));
        };
        let position = match self.naming {
            Naming::Fen => game.board.read_fen(text).map_err(|e| e.to_string())?,
            Naming::Moves => {
                let start = game.start();
                let line = game.board.read_line(&start, text).map_err(|e| e.to_string())?;
                line.last().copied().unwrap_or(start)
            }
        };
        let value = Outcomes::read(word, position.turn).ok_or_else(|| {
            format!("value: expected one of {}, found {word:?}", Outcomes::all_words())
        })?;
        Ok((text.into(), position, value))
    }
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
    let text = without_mark(&text);
    let wrong = |line, what| LiteratureError::Line { path: path.into(), line, what };
    let lines = text.lines().zip(1..);
    let mut lines = lines.filter(|(text, _)| !text.is_empty() && !text.starts_with('#'));
    let end = text.lines().count() + 1;
    let (first, number) = lines.next().unwrap_or(("nothing", end));
    let header = Header::read(first).map_err(|what| wrong(number, what))?;
    let published = lines.map(|(text, line)| {
        let row = header.row(game, text).map_err(|what| wrong(line, what))?;
        let (text, position, value) = row;
        Ok(Published { line, text, position, value })
    });
    let published = published.collect::<Result<Vec<_>, _>>()?;
    if published.is_empty() {
        return Err(wrong(end, "expected a published value after the header, found none".into()));
    }
    Ok(published)
}
