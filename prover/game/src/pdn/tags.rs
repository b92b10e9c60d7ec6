//! Reads the tags of a game.

use std::io::BufRead;

use super::read::{Reading, is_line_end, tag_name};
use super::source::{Place, is_space};
use super::standard::is_fen;

/// The number of English draughts in the tag `GameType`.
pub(super) const GAME_TYPE: &str = "21";
/// The number of bytes behind a quote in which another end of its tag is looked for.
const LONGEST_REST: usize = 256;

impl<R: BufRead> Reading<'_, R> {
    /// Reads `[Name "value"]`. A value ends at a quote that a bracket follows, since real files
    /// have quotes in names.
    pub(super) fn tag(&mut self, opened: Place) {
        if self.in_moves {
            // Words before the tags are no moves.
            self.in_moves = false;
            self.pdn.line = opened.0;
        }
        if !self.pdn.remarks.is_empty() {
            self.forgive(opened, || "expected tags before all else".into());
        }
        self.next();
        self.take_spaces();
        let name = self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
        let name = String::from_utf8_lossy(&name).into_owned();
        if name.is_empty() {
            self.expected("the name of a tag");
            return self.skip_line();
        }
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
            self.forgive(opened, || {
                format!("expected a name that begins with a capital, found {name}")
            });
        }
        self.take_spaces();
        if self.source.peek() != Some(b'"') {
            self.expected("the value of the tag in double quotes");
            return self.skip_line();
        }
        self.next();
        let at = self.place();
        let mut value = Vec::new();
        let end = loop {
            match self.source.peek() {
                None => return self.expected("\"] at the end of the tag"),
                Some(b) if is_line_end(b) => return self.expected("\"] at the end of the tag"),
                // A quote that is written \" ends the value only if the tag has no other end.
                Some(b'"') if is_escape(&value) && !self.ends_tag() => drop(self.take(&mut value)),
                Some(b'"') => {
                    if is_escape(&value) {
                        self.forgive(at, || "expected \\\\ for a backslash within a value".into());
                    }
                    let end = value.len();
                    self.take(&mut value);
                    value.extend(self.take_spaces());
                    if self.source.peek() == Some(b']') {
                        break end;
                    }
                    self.forgive(at, || "expected \\\" for a quote within a value".into());
                }
                Some(_) => drop(self.take(&mut value)),
            }
        };
        self.next();
        value.truncate(end);
        let value = unescape(&self.decode(at, &value));
        self.understand(at, &name, &value);
        self.pdn.tags.push((name, value));
    }

    /// Whether the next quote ends its tag: a bracket follows, and behind it another tag, or no
    /// other end of this one.
    fn ends_tag(&mut self) -> bool {
        let bytes = (1..LONGEST_REST).map_while(|n| self.source.byte(n));
        let line: Vec<u8> = bytes.take_while(|&b| !is_line_end(b)).collect();
        let Some(rest) = line.trim_ascii_start().strip_prefix(b"]") else { return false };
        let rest = rest.trim_ascii_start();
        let next = rest.strip_prefix(b"[").map(|tag| &tag[tag_name(tag).len()..]);
        let is_next_tag = next.is_some_and(|value| value.trim_ascii_start().starts_with(b"\""));
        let mut quotes = rest.split(|&b| b == b'"').skip(1);
        is_next_tag || !quotes.any(|text| text.trim_ascii_start().starts_with(b"]"))
    }

    fn take_spaces(&mut self) -> Vec<u8> {
        self.take_while(|byte| is_space(byte.into()))
    }

    /// Checks that a FEN is as the standard has it.
    pub(super) fn judge_fen(&mut self, at: Place, fen: &str) {
        if !is_fen(fen) {
            self.forgive(at, || format!("expected a FEN such as W:W31,32:B1,K2, found {fen:?}"));
        }
    }

    /// Applies the meaning of a tag for the rules and for the start.
    fn understand(&mut self, at: Place, name: &str, value: &str) {
        let kind = value.split(',').next().unwrap_or_default().trim();
        if name.eq_ignore_ascii_case("GameType") && kind != GAME_TYPE {
            let what = format!("expected GameType {GAME_TYPE} (English draughts), found {value:?}");
            return self.fault(at, what);
        }
        if name.eq_ignore_ascii_case("FEN") {
            self.judge_fen(at, value);
            match self.game.board.read_fen(value) {
                Ok(position) => self.pdn.start = position,
                Err(e) => self.fault(at, e.to_string()),
            }
        }
    }
}

/// Whether a text ends in a backslash that is not escaped itself.
fn is_escape(text: &[u8]) -> bool {
    text.iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1
}

/// A tag's value without the backslashes before quotes and backslashes.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut from = value.chars().peekable();
    while let Some(c) = from.next() {
        let escaped = from.next_if(|&next| c == '\\' && matches!(next, '"' | '\\'));
        text.push(escaped.unwrap_or(c));
    }
    text
}
