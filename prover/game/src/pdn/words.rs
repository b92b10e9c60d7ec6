//! Reads the words of a game: moves and their numbers, results, and other words.

use std::io::BufRead;

use super::read::{Number, Played, Reading};
use super::source::{Place, is_blank, is_in_word, is_separator, is_space};
use super::{contradicts, is_result};

/// The number of digits from which on a number cannot be that of a move, but is a move whose
/// separator is missing.
const NO_MOVE_NUMBER: usize = 4;

/// A draw; below it, its half, since a draw may also be written in parts.
const DRAW: &str = "1/2-1/2";
const HALF: &str = "1/2";

impl<R: BufRead> Reading<'_, R> {
    /// Reads a move, its number, a result, or another word.
    pub(super) fn word(&mut self, at: Place) {
        let mut word = self.take_text(is_in_word);
        self.in_moves = true;
        if word.contains('½') {
            self.forgive(at, || format!("expected {DRAW}, found {word}"));
            word = word.replace('½', HALF);
        }
        if word == HALF || word == "1/2-" {
            self.rest_of_draw(at, &mut word);
        }
        if is_result(&word) {
            return self.result(at, &word);
        }
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            let what = || format!("expected a move, a result or a tag, found {word:?}");
            // The word may be a move in another notation, which must not be skipped.
            let is_move = word.contains(|c: char| c.is_numeric() || c == '/')
                || word.chars().all(is_separator)
                || self.number.is_some_and(|number| !number.has_dot);
            return if is_move { self.fault(at, what()) } else { self.forgive(at, what) };
        }
        let end = word.find(|c: char| !c.is_ascii_digit() && !is_separator(c));
        let (squares, rest) = word.split_at(end.unwrap_or(word.len()));
        let is_number = squares.bytes().all(|b| b.is_ascii_digit());
        if rest.contains(|c: char| c.is_numeric() || c == '/') || is_number && !rest.is_empty() {
            return self.fault(at, format!("expected a move or a result, found {word:?}"));
        }
        if !rest.is_empty() {
            self.forgive(at, || format!("expected a move, a result or a tag, found {rest:?}"));
        }
        let text = match is_number {
            true => self.number_or_move(at, squares),
            false => Some(self.whole_move(at, squares, rest.is_empty())),
        };
        match text {
            Some(text) if is_result(&text) => self.result(at, &text),
            Some(text) => self.play(at, &text),
            None => {}
        }
    }

    /// Reads the rest of a draw after a half: `1/2 - 1/2`.
    fn rest_of_draw(&mut self, at: Place, word: &mut String) {
        let before = word.len();
        self.take_text(is_space);
        if !word.ends_with('-') && self.peek() == Some('-') {
            *word += &self.take_text(is_in_word);
            self.take_text(is_space);
        }
        if word.ends_with('-') {
            *word += &self.take_text(is_in_word).replace('½', HALF);
        }
        let is_whole = word.len() == before;
        if is_whole && self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.fault(at, format!("expected {DRAW}, found {HALF} and moves"));
        }
        self.forgive(at, || match is_whole {
            true => format!("expected {DRAW}, found {HALF}"),
            false => "expected a result without blanks".into(),
        });
    }

    /// A move of which only blanks separate a part (`5 x 14`); `None` if the digits are the number
    /// of a move.
    fn number_or_move(&mut self, at: Place, digits: &str) -> Option<String> {
        let is_next = digits.parse() == Ok(self.move_number());
        let may_be_number = is_next || digits.len() < NO_MOVE_NUMBER;
        let spaces = self.take_text(is_space);
        match self.peek() {
            Some('.') if may_be_number => {
                if !spaces.is_empty() {
                    self.forgive(at, || "expected . right behind the number of a move".into());
                }
                self.move_number_read(at, true);
                let found = self.take_text(|c| c == '.').len();
                if found != 1 && found != 3 {
                    self.forgive(at, || format!("expected . or ... after {digits}"));
                }
                None
            }
            Some(c) if is_separator(c) => {
                self.forgive(at, || "expected a move without blanks".into());
                let mut text = digits.to_owned();
                text += &self.take_text(is_separator);
                self.take_text(is_space);
                text += &self.take_text(|c| c.is_ascii_digit() || is_separator(c));
                Some(self.whole_move(at, &text, true))
            }
            // Without a dot the number might also be half a move.
            _ if is_next => {
                self.forgive(at, || "expected . after the number of a move".into());
                self.move_number_read(at, false);
                None
            }
            _ => {
                let number = self.move_number();
                let what = format!("expected a move with - or x, or {number}., found {digits}");
                self.fault(at, what);
                None
            }
        }
    }

    /// A move with the part that only blanks separate from it (`5x 14`), if nothing else follows
    /// its squares.
    fn whole_move(&mut self, at: Place, squares: &str, is_whole: bool) -> String {
        let mut text = squares.to_owned();
        if is_whole && text.ends_with(is_separator) {
            self.forgive(at, || "expected a move without blanks".into());
            self.take_text(is_blank);
            text += &self.take_text(|c| c.is_ascii_digit() || is_separator(c));
        }
        text
    }

    /// Records that the number of a move was read. Two of them in a row may be a move whose
    /// separator is missing.
    fn move_number_read(&mut self, at: Place, has_dot: bool) {
        if self.number.is_some() {
            self.fault(at, "expected a move after its number, found another number".into());
        }
        self.number = Some(Number { at, has_dot });
    }

    /// Records that something other than a move is next. If a number that may be half a move is
    /// before it, that is a fault, and the result is true.
    pub(super) fn end_number(&mut self, found: &str) -> bool {
        let Some(Number { at, has_dot }) = self.number.take() else { return false };
        let what = || format!("expected a move after its number, found {found}");
        match has_dot {
            true => self.forgive(at, what),
            false => self.fault(at, what()),
        }
        !has_dot
    }

    /// Reads dots that are not right behind a number; three stand for an omitted move.
    pub(super) fn dots(&mut self, at: Place) {
        let found = self.take_text(|c| c == '.').len();
        match &mut self.number {
            Some(number) if found == 3 && number.has_dot => self.number = None,
            _ if found == 3 => {}
            _ => self.forgive(at, || "expected . right behind the number of a move".into()),
        }
    }

    fn play(&mut self, at: Place, text: &str) {
        self.number = None;
        if self.pdn.fault.is_some() {
            return;
        }
        let board = &self.game.board;
        let played = self.moves().play(board, text);
        match played {
            Ok(played) => self.judge_notation(at, text, &played),
            Err(error) => self.fault(at, error.to_string()),
        }
        self.move_end = Some(self.source.game_bytes());
    }

    /// Checks that a move is written as the standard has it.
    fn judge_notation(&mut self, at: Place, text: &str, played: &Played) {
        let mut signs = text.chars().filter(|&c| is_separator(c));
        let is_separated = match played.is_capture {
            true => signs.all(|c| c == 'x' || c == ':'),
            false => signs.all(|c| c == '-'),
        };
        if played.is_ambiguous {
            self.forgive(at, || format!("expected one move, found {text}, which names several"));
        } else if !is_separated {
            let (kind, separator) =
                if played.is_capture { ("capture", 'x') } else { ("move", '-') };
            self.forgive(at, || format!("expected {separator} in this {kind}, found {text}"));
        } else if played.is_partial {
            self.forgive(at, || format!("expected two squares or all of them, found {text}"));
        } else if text.split(is_separator).any(|square| square.len() > 2) {
            self.forgive(at, || format!("expected squares of one or two digits, found {text}"));
        }
    }

    /// Reads the result, which ends the game.
    pub(super) fn result(&mut self, at: Place, word: &str) {
        self.end_number(&format!("the result {word}"));
        self.in_moves = true;
        self.ended = true;
        self.result_at = Some(at);
        if let Some(tag) = self.pdn.tag("Result").filter(|tag| contradicts(tag, word)) {
            let what = format!("expected the result {tag} of the tag Result, found {word}");
            self.forgive(at, || what);
        }
        // Half a point for one side is half a point for the other.
        self.pdn.result = Some(if word == HALF { DRAW } else { word }.into());
    }

    /// Reads a character that belongs to no word.
    pub(super) fn stray(&mut self, at: Place) {
        let Some(c) = self.take_plain() else { return };
        let what = || format!("expected a move, a result or a tag, found {c:?}");
        if "-:[".contains(c) {
            // The character may be a part of a move, which must not be skipped.
            self.fault(at, what());
        } else {
            self.forgive(at, what);
        }
    }
}
