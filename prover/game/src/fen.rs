//! Positions as text: PDN FEN (PDN 3.0, tag `FEN`), read in every usual form, written in one.

use thiserror::Error;

use super::{Board, Position, Side};

/// What is wrong with a FEN, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("FEN {fen:?}, character {place}: {what}")]
pub struct FenError {
    /// The whole text.
    pub fen: String,
    /// The character, from 1.
    pub place: usize,
    /// What was expected there, and what was found.
    pub what: String,
}

impl Board {
    /// Reads a FEN: `B:W18,24,K30:B12,K16`; either colour first, ranges `1-12`, an empty side, and
    /// a dot at the end are understood.
    ///
    /// # Errors
    /// [`FenError`] when the text is not of that form or the position is impossible: a man on its
    /// crowning row, two pieces on a square, a square that is not on the board.
    pub fn read_fen(&self, fen: &str) -> Result<Position, FenError> {
        let mut parser = Parser { board: self, fen, at: 0 };
        let turn = parser.side("the side to move, B or W")?;
        let mut position = Position { black: 0, white: 0, kings: 0, turn };
        let mut seen = [false; 2];
        for _ in 0..2 {
            parser.expect(b':')?;
            let place = parser.at;
            let side = parser.side("a side's list, beginning with B or W")?;
            if std::mem::replace(&mut seen[side as usize], true) {
                return Err(parser.error(place, "the other side's list", "the same side again"));
            }
            parser.list(side, &mut position)?;
        }
        if parser.peek() == Some(b'.') {
            parser.at += 1;
        }
        match parser.peek() {
            None => Ok(position),
            Some(c) => Err(parser.error(parser.at, "the end", &show(Some(c)))),
        }
    }

    /// Writes the canonical FEN (`SPEC.md` §1.3).
    pub fn write_fen(&self, position: &Position) -> String {
        let list = |bits| {
            let item = |s: u8| {
                let king = if position.kings & self.bit(s) != 0 { "K" } else { "" };
                format!("{king}{}", s + 1)
            };
            self.squares_of(bits).map(item).collect::<Vec<_>>().join(",")
        };
        let turn = match position.turn {
            Side::Black => 'B',
            Side::White => 'W',
        };
        format!("{turn}:W{}:B{}", list(position.white), list(position.black))
    }
}

fn show(c: Option<u8>) -> String {
    match c {
        None => "the end".into(),
        Some(c) => format!("{:?}", char::from(c)),
    }
}

struct Parser<'a> {
    board: &'a Board,
    fen: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.fen.as_bytes().get(self.at).copied()
    }

    fn error(&self, at: usize, expected: &str, found: &str) -> FenError {
        FenError {
            fen: self.fen.into(),
            place: at + 1,
            what: format!("expected {expected}, found {found}"),
        }
    }

    fn expect(&mut self, want: u8) -> Result<(), FenError> {
        if self.peek() != Some(want) {
            return Err(self.error(self.at, &show(Some(want)), &show(self.peek())));
        }
        self.at += 1;
        Ok(())
    }

    fn side(&mut self, what: &str) -> Result<Side, FenError> {
        let side = match self.peek() {
            Some(b'B') => Side::Black,
            Some(b'W') => Side::White,
            other => return Err(self.error(self.at, what, &show(other))),
        };
        self.at += 1;
        Ok(side)
    }

    fn square(&mut self) -> Result<u8, FenError> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = &self.fen[start..self.at];
        let squares = self.board.squares();
        match digits.parse::<u8>() {
            Ok(n) if (1..=squares).contains(&n) => Ok(n - 1),
            _ => {
                let found = if digits.is_empty() { show(self.peek()) } else { digits.into() };
                Err(self.error(start, &format!("a square from 1 to {squares}"), &found))
            }
        }
    }

    fn list(&mut self, side: Side, position: &mut Position) -> Result<(), FenError> {
        if matches!(self.peek(), None | Some(b':' | b'.')) {
            return Ok(());
        }
        loop {
            let king = self.peek() == Some(b'K');
            if king {
                self.at += 1;
            }
            let start = self.at;
            let first = self.square()?;
            let mut last = first;
            if self.peek() == Some(b'-') {
                self.at += 1;
                last = self.square()?;
            }
            if last < first {
                return Err(self.error(start, "a range from low to high", "one from high to low"));
            }
            for square in first..=last {
                self.put(start, side, king, square, position)?;
            }
            if self.peek() != Some(b',') {
                return Ok(());
            }
            self.at += 1;
        }
    }

    fn put(
        &self,
        at: usize,
        side: Side,
        king: bool,
        square: u8,
        position: &mut Position,
    ) -> Result<(), FenError> {
        let bit = self.board.bit(square);
        let number = square + 1;
        if (position.black | position.white) & bit != 0 {
            return Err(self.error(at, "an empty square", &format!("a second piece on {number}")));
        }
        if king {
            position.kings |= bit;
        } else if self.board.crown[side as usize] & bit != 0 {
            let found = format!("a man on {number}, its crowning row");
            return Err(self.error(at, "a king or another square", &found));
        }
        match side {
            Side::Black => position.black |= bit,
            Side::White => position.white |= bit,
        }
        Ok(())
    }
}
