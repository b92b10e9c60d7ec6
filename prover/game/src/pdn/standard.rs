//! Checks variations and FENs, which are otherwise only kept as text, against the grammar of PDN
//! 3.0. It is the grammar for reading, which accepts `:` for a capture and results besides `*`.

/// The first place where a variation, with its parentheses, deviates from the standard: the offset
/// of the byte, and what was expected there. Whether its moves are legal is not checked.
pub(super) fn variation_fault(text: &str, squares: u8) -> Option<(usize, &'static str)> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0, squares, number: false };
    scanner.variation().err().map(|expected| (scanner.at.min(text.len()), expected))
}

/// Whether a position is written as the standard has it: `W:W31-32:B1,K2`, with or without a dot.
pub(super) fn is_fen(fen: &str) -> bool {
    let fen = fen.strip_suffix('.').unwrap_or(fen);
    let mut parts = fen.split(':');
    parts.next().is_some_and(|text| text == "W" || text == "B") && parts.all(is_list)
}

/// Whether a text is a colour and its pieces.
fn is_list(text: &str) -> bool {
    let Some(list) = text.strip_prefix(['W', 'B']) else { return false };
    list.is_empty() || list.split(',').all(is_range)
}

/// Whether a text is a square, or the first and last of several, with or without a king.
fn is_range(text: &str) -> bool {
    let squares = text.strip_prefix('K').unwrap_or(text);
    let (first, last) = squares.split_once('-').unwrap_or((squares, squares));
    [first, last].iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

struct Scanner<'a> {
    text: &'a [u8],
    /// The offset of the next byte. At an error it is that of the unexpected byte.
    at: usize,
    squares: u8,
    /// Whether the number of a move was read whose move must follow.
    number: bool,
}

impl Scanner<'_> {
    fn peek(&self, n: usize) -> Option<u8> {
        self.text.get(self.at + n).copied()
    }

    fn takes(&mut self, wanted: u8) -> bool {
        let is_there = self.peek(0) == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    /// Takes bytes up to and including the next `end`.
    fn until(&mut self, end: u8) {
        let length = self.text[self.at..].iter().position(|&b| b == end);
        self.at += length.map_or(self.text.len() - self.at, |length| length + 1);
    }

    fn variation(&mut self) -> Result<(), &'static str> {
        // For each open variation, whether it has any content.
        let mut open: Vec<bool> = Vec::new();
        loop {
            let Some(byte) = self.peek(0) else { return Ok(()) };
            let begins_line = self.at.checked_sub(1).is_some_and(|n| is_line_end(self.text[n]));
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.at += 1;
                    continue;
                }
                b'%' if begins_line => {
                    let line = self.text[self.at..].iter().position(|&b| is_line_end(b));
                    self.at += line.unwrap_or(self.text.len() - self.at);
                    continue;
                }
                b'0'..=b'9' => self.number_or_move()?,
                b'.' if self.text[self.at..].starts_with(b"...") => {
                    self.at += 3;
                    self.number = false;
                }
                _ if self.number => return Err("a move after its number"),
                b'(' => {
                    self.at += 1;
                    open.push(false);
                    continue;
                }
                b')' if open.last() == Some(&false) => return Err("a move"),
                b')' => {
                    self.at += 1;
                    open.pop();
                }
                b'{' => self.until(b'}'),
                b'/' => {
                    self.at += 1;
                    self.until(b'/');
                }
                b'$' if self.peek(1).is_some_and(|b| b.is_ascii_digit()) => {
                    self.at += 1;
                    self.digits();
                }
                _ => return Err("moves"),
            }
            if let Some(has_something) = open.last_mut() {
                *has_something = true;
            }
        }
    }

    fn digits(&mut self) -> usize {
        let length = self.text[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += length;
        length
    }

    fn number_or_move(&mut self) -> Result<(), &'static str> {
        let begin = self.at;
        self.digits();
        if self.takes(b'.') {
            if self.number {
                self.at = begin;
                return Err("a move after its number");
            }
            if self.text[self.at..].starts_with(b"..") {
                self.at += 2;
            }
            self.number = true;
            return Ok(());
        }
        self.at = begin;
        self.square()?;
        if self.takes(b'-') {
            self.square()?;
        } else if matches!(self.peek(0), Some(b'x' | b':')) {
            while matches!(self.peek(0), Some(b'x' | b':')) {
                self.at += 1;
                self.square()?;
            }
        } else {
            return Err("- or x");
        }
        self.number = false;
        self.strength();
        Ok(())
    }

    fn square(&mut self) -> Result<(), &'static str> {
        let begin = self.at;
        let length = self.digits();
        let number = self.text[begin..self.at].iter().fold(0usize, |number, digit| {
            number.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
        });
        if length <= 2 && (1..=usize::from(self.squares)).contains(&number) {
            return Ok(());
        }
        self.at = begin;
        Err("a square of the board")
    }

    /// Takes `!` or `(?)` right behind a move, if it is there.
    fn strength(&mut self) {
        let begin = self.at;
        let in_parentheses = self.takes(b'(');
        let signs = self.text[self.at..].iter().take_while(|&&b| b == b'!' || b == b'?').count();
        self.at += signs;
        let is_strength = signs > 0 && (!in_parentheses || self.takes(b')'));
        if !is_strength {
            self.at = begin;
        }
    }
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}
