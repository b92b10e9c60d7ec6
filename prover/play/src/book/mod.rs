//! An opening book: positions, and the value of each move by a search of the position after it.
//!
//! Scores found deeper in the book change the values of the moves before them, so a move that its
//! own search scored high can be refuted later.
//!
//! The file of a book is text in columns separated by tabs. The first line is `# book of 8x8`, the
//! second names the columns: `fen`, `move` (as in PDN), `score` and `depth` of the search of the
//! position after it, `value` by the positions of the book that follow, and `mark`: `best`,
//! `refuted`, or `-`. Then there is a line for each move of each position. Scores are in hundredths
//! of a man, for the side to move.
//!
//! [`Builder`] adds positions by drop-out expansion (T. R. Lincke, Strategies for the automatic
//! construction of opening books, Computers and Games 2000, LNCS 2063). The next position to add is
//! the one that best play is most likely to reach: a path from a root has a cost for each move, and
//! a higher one for a move that is not the best, in proportion to the score that it gives away. So
//! main lines become long and side lines short, and a bad move is searched only as far as needed to
//! be sure that it is bad.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::board::{Board, Game, MoveError, Position};
use crate::egdb::atomic::write_file;
use certificate_spec::text::without_mark;
use draughtproof_proof::heuristic::{Heuristic, Limits};
use thiserror::Error;

/// A move is refuted if its value is lower than the best one's by at least this, in hundredths of a
/// man.
const REFUTED: i32 = 50;
/// Moves whose value is lower than the best one's by at most this are played, too, for variety.
const MARGIN: i32 = 3;
/// A bound on the rounds in which the values of a book settle; only cycles of positions could make
/// them go on.
const ROUNDS: usize = 200;

/// A move of the book. Scores are in hundredths of a man, for the side that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookMove {
    /// The position after the move.
    pub after: Position,
    /// The score of the search of that position.
    pub score: i32,
    /// The depth of that search, in moves.
    pub depth: u32,
    /// The value of the move: by the positions that follow in the book, or otherwise by the search.
    pub value: i32,
}

/// Positions and their moves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    positions: BTreeMap<Position, Vec<BookMove>>,
}

impl Book {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The moves of a position; empty if it is not in the book.
    pub fn moves(&self, position: &Position) -> &[BookMove] {
        self.positions.get(position).map_or(&[], Vec::as_slice)
    }

    /// The value of a position for the side to move; `None` if it is not in the book.
    pub fn value(&self, position: &Position) -> Option<i32> {
        self.moves(position).iter().map(|m| m.value).max()
    }

    pub fn is_refuted(&self, position: &Position, m: &BookMove) -> bool {
        self.value(position).is_some_and(|best| m.value <= best - REFUTED)
    }

    /// One of the best moves of a position, chosen by a random number.
    pub fn choose(&self, position: &Position, random: u64) -> Option<BookMove> {
        let best = self.value(position)?;
        let all = self.moves(position).iter();
        let good: Vec<_> = all.filter(|m| m.value >= best - MARGIN).collect();
        let index = random.checked_rem(good.len() as u64)?;
        good.get(index as usize).map(|m| **m)
    }

    /// Computes the values of all moves.
    fn back_up(&mut self) {
        for _ in 0..ROUNDS {
            // This order goes approximately from the late positions of the game to the early ones.
            let order: Vec<Position> = self.positions.keys().rev().copied().collect();
            let mut is_settled = true;
            for position in &order {
                let values: Vec<i32> = self.moves(position).iter().map(|m| self.worth(m)).collect();
                for (m, value) in self.positions.get_mut(position).into_iter().flatten().zip(values)
                {
                    is_settled &= m.value == value;
                    m.value = value;
                }
            }
            if is_settled {
                return;
            }
        }
    }

    fn worth(&self, m: &BookMove) -> i32 {
        self.value(&m.after).map_or(m.score, |value| -value)
    }
}

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

    fn parse(game: &Game, text: &str) -> Result<Self, String> {
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

    fn write(&self, game: &Game) -> Result<String, MoveError> {
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

/// The cost of a move on a path.
const PLY: u64 = 100;
/// The cost of each hundredth of a man that a move gives away: half a man costs ten plies.
const DROP: u64 = 20;
/// Positions with a score beyond this, in hundredths of a man, are decided.
const DECIDED: i32 = 10_000;
/// The score of a move after which the other side has no move.
const WON: i32 = 30_000;

/// Searches the positions of a book.
pub struct Builder<'a> {
    /// The board of the book.
    pub board: &'a Board,
    /// The search of the positions after each move.
    pub engine: Heuristic<'a>,
    /// The limits of the search of each move.
    pub limits: Limits,
    /// The positions at which games begin.
    pub roots: Vec<Position>,
}

/// The result of growing a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// The book has one position more.
    Added,
    /// The builder was stopped before a position was added.
    Stopped,
    /// No position is left to add.
    Complete,
}

