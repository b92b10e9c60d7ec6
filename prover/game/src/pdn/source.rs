//! Bytes with their place in a file.
//!
//! Characters that stand for characters of the standard: dashes of all kinds, `×`, non-breaking
//! blanks, full-width forms. Only characters are listed that stand for exactly one character of
//! PDN; all others stay as they are, and a text with one of them that may be a move is a fault.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use super::MOST_BYTES;

/// The beginning of a game in nearly all files. Without it a comment or variation that was never
/// closed would include all games that follow.
const NEXT_GAME: &[u8] = b"[Event \"";

/// The characters of Windows-1252 for the bytes from 0x80 to 0x9f. Five bytes have none.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// A place in a file: line and column.
pub(super) type Place = (usize, usize);

/// Reads byte by byte, and counts lines and characters. UTF-16 with a byte order mark is converted
/// to UTF-8. Only the text of the current game is kept, up to the greatest length of a game.
pub(super) struct Source<R> {
    from: R,
    /// If the source is in UTF-16: makes a unit of its bytes.
    unit_of: Option<fn([u8; 2]) -> u16>,
    /// Bytes that were peeked at and not taken yet.
    ahead: VecDeque<u8>,
    /// The error that ended reading.
    failed: Option<io::Error>,
    pub(super) line: usize,
    pub(super) column: usize,
    /// The number of bytes that were read.
    pub(super) read: u64,
    /// The byte that was taken last.
    pub(super) last: u8,
    /// The number of the next bytes that belong to the current character.
    in_char: usize,
    /// The first bytes of the line.
    line_start: Vec<u8>,
    /// The bytes of the game so far; below it, the number of bytes that had been read before it.
    game: Vec<u8>,
    begin: u64,
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(from: R) -> Self {
        Source {
            from,
            unit_of: None,
            ahead: VecDeque::new(),
            failed: None,
            line: 1,
            column: 1,
            read: 0,
            last: 0,
            in_char: 0,
            line_start: Vec::with_capacity(NEXT_GAME.len() + 1),
            game: Vec::new(),
            begin: 0,
        }
    }

    /// Takes the error of the system that ended reading.
    pub(super) fn take_error(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// The next byte; `None` at the end, or after an error of reading.
    pub(super) fn peek(&mut self) -> Option<u8> {
        match self.ahead.front() {
            Some(&byte) => Some(byte),
            None => self.fill(),
        }
    }

    /// The byte `n` bytes behind the next one.
    pub(super) fn byte(&mut self, n: usize) -> Option<u8> {
        while self.ahead.len() <= n {
            let byte = self.fill()?;
            if self.unit_of.is_none() {
                self.from.consume(1);
                self.ahead.push_back(byte);
            }
        }
        self.ahead.get(n).copied()
    }

    /// The next byte that is not in `ahead`. Bytes that are converted are in `ahead` then.
    fn fill(&mut self) -> Option<u8> {
        let Some(unit_of) = self.unit_of else { return self.raw() };
        let before = self.ahead.len();
        let first = self.unit(unit_of)?;
        let is_high = (0xd800..0xdc00).contains(&first);
        let second = if is_high { self.unit(unit_of) } else { None };
        for c in char::decode_utf16([first].into_iter().chain(second)) {
            let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.ahead.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.ahead.get(before).copied()
    }

    /// Takes a unit of UTF-16.
    fn unit(&mut self, unit_of: fn([u8; 2]) -> u16) -> Option<u16> {
        let mut bytes = [0; 2];
        for byte in &mut bytes {
            *byte = self.raw()?;
            self.from.consume(1);
        }
        Some(unit_of(bytes))
    }

    /// The next byte of the source itself.
    fn raw(&mut self) -> Option<u8> {
        loop {
            match self.from.fill_buf() {
                Ok(bytes) => return bytes.first().copied(),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed.get_or_insert(e);
                    return None;
                }
            }
        }
    }

    /// The next character and its number of bytes. A byte that is not valid UTF-8 counts as a
    /// character of Windows-1252.
    pub(super) fn peek_char(&mut self) -> Option<(char, usize)> {
        let first = self.peek()?;
        let length = match first {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return Some((windows(first), 1)),
        };
        let bytes: Vec<u8> = (0..length).map_while(|n| self.byte(n)).collect();
        match std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
            Some(c) => Some((c, length)),
            None => Some((windows(first), 1)),
        }
    }

