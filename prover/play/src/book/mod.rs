//! An opening book: positions, and the value of each move by a search of the position after it.
//!
//! `build` adds positions to it, the most promising first. Scores found deeper in the book change
//! the values of the moves before them, so a move that its own search scored high can be refuted
//! later. [`file`] describes the format of the file of a book.

mod build;
mod file;

use std::collections::BTreeMap;

pub use build::{Builder, Growth};
pub use file::BookError;

use crate::board::Position;

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