impl Builder<'_> {
    /// Adds the most promising position. `is_stopped` is polled after each move; the results of a
    /// position that is not finished are dropped.
    pub fn grow(&mut self, book: &mut Book, is_stopped: impl Fn() -> bool) -> Growth {
        let Some(position) = self.next(book) else { return Growth::Complete };
        let mut successors = Vec::new();
        self.board.successors(&position, &mut successors);
        let mut moves = Vec::new();
        for after in successors {
            let (score, depth) = self.search(&after);
            if is_stopped() {
                return Growth::Stopped;
            }
            moves.push(BookMove { after, score, depth, value: score });
        }
        book.positions.insert(position, moves);
        book.back_up();
        Growth::Added
    }

    /// The score of a move, and the depth of the search of the position after it.
    fn search(&mut self, after: &Position) -> (i32, u32) {
        if !self.board.can_move(after) {
            return (WON, 0);
        }
        let found = self.engine.search(after, self.limits, |_| ());
        (-found.score, found.depth)
    }

    /// The position outside the book that has the cheapest path to it.
    fn next(&self, book: &Book) -> Option<Position> {
        let mut seen = BTreeSet::new();
        let mut queue: BinaryHeap<_> = self.roots.iter().map(|root| Reverse((0, *root))).collect();
        while let Some(Reverse((cost, position))) = queue.pop() {
            if !seen.insert(position) || !self.board.can_move(&position) {
                continue;
            }
            let Some(best) = book.value(&position) else { return Some(position) };
            for m in book.moves(&position).iter().filter(|m| m.value.abs() < DECIDED) {
                let drop = u64::from(best.abs_diff(m.value));
                queue.push(Reverse((cost + PLY + DROP * drop, m.after)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Book, BookMove};
    use crate::board::{Game, Position};

    /// A book of positions after moves from the start, each with the scores of its first moves.
    fn book(game: &Game, lines: &[(&str, &[i32])]) -> Book {
        let mut book = Book::default();
        for (line, scores) in lines {
            let position = after(game, line);
            let moves = game.board.moves(&position).into_iter().zip(*scores);
            let moves =
                moves.map(|(m, &score)| BookMove { after: m.after, score, depth: 1, value: score });
            book.positions.insert(position, moves.collect());
        }
        book.back_up();
        book
    }

    fn after(game: &Game, line: &str) -> Position {
        game.board.read_line(&game.start(), line).unwrap().pop().unwrap_or(game.start())
    }

    #[test]
    fn a_move_is_refuted_by_what_follows_it() {
        let game: Game = "4x4".parse().unwrap();
        let names: Vec<_> = (game.board.moves(&game.start()).iter())
            .map(|m| game.board.write_move(&game.start(), &m.after).unwrap())
            .collect();
        let start = game.start();
        let alone = book(&game, &[("", &[30, 10, 8])]);
        let first = alone.moves(&start)[0];
        assert_eq!(alone.choose(&start, 7), Some(first));
        assert!(!alone.is_refuted(&start, &first));
        let reply: &[i32] = &[60];
        let deeper = book(&game, &[("", &[30, 10, 8]), (&names[0], reply)]);
        let refuted = deeper.moves(&start)[0];
        assert_eq!((refuted.score, refuted.value), (30, -60));
        assert!(deeper.is_refuted(&start, &refuted));
        // The two remaining moves have values within the margin.
        let chosen = [0, 1].map(|random| deeper.choose(&start, random).unwrap().value);
        assert_eq!(chosen, [10, 8]);
        assert_eq!(deeper.choose(&after(&game, &names[1]), 0), None);
    }

    #[test]
    fn a_book_is_read_as_it_was_written() {
        let game: Game = "4x4".parse().unwrap();
        let written = book(&game, &[("", &[30, -10, 8])]);
        let text = written.write(&game).unwrap();
        assert_eq!(Book::parse(&game, &text), Ok(written));
        let bad =
            |from: &str, to: &str| Book::parse(&game, &text.replacen(from, to, 1)).unwrap_err();
        assert!(bad("fen\t", "f\t").starts_with("line 2: expected the columns fen"));
        assert!(bad("# book of 4x4", "# book of 6x6").starts_with("line 1: expected"));
        assert!(bad("\t30\t", "\tx\t").contains("expected a whole number"));
        assert!(bad("B:W", "B:X").contains("FEN"));
    }
}
