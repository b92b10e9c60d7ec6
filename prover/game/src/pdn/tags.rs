//! The tags of a game.

use std::io::BufRead;

use super::read::{Place, Reading, is_space};
use super::source::decode;

/// The number of English draughts in the tag `GameType`.
pub(super) const GAME_TYPE: &str = "21";

impl<R: BufRead> Reading<'_, R> {
    /// `[Name "value"]`. A value ends where a bracket follows the quote: real files have quotes in
    /// names.
    pub(super) fn tag(&mut self) {
        self.next();
        self.take_while(is_space);
        let name = decode(&self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_'));
        if name.is_empty() {
            self.expected("the name of a tag");
            return self.skip_line();
        }
        self.take_while(is_space);
        if self.source.peek() != Some(b'"') {
            self.expected("the value of the tag in double quotes");
            return self.skip_line();
        }
        self.next();
        let at = self.place();
        let mut value = Vec::new();
        let end = loop {
            match self.source.peek() {
                None | Some(b'\n') => return self.expected("\"] at the end of the tag"),
                // A quote that is written \" is none.
                Some(b'"') if value.iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 0 => {
                    let end = value.len();
                    self.take(&mut value);
                    value.extend(self.take_while(is_space));
                    if self.source.peek() == Some(b']') {
                        break end;
                    }
                }
                Some(_) => drop(self.take(&mut value)),
            }
        };
        self.next();
        value.truncate(end);
        let value = unescape(&decode(&value));
        self.understand(at, &name, &value);
        self.pdn.tags.push((name, value));
    }

    /// Takes in what a tag says of the rules and of the start.
    fn understand(&mut self, at: Place, name: &str, value: &str) {
        let kind = value.split(',').next().unwrap_or_default().trim();
        if name.eq_ignore_ascii_case("GameType") && kind != GAME_TYPE {
            let what = format!("expected GameType {GAME_TYPE} (English draughts), found {value:?}");
            return self.fault(at, what);
        }
        if name.eq_ignore_ascii_case("FEN") {
            match self.game.board.read_fen(value) {
                Ok(position) => self.pdn.start = position,
                Err(e) => self.fault(at, e.to_string()),
            }
        }
    }
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
