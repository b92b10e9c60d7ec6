//! The file of a book: text in columns separated by tabs.
//!
//! The first line is `# book of 8x8`, the second names the columns: `fen`, `move` (as in PDN),
//! `score` and `depth` of the search of the position after it, `value` by the positions of the book
//! that follow, and `mark`: `best`, `refuted`, or `-`. Then there is a line for each move of each
//! position. Scores are in hundredths of a man, for the side to move.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use certificate_spec::text::without_mark;
use thiserror::Error;

use super::{Book, BookMove};
use crate::board::{Game, MoveError};
use crate::egdb::atomic::write_file;

/// The most bytes of a book's file: enough for a million positions.
const MOST_BYTES: u64 = 1 << 29;
const COLUMNS: &str = "fen\tmove\tscore\tdepth\tvalue\tmark";

/// The reason why a book cannot be read or written.
#[derive(Debug, Error)]
pub enum BookError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{0}: expected a file of at most {MOST_BYTES} bytes, found something else")]
    Kind(PathBuf),
    #[error("{path}, {what}")]
    Line { path: PathBuf, what: String },
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl Book {
    pub fn read(path: &Path, game: &Game) -> Result<Self, BookError> {
        let io = |source| BookError::Io { path: path.into(), source };
        // A device or a pipe may have no end.
        let there = fs::metadata(path).map_err(io)?;
        if !there.is_file() || there.len() > MOST_BYTES {
            return Err(BookError::Kind(path.into()));
        }
        let text = fs::read_to_string(path).map_err(io)?;
        Book::parse(game, &text).map_err(|what| BookError::Line { path: path.into(), what })
    }

    /// Writes the book to a file, which appears complete.
    pub fn save(&self, path: &Path, game: &Game) -> Result<(), BookError> {
        let text = self.write(game)?;
        write_file(path, |out| io::Write::write_all(out, text.as_bytes()))
            .map_err(|source| BookError::Io { path: path.into(), source })
    }

    pub(super) fn parse(game: &Game, text: &str) -> Result<Self, String> {
        let mut lines = without_mark(text).lines().zip(1..);
        for expected in [title(game), COLUMNS.into()] {
            let (line, number) = lines.next().unwrap_or(("", 1));
            if line != expected {
                let expected = expected.replace('\t', " ").replace("fen", "the columns fen");
                return Err(format!("line {number}: expected {expected}, found {line:?}"));
            }
        }
        let mut book = Book::default();
        for (line, number) in lines {
            book.add_line(game, line).map_err(|what| format!("line {number}: {what}"))?;
        }
        book.back_up();
        Ok(book)
    }

    fn add_line(&mut self, game: &Game, line: &str) -> Result<(), String> {
        let columns: Vec<_> = line.split('\t').collect();
        let [fen, name, score, depth, _, _] = columns[..] else {
            return Err(format!("expected 6 columns, found {}", columns.len()));
        };
        let position = game.board.read_fen(fen).map_err(|e| e.to_string())?;
        let after = game.board.read_move(&position, name).map_err(|e| e.to_string())?;
        let wrong = |text| format!("expected a whole number, found {text:?}");
        let score = score.parse().map_err(|_| wrong(score))?;
        let depth = depth.parse().map_err(|_| wrong(depth))?;
        let moves = self.positions.entry(position).or_default();
        moves.push(BookMove { after, score, depth, value: score });
        Ok(())
    }

    pub(super) fn write(&self, game: &Game) -> Result<String, MoveError> {
        let mut text = format!("{}\n{COLUMNS}\n", title(game));
        for (position, moves) in &self.positions {
            let fen = game.board.write_fen(position);
            let best = self.value(position);
            for m in moves {
                let BookMove { after, score, depth, value } = m;
                let name = game.board.write_move(position, after)?;
                let mark = match () {
                    () if Some(*value) == best => "best",
                    () if self.is_refuted(position, m) => "refuted",
                    () => "-",
                };
                // Writing to a string does not fail.
                let _ = writeln!(text, "{fen}\t{name}\t{score}\t{depth}\t{value}\t{mark}");
            }
        }
        Ok(text)
    }
}

fn title(game: &Game) -> String {
    format!("# book of {game}")
}
