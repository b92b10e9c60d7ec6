//! Bytes with their place in a file.

use std::io::{self, BufRead};

/// How a game begins in nearly all files. A comment or variation that was never closed would
/// otherwise take in all games that follow.
const NEXT_GAME: &[u8] = b"[Event \"";

/// Reads byte by byte, and counts lines and characters. Nothing is kept of what was read.
pub(super) struct Source<R> {
    from: R,
    /// Bytes that were read and are to be read again, the first one last.
    again: Vec<u8>,
    /// The error that ended reading.
    failed: Option<io::Error>,
    pub(super) line: usize,
    pub(super) column: usize,
    /// How many bytes were read.
    pub(super) read: u64,
    /// The first bytes of the line.
    line_start: Vec<u8>,
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(from: R) -> Self {
        let line_start = Vec::with_capacity(NEXT_GAME.len() + 1);
        Source { from, again: Vec::new(), failed: None, line: 1, column: 1, read: 0, line_start }
    }

    /// The error of the system that ended reading, once.
    pub(super) fn take_error(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// The next byte; none at the end, or where the system cannot read on.
    pub(super) fn peek(&mut self) -> Option<u8> {
        if let Some(&byte) = self.again.last() {
            return Some(byte);
        }
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

    /// Takes the next byte.
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        if self.again.pop().is_none() {
            self.from.consume(1);
        }
        self.read += 1;
        if byte == b'\n' {
            self.line += 1;
            self.column = 1;
            self.line_start.clear();
        } else {
            // Bytes that continue a character of UTF-8 do not count.
            self.column += usize::from(byte & 0xc0 != 0x80);
            if self.line_start.len() <= NEXT_GAME.len() {
                self.line_start.push(byte);
            }
        }
        Some(byte)
    }

    /// Whether the next byte is the first of its line.
    pub(super) fn begins_line(&self) -> bool {
        self.line_start.is_empty()
    }

    /// Takes bytes while they are `good`.
    pub(super) fn skip_while(&mut self, good: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&good) {
            self.next();
        }
    }

    /// Whether what was just read is the beginning of a game, at the beginning of a line. If so,
    /// it is read again.
    pub(super) fn is_at_next_game(&mut self) -> bool {
        if self.line_start != NEXT_GAME {
            return false;
        }
        self.again.extend(NEXT_GAME.iter().rev());
        self.read -= NEXT_GAME.len() as u64;
        self.column = 1;
        self.line_start.clear();
        true
    }
}

/// Text in whatever encoding: UTF-8, or else Latin-1, in which every byte is a character.
pub(super) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}
