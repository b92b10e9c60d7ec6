//! The words of a game: moves and their numbers, results, and what is none of these.

use std::io::BufRead;

use super::line::{Line, Played};
use super::read::{Place, Reading, is_blank, is_space, show};
use super::source::decode;
use super::{is_result, number_after};

/// No game has so many moves; such a number is a move whose separator is missing.
const NO_MOVE_NUMBER: usize = 4;

impl<R: BufRead> Reading<'_, R> {
    /// A move, its number, a result, or a word that is none of these.
    pub(super) fn word(&mut self, at: Place) {
        let word = decode(&self.take_while(is_in_word));
        let word = word.trim_start_matches('\u{feff}').replace('½', "1/2").replace(['–', '—'], "-");
        if word.is_empty() {
            return;
        }
        self.in_moves = true;
        if is_result(&word) {
            return self.result(&word);
        }
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            let what = || format!("expected a move, a result or a tag, found {word:?}");
            // Perhaps a move in another notation, which must not get lost.
            let is_move = word.contains(|c: char| c.is_ascii_digit() || c == '/')
                || word.chars().all(is_separator);
            return if is_move { self.fault(at, what()) } else { self.forgive(at, what) };
        }
        let end = word.find(|c: char| !c.is_ascii_digit() && !is_separator(c));
        let (squares, rest) = word.split_at(end.unwrap_or(word.len()));
        let is_number = squares.bytes().all(|b| b.is_ascii_digit());
        if rest.starts_with('/') {
            return self.fault(at, format!("expected a move or a result, found {word:?}"));
        }
        if !rest.is_empty() {
            self.forgive(at, || format!("expected a move, a result or a tag, found {rest:?}"));
        }
        match self.complete(at, squares, is_number, rest.is_empty()) {
            Some(text) if is_result(&text) => self.result(&text),
            Some(text) => self.play(at, &text),
            None => {}
        }
    }

    /// A move with what only blanks separate from it (`5x 14`), if nothing else follows its
    /// squares; none, if it is the number of a move.
    fn complete(
        &mut self,
        at: Place,
        squares: &str,
        is_number: bool,
        is_whole: bool,
    ) -> Option<String> {
        let mut text = squares.to_owned();
        if !is_whole {
            return (!is_number).then_some(text);
        }
        if is_number {
            self.take_while(is_space);
            match self.source.peek() {
                Some(b) if is_separator(b.into()) => {}
                Some(b'.') if text.len() < NO_MOVE_NUMBER => return None,
                // Without a dot it might also be half a move.
                _ if text.parse() == Ok(self.move_number()) => {
                    self.forgive(at, || "expected . after the number of a move".into());
                    return None;
                }
                _ => {
                    let number = self.move_number();
                    let what = format!("expected a move with - or x, or {number}., found {text}");
                    self.fault(at, what);
                    return None;
                }
            }
        } else if !text.ends_with(is_separator) {
            return Some(text);
        }
        self.forgive(at, || "expected a move without blanks".into());
        if is_number {
            text += &decode(&self.take_while(|b| is_separator(b.into())));
            self.take_while(is_space);
        } else {
            self.take_while(is_blank);
        }
        text += &decode(&self.take_while(|b| b.is_ascii_digit() || is_separator(b.into())));
        Some(text)
    }

    /// The number of the next move.
    fn move_number(&self) -> usize {
        number_after(&self.pdn.start, self.line.as_ref().map_or(0, Line::len)).0
    }

    fn play(&mut self, at: Place, text: &str) {
        if self.pdn.fault.is_some() {
            return;
        }
        self.begin_moves();
        let line = self.line.get_or_insert_with(|| Line::new(self.pdn.start));
        let Played { is_capture, is_ambiguous } = match line.play(&self.game.board, text) {
            Ok(played) => played,
            Err(error) => return self.fault(at, error.to_string()),
        };
        if is_ambiguous {
            self.forgive(at, || format!("expected one move, found {text}, which names several"));
        } else if text.contains(if is_capture { '-' } else { 'x' }) {
            let (kind, separator) = if is_capture { ("capture", 'x') } else { ("move", '-') };
            self.forgive(at, || format!("expected {separator} in this {kind}, found {text}"));
        }
    }

    /// A byte that belongs to nothing.
    pub(super) fn stray(&mut self, at: Place) {
        let Some(byte) = self.next() else { return };
        let what = || format!("expected a move, a result or a tag, found {}", show(byte));
        if b"-/:".contains(&byte) {
            // Perhaps a part of a move, which must not get lost.
            self.fault(at, what());
        } else {
            self.forgive(at, what);
        }
    }
}

/// Whether a byte belongs to a word; those beyond ASCII are letters of some encoding.
pub(super) fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"-/:'_".contains(&byte)
}

/// Whether a character stands between the squares of a move.
fn is_separator(c: char) -> bool {
    matches!(c, '-' | 'x' | 'X' | ':')
}
