//! Positions as people and other programs write them: a FEN with either colour first, in upper or
//! lower case, with ranges such as `1-12`, blanks, counters of moves (`:H0:F1`) and a dot at the
//! end, as a PDN tag or between quotes. Files have the canonical form alone, which the core reads.

use checker_core::{Board, Position, Side};

/// Reads a FEN of a position that is possible on the board, or says what is wrong where.
pub(crate) fn read(board: &Board, text: &str) -> Result<Position, String> {
    let mut reader = Reader { board, characters: text.char_indices().collect(), at: 0 };
    let read = reader.whole();
    read.map_err(|Wrong { at, expected, found }| {
        format!("FEN {text:?}, character {}: expected {expected}, found {found}", at + 1)
    })
}

/// What is wrong at a character.
struct Wrong {
    at: usize,
    expected: String,
    found: String,
}

struct Reader<'a> {
    board: &'a Board,
    characters: Vec<(usize, char)>,
    at: usize,
}

impl Reader<'_> {
    /// The next character that is neither a blank nor a byte order mark.
    fn peek(&mut self) -> Option<char> {
        let here = |reader: &Self| reader.characters.get(reader.at).map(|(_, c)| *c);
        while here(self).is_some_and(|c| c.is_whitespace() || c == '\u{feff}') {
            self.at += 1;
        }
        here(self)
    }

    /// Whether the next character is this one, in upper or lower case. If it is, the reader moves
    /// past it.
    fn takes(&mut self, wanted: char) -> bool {
        let is_there = self.peek().is_some_and(|c| c.eq_ignore_ascii_case(&wanted));
        self.at += usize::from(is_there);
        is_there
    }

    fn wrong<T>(&mut self, expected: impl Into<String>) -> Result<T, Wrong> {
        let found = self.peek().map_or("the end".into(), |c| format!("{c:?}"));
        Err(Wrong { at: self.at, expected: expected.into(), found })
    }

    fn expect(&mut self, wanted: char) -> Result<(), Wrong> {
        if self.takes(wanted) { Ok(()) } else { self.wrong(format!("{wanted:?}")) }
    }

    /// Reads a position, alone, as a PDN tag or between quotes, and requires that nothing follows
    /// it.
    fn whole(&mut self) -> Result<Position, Wrong> {
        let is_tag = self.takes('[');
        if is_tag {
            "FEN".chars().try_for_each(|c| self.expect(c))?;
        }
        let is_quoted = is_tag || self.peek() == Some('"');
        if is_quoted {
            self.expect('"')?;
        }
        let position = self.position()?;
        if is_quoted {
            self.expect('"')?;
        }
        if is_tag {
            self.expect(']')?;
        }
        if self.peek().is_some() { self.wrong("the end") } else { Ok(position) }
    }

    fn position(&mut self) -> Result<Position, Wrong> {
        let turn = self.side("the side to move, B or W")?;
        let mut p = Position { black: 0, white: 0, kings: 0, turn };
        let mut first = None;
        for _ in 0..2 {
            self.expect(':')?;
            self.peek();
            let at = self.at;
            let side = self.side("the list of a side, which begins with B or W")?;
            if first.replace(side) == Some(side) {
                let (expected, found) = ("the list of the other side", "the same side again");
                return Err(Wrong { at, expected: expected.into(), found: found.into() });
            }
            self.list(side, &mut p)?;
        }
        self.counters()?;
        self.takes('.');
        Ok(p)
    }

    /// Reads `:H0:F1`: plies since a capture or a move of a man, and the number of the move. No
    /// value depends on them.
    fn counters(&mut self) -> Result<(), Wrong> {
        for counter in ['H', 'F'] {
            let before = self.at;
            if !(self.takes(':') && self.takes(counter)) {
                self.at = before;
            } else if self.digits().is_empty() {
                return self.wrong("a number");
            }
        }
        Ok(())
    }

    fn side(&mut self, expected: &str) -> Result<Side, Wrong> {
        if self.takes('B') {
            return Ok(Side::Black);
        }
        if self.takes('W') { Ok(Side::White) } else { self.wrong(expected) }
    }

    fn list(&mut self, side: Side, p: &mut Position) -> Result<(), Wrong> {
        if matches!(self.peek(), None | Some(':' | '.' | '"')) {
            return Ok(());
        }
        loop {
            let is_king = self.takes('K');
            self.peek();
            let at = self.at;
            let first = self.square()?;
            let last = if self.takes('-') { self.square()? } else { first };
            if last < first {
                let (expected, found) = ("a range from low to high", format!("{first}-{last}"));
                return Err(Wrong { at, expected: expected.into(), found });
            }
            for square in first..=last {
                self.put(at, square, side, is_king, p)?;
            }
            if !self.takes(',') {
                return Ok(());
            }
        }
    }

    /// The digits that come next, without blanks between them.
    fn digits(&mut self) -> String {
        self.peek();
        let digits = self.characters[self.at..].iter().map(|(_, c)| *c);
        let digits: String = digits.take_while(char::is_ascii_digit).collect();
        self.at += digits.len();
        digits
    }

    fn square(&mut self) -> Result<u32, Wrong> {
        self.peek();
        let at = self.at;
        let digits = self.digits();
        let squares = self.board.squares();
        let number = digits.parse().ok().filter(|n| (1..=squares).contains(n));
        let Some(number) = number else {
            let expected = format!("a square from 1 to {squares}");
            if digits.is_empty() {
                return self.wrong(expected);
            }
            return Err(Wrong { at, expected, found: digits });
        };
        Ok(number)
    }

    fn put(
        &self,
        at: usize,
        square: u32,
        side: Side,
        is_king: bool,
        p: &mut Position,
    ) -> Result<(), Wrong> {
        let bit = 1 << (square - 1);
        if (p.black | p.white) & bit != 0 {
            let found = format!("a second piece on {square}");
            return Err(Wrong { at, expected: "an empty square".into(), found });
        }
        *(if side == Side::Black { &mut p.black } else { &mut p.white }) |= bit;
        p.kings |= if is_king { bit } else { 0 };
        if !self.board.is_possible(p) {
            let found = format!("a man on {square}, where it is crowned");
            return Err(Wrong { at, expected: "a king or another square".into(), found });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use checker_core::{Board, write_fen};

    #[test]
    fn what_people_write_is_read() {
        let board = Board::new(8, 8).expect("a board");
        let canonical = "W:W21,22,23,24,K30:B1,2,3,12";
        for text in [
            canonical,
            "W:B1,2,3,12:W21,22,23,24,K30",
            "W:W21-24,K30:B1-3,12.",
            " W : W 21 - 24 , K 30 : B 12, 3,1 -2 . ",
            "w:w21-24,k30:b1-3,12",
            "W:W21-24,K30:B1-3,12:H0:F1",
            "W:W21-24,K30:B1-3,12:F1.",
            "[FEN \"W:W21,22,23,24,K30:B1,2,3,12.\"]",
            "[fen\t\"w:b1-3,12:wk30,21-24:h12:f40\" ]",
            "\u{feff}\"W:W21-24,K30:B1-3,12\"\r",
        ] {
            let p = read(&board, text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(write_fen(&p), canonical, "{text}");
        }
        assert_eq!(read(&board, "B:B:W1").map(|p| write_fen(&p)).ok(), None);
        for text in ["B:B:WK1", "[FEN \"B:WK1:B\"]", "B:WK1:B:H3"] {
            assert_eq!(read(&board, text).map(|p| write_fen(&p)), Ok("B:WK1:B".into()));
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let board = Board::new(8, 8).expect("a board");
        for (text, wrong) in [
            ("", "character 1: expected the side to move, B or W, found the end"),
            ("x:W1", "character 1: expected the side to move, B or W, found 'x'"),
            ("B", "character 2: expected ':', found the end"),
            ("B:W18:W19", "character 7: expected the list of the other side, found the same"),
            ("B:W33:B1", "character 4: expected a square from 1 to 32, found 33"),
            ("B:W18,:B1", "character 7: expected a square from 1 to 32, found ':'"),
            ("B:W24-21:B1", "character 4: expected a range from low to high, found 24-21"),
            ("B:W18:B18", "character 8: expected an empty square, found a second piece on 18"),
            ("B:W4:B18", "character 4: expected a king or another square, found a man on 4"),
            ("B:W18:B1..", "character 10: expected the end, found '.'"),
            ("B:W18:B1 é", "character 10: expected the end, found 'é'"),
            ("B:W18:B1 2", "character 10: expected the end, found '2'"),
            ("B:W18:B1:F1:H0", "character 12: expected the end, found ':'"),
            ("B:W18:B1:H.", "character 11: expected a number, found '.'"),
            ("[FEN B:W18:B1]", "character 6: expected '\"', found 'B'"),
            ("[FEN \"B:W18:B1", "character 15: expected '\"', found the end"),
            ("[Result \"B:W18:B1\"]", "character 2: expected 'F', found 'R'"),
        ] {
            let said = read(&board, text).expect_err(text);
            assert!(said.starts_with(&format!("FEN {text:?}, {wrong}")), "{said}");
        }
    }
}