    /// Takes the next byte.
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        let begins_char = self.in_char == 0;
        self.in_char = match begins_char {
            true => self.peek_char().map_or(0, |(_, bytes)| bytes - 1),
            false => self.in_char - 1,
        };
        if self.ahead.pop_front().is_none() {
            self.from.consume(1);
        }
        self.read += 1;
        if self.game.len() as u64 <= MOST_BYTES {
            self.game.push(byte);
        }
        let ends_line = byte == b'\r' || byte == b'\n';
        // CR and LF together end one line.
        if ends_line && !(byte == b'\n' && self.last == b'\r') {
            self.line += 1;
        }
        if ends_line {
            self.column = 1;
            self.line_start.clear();
        } else {
            self.column += usize::from(begins_char);
            if self.line_start.len() <= NEXT_GAME.len() {
                self.line_start.push(byte);
            }
        }
        self.last = byte;
        Some(byte)
    }

    /// Whether the next byte is the first of its line.
    pub(super) fn begins_line(&self) -> bool {
        self.line_start.is_empty()
    }

    /// Takes bytes while `good` returns true.
    pub(super) fn skip_while(&mut self, good: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&good) {
            self.next();
        }
    }

    /// Skips a byte order mark at the beginning of a file, which belongs to no game and names the
    /// encoding.
    pub(super) fn skip_byte_order_mark(&mut self) {
        if self.read > 0 || self.is_utf16() {
            return;
        }
        let mut begins = |mark: &[u8]| (0..mark.len()).all(|n| self.byte(n) == Some(mark[n]));
        let length = if begins(&[0xff, 0xfe]) {
            self.unit_of = Some(u16::from_le_bytes);
            2
        } else if begins(&[0xfe, 0xff]) {
            self.unit_of = Some(u16::from_be_bytes);
            2
        } else if begins("\u{feff}".as_bytes()) {
            3
        } else {
            0
        };
        self.ahead.drain(..length);
    }

    /// Whether the source is in UTF-16.
    pub(super) fn is_utf16(&self) -> bool {
        self.unit_of.is_some()
    }

    /// Begins a game at the next byte.
    pub(super) fn begin_game(&mut self) {
        self.game.clear();
        self.begin = self.read;
    }

    /// The number of bytes of the game that were read.
    pub(super) fn game_bytes(&self) -> u64 {
        self.read - self.begin
    }

    /// The text of the game so far; `None` if it is longer than a game may be.
    pub(super) fn game_text(&self) -> Option<&[u8]> {
        let is_whole = self.game.len() as u64 == self.game_bytes();
        (is_whole && self.game_bytes() <= MOST_BYTES).then_some(&self.game)
    }

    /// Whether the bytes read last are the beginning of a game, at the beginning of a line. If so,
    /// they will be read again.
    pub(super) fn is_at_next_game(&mut self) -> bool {
        if self.line_start != NEXT_GAME {
            return false;
        }
        for &byte in NEXT_GAME.iter().rev() {
            self.ahead.push_front(byte);
        }
        if self.game_text().is_some() {
            self.game.truncate(self.game.len() - NEXT_GAME.len());
        }
        self.read -= NEXT_GAME.len() as u64;
        self.column = 1;
        self.last = b'\n';
        self.line_start.clear();
        true
    }
}

pub(super) fn bytes_before(text: &[u8], begin: Place, at: Place) -> usize {
    let mut source = Source::new(text);
    (source.line, source.column) = begin;
    let mut bytes = 0;
    while (source.line, source.column) < at
        && let Some((_, length)) = source.peek_char()
    {
        for _ in 0..length {
            source.next();
        }
        bytes += length;
    }
    bytes
}

/// Decodes a text: as UTF-8, or otherwise as Windows-1252, in which every byte is a character.
pub(super) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().copied().map(windows).collect(),
    }
}

/// The character of Windows-1252 that a byte stands for.
fn windows(byte: u8) -> char {
    match byte {
        0x80..0xa0 => WINDOWS[usize::from(byte - 0x80)],
        _ => byte.into(),
    }
}

/// Decodes a text whose parts may be in different encodings: bytes that are not valid UTF-8 are
/// Windows-1252.
pub(super) fn decode_parts(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().copied().map(windows));
    }
    text
}

/// The character of PDN for which `c` stands; mostly `c` itself.
pub(super) fn plain(c: char) -> char {
    match c {
        '\u{b}' | '\u{c}' => ' ',
        _ if c.is_ascii() => c,
        // Dashes and minus signs; the first two are those of Windows-1252 as control characters of
        // Latin-1.
        '\u{96}'
        | '\u{97}'
        | '\u{ad}'
        | '\u{2d7}'
        | '\u{58a}'
        | '\u{5be}'
        | '\u{2010}'..='\u{2015}'
        | '\u{2043}'
        | '\u{207b}'
        | '\u{208b}'
        | '\u{2212}'
        | '\u{2500}'
        | '\u{2501}'
        | '\u{2796}'
        | '\u{2e3a}'
        | '\u{2e3b}'
        | '\u{30fc}'
        | '\u{fe58}'
        | '\u{fe63}'
        | '\u{ff0d}'
        | '\u{ff70}' => '-',
        // Times signs, and the letter of Cyrillic that looks like x.
        '\u{d7}' | '\u{425}' | '\u{445}' | '\u{2715}' | '\u{2716}' | '\u{2a09}' | '\u{2a2f}'
        | '\u{ff38}' | '\u{ff58}' => 'x',
        '\u{2236}' | '\u{a789}' | '\u{fe55}' => ':',
        '\u{2024}' | '\u{2026}' | '\u{fe52}' => '.',
        // Full-width forms of the digits and signs of moves, their numbers and results.
        '\u{ff01}' | '\u{ff0c}' | '\u{ff0e}'..='\u{ff1a}' | '\u{ff1f}' => full_width(c),
        _ if c.is_whitespace() || is_invisible(c) => ' ',
        _ => c,
    }
}

/// The character of ASCII whose full-width form this is.
fn full_width(c: char) -> char {
    u8::try_from(u32::from(c) - 0xfee0).map_or(c, char::from)
}

/// Whether a character has no width. (The soft hyphen is among the dashes.)
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}')
}

/// Whether a character separates words.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// Whether a character is a blank within a line.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Whether a character belongs to a word. Characters beyond ASCII do: they are letters of some
/// script, or may be meant as a part of a move.
pub(super) fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || !c.is_ascii() || "-/:'_".contains(c)
}

/// Whether a character stands between the squares of a move.
pub(super) fn is_separator(c: char) -> bool {
    matches!(c, '-' | 'x' | 'X' | ':')
}
