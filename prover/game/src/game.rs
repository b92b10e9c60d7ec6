//! Games: a board, and the number of rows that each side fills.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Board, Position, Side};

/// A game, `RxC/k`: a board and a start position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// The board of the game.
    pub board: Board,
    /// The number of rows that each side fills at the start, k.
    filled: u8,
}

/// A text that names no game of the rules.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "game {0:?}: expected RxC or RxC/k with 3 to 8 rows, 2 to 8 columns, R + C even and k from 1 to R/2 \
     (k = (R-2)/2 if it is left out), such as 6x6, 8x8 or 5x5/2"
)]
pub struct GameError(String);

impl Game {
    pub fn start(&self) -> Position {
        let side = |rows: std::ops::Range<u8>| {
            (0..self.board.squares())
                .filter(|&s| rows.contains(&self.board.row(s)))
                .fold(0, |bits, s| bits | self.board.bit(s))
        };
        Position {
            black: side(0..self.filled),
            white: side(self.board.rows() - self.filled..self.board.rows()),
            kings: 0,
            turn: Side::Black,
        }
    }

    /// The number of rows that each side fills at the start, k.
    pub fn filled(&self) -> u8 {
        self.filled
    }

    fn default_filled(rows: u8) -> u8 {
        (rows - 2) / 2
    }
}

impl FromStr for Game {
    type Err = GameError;

    fn from_str(text: &str) -> Result<Self, GameError> {
        read(text).ok_or_else(|| GameError(text.into()))
    }
}

/// Reads the name of a game; `None` if there is no such game.
fn read(text: &str) -> Option<Game> {
    let (size, filled) = match text.split_once('/') {
        Some((size, k)) => (size, Some(k)),
        None => (text, None),
    };
    let (rows, columns) = size.split_once('x')?;
    let board = Board::new(digit(rows)?, digit(columns)?)?;
    let filled = match filled {
        Some(k) => digit(k)?,
        None => Game::default_filled(board.rows()),
    };
    (1..=board.rows() / 2).contains(&filled).then_some(Game { board, filled })
}

/// Reads a text of a single decimal digit.
fn digit(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [d @ b'0'..=b'9'] => Some(d - b'0'),
        _ => None,
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.board.name())?;
        if self.filled != Self::default_filled(self.board.rows()) {
            write!(f, "/{}", self.filled)?;
        }
        Ok(())
    }
}
