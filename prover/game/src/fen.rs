//! Reads and writes positions as text: PDN FEN (PDN 3.0, tag `FEN`), read in every usual form and
//! written in one.

use thiserror::Error;

use super::{Board, Position, Side};

/// The fault of a FEN, and its place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("FEN {fen:?}, character {place}: {what}")]
pub struct FenError {
    pub fen: String,
    pub place: usize,
    pub what: String,
}

impl Board {
    /// Reads a FEN: `B:W18,24,K30:B12,K16`. Variants that occur in files are read, too: either
    /// colour first, lower case, blanks between words, ranges such as `1-12`, a side without
    /// pieces, move counters (`:H0:F1`, on which the value of a position does not depend), a dot at
    /// the end, and all this as a PDN tag, `[FEN "…"]`, or between quotes.
    ///
    /// # Errors
    /// [`FenError`] when the text does not have that form or the position is impossible: a man on
    /// its crowning row, two pieces on a square, a square that is not on the board.
    pub fn read_fen(&self, fen: &str) -> Result<Position, FenError> {
        let mut parser = Parser { board: self, fen, at: 0 };
        let is_tag = parser.takes('[');
        if is_tag {
            parser.word("FEN")?;
        }
        let is_quoted = is_tag || parser.peek() == Some('"');
        if is_quoted {
            parser.expect('"')?;
        }
        let position = parser.position()?;
        if is_quoted {
            parser.expect('"')?;
        }
        if is_tag {
            parser.expect(']')?;
        }
        match parser.peek() {
            None => Ok(position),
            found => Err(parser.error(parser.at, "the end", &show(found))),
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

fn show(c: Option<char>) -> String {
    match c {
        None => "the end".into(),
        Some(c) => format!("{c:?}"),
    }
}

struct Parser<'a> {
    board: &'a Board,
    fen: &'a str,
    /// The offset of the next byte.
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.fen.get(self.at..).unwrap_or_default()
    }

    /// The next character that is neither a blank nor a byte order mark.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let next = rest.chars().next();
        self.at = self.fen.len() - rest.len();
        next
    }

    /// Whether the next character is this one, in upper or lower case; if so, skips it.
    fn takes(&mut self, wanted: char) -> bool {
        let is_there = self.peek().is_some_and(|c| c.eq_ignore_ascii_case(&wanted));
        self.at += if is_there { wanted.len_utf8() } else { 0 };
        is_there
    }

    fn error(&self, at: usize, expected: &str, found: &str) -> FenError {
        FenError {
            fen: self.fen.into(),
            place: self.fen[..at].chars().count() + 1,
            what: format!("expected {expected}, found {found}"),
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), FenError> {
        if self.takes(wanted) {
            return Ok(());
        }
        let found = self.peek();
        Err(self.error(self.at, &show(Some(wanted)), &show(found)))
    }

    fn word(&mut self, word: &str) -> Result<(), FenError> {
        self.peek();
        let start = self.at;
        for wanted in word.chars() {
            if !self.takes(wanted) {
                return Err(self.error(start, &format!("the tag {word}"), "another"));
            }
        }
        Ok(())
    }

    fn position(&mut self) -> Result<Position, FenError> {
        let turn = self.side("the side to move, B or W")?;
        let mut position = Position { black: 0, white: 0, kings: 0, turn };
        let mut seen = [false; 2];
        for _ in 0..2 {
            self.expect(':')?;
            self.peek();
            let place = self.at;
            let side = self.side("a side's list, beginning with B or W")?;
            if std::mem::replace(&mut seen[side as usize], true) {
                return Err(self.error(place, "the other side's list", "the same side again"));
            }
            self.list(side, &mut position)?;
        }
        self.counters()?;
        self.takes('.');
        Ok(position)
    }

    /// Reads counters such as `:H0:F1`: the plies since a capture or a move of a man, and the
    /// number of the move.
    fn counters(&mut self) -> Result<(), FenError> {
        for counter in ['H', 'F'] {
            let before = self.at;
            if !(self.takes(':') && self.takes(counter)) {
                self.at = before;
                continue;
            }
            self.peek();
            if self.digits().is_empty() {
                let found = self.peek();
                return Err(self.error(self.at, "a number", &show(found)));
            }
        }
        Ok(())
    }

    fn side(&mut self, what: &str) -> Result<Side, FenError> {
        if self.takes('B') {
            return Ok(Side::Black);
        }
        if self.takes('W') {
            return Ok(Side::White);
        }
        let found = self.peek();
        Err(self.error(self.at, what, &show(found)))
    }

    /// Takes digits, which have no blanks between them.
    fn digits(&mut self) -> String {
        let digits: String = self.rest().chars().take_while(char::is_ascii_digit).collect();
        self.at += digits.len();
        digits
    }

    fn square(&mut self) -> Result<u8, FenError> {
        self.peek();
        let start = self.at;
        let digits = self.digits();
        let squares = self.board.squares();
        match digits.parse::<u8>() {
            Ok(n) if (1..=squares).contains(&n) => Ok(n - 1),
            _ => {
                let found = if digits.is_empty() { show(self.peek()) } else { digits };
                Err(self.error(start, &format!("a square from 1 to {squares}"), &found))
            }
        }
    }

    fn list(&mut self, side: Side, position: &mut Position) -> Result<(), FenError> {
        if matches!(self.peek(), None | Some(':' | '.' | '"')) {
            return Ok(());
        }
        loop {
            let king = self.takes('K');
            self.peek();
            let start = self.at;
            let first = self.square()?;
            let last = if self.takes('-') { self.square()? } else { first };
            if last < first {
                return Err(self.error(start, "a range from low to high", "one from high to low"));
            }
            for square in first..=last {
                self.put(start, side, king, square, position)?;
            }
            if !self.takes(',') {
                return Ok(());
            }
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
