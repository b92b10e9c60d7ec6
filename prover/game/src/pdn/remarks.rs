//! Reads remarks beside the moves: comments, variations, strengths of moves, positions that are set
//! up.

use std::io::BufRead;

use super::read::{Line, Reading, is_line_end};
use super::source::{Place, is_separator, plain};
use super::standard::variation_fault;
use super::{Remark, RemarkKind, Strength};

/// The greatest length of a strength in parentheses.
const LONGEST_STRENGTH: usize = 16;

impl<R: BufRead> Reading<'_, R> {
    /// The number of moves so far.
    fn done(&self) -> usize {
        self.line.as_ref().map_or(0, Line::len)
    }

    fn remark(&mut self, what: RemarkKind) {
        if self.pdn.fault.is_none() {
            let after = self.done();
            self.pdn.remarks.push(Remark { after, what });
        }
    }

    fn add_comment(&mut self, at: Place, text: &[u8]) {
        let text = self.decode(at, text).replace("\r\n", "\n").replace('\r', "\n");
        self.remark(RemarkKind::Comment(text.trim().into()));
    }

    /// Reads a comment up to the end of the line, a form of earlier standards.
    pub(super) fn line_comment(&mut self, at: Place) {
        let follows = self.source.last;
        let begins_line = self.source.begins_line();
        self.next();
        let text = self.take_while(|b| !is_line_end(b));
        if !begins_line && self.may_be_moves(&text, follows.is_ascii_digit()) {
            return self.fault(at, "expected a remark after ;, found what may be moves".into());
        }
        self.forgive(at, || "expected { and } around a comment, found ;".into());
        self.add_comment(at, &text);
    }

    /// Whether a remark may be moves that a semicolon separates from the one before it: the
    /// semicolon is right between the two, or the remark has only moves and the first one is legal.
    fn may_be_moves(&self, text: &[u8], follows_move: bool) -> bool {
        let text: String = String::from_utf8_lossy(text).chars().map(plain).collect();
        if follows_move && text.starts_with(|c: char| c.is_ascii_digit()) {
            return true;
        }
        let is_sign = |c: char| c.is_ascii_digit() || is_separator(c) || " \t.!?*/".contains(c);
        let words = text.split([' ', '\t', '.', '!', '?']);
        let mut moves = words.filter(|word| word.contains(is_separator));
        text.chars().all(is_sign)
            && moves.next().is_some_and(|text| match &self.line {
                Some(line) => line.allows(&self.game.board, text),
                None => self.game.board.meanings(&self.pdn.start, text).is_ok(),
            })
    }

    pub(super) fn comment(&mut self, opened: Place) {
        self.next();
        let mut text = Vec::new();
        loop {
            match self.take(&mut text) {
                None => return self.never_ends(opened, "} after this comment", false),
                Some(b'}') => break,
                Some(b'"') if self.source.is_at_next_game() => {
                    return self.never_ends(opened, "} after this comment", true);
                }
                Some(_) => {}
            }
        }
        text.pop();
        self.add_comment(opened, &text);
    }

    /// Reads a strength in parentheses, or a variation.
    pub(super) fn parenthesis(&mut self, opened: Place) {
        let bytes = (0..LONGEST_STRENGTH).map_while(|n| self.source.byte(n));
        let text: Vec<u8> = bytes.collect();
        let end = text.iter().position(|&b| b == b')');
        let inner = end.map(|end| text[1..end].trim_ascii());
        let Some((end, inner)) = end.zip(inner).filter(|(_, inner)| {
            !inner.is_empty() && inner.iter().all(|b| matches!(b, b'!' | b'?'))
        }) else {
            return self.variation(opened);
        };
        let is_at_move = self.is_at_move();
        let is_plain = inner.len() + 1 == end;
        let strength = format!("({})", String::from_utf8_lossy(inner));
        for _ in 0..=end {
            self.next();
        }
        self.strength(opened, strength, is_at_move && is_plain);
    }

    fn variation(&mut self, opened: Place) {
        self.in_moves = true;
        let mut text = Vec::new();
        let mut depth = 0u64;
        let mut in_comment = false;
        let mut in_line = false;
        loop {
            in_line |= !in_comment && self.source.begins_line() && self.source.peek() == Some(b'%');
            match self.take(&mut text) {
                None => return self.never_ends(opened, ") after this variation", false),
                Some(b'"') if self.source.is_at_next_game() => {
                    return self.never_ends(opened, ") after this variation", true);
                }
                Some(b) if is_line_end(b) => in_line = false,
                Some(_) if in_line => {}
                Some(b'}') => in_comment = false,
                Some(_) if in_comment => {}
                Some(b'{') => in_comment = true,
                Some(b';') => in_line = true,
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(_) => {}
            }
            if depth == 0 {
                break;
            }
        }
        let text = self.decode(opened, &text);
        if self.pdn.fault.is_none()
            && let Some((offset, expected)) = variation_fault(&text, self.game.board.squares())
        {
            let found = text[offset..].chars().next().unwrap_or_default();
            self.forgive(place_in(&text, opened, offset), || {
                format!("expected {expected} in this variation, found {found:?}")
            });
        }
        self.remark(RemarkKind::Variation(text));
    }

    /// Records that a comment or variation never ends; the game is the last that can be told apart.
    fn never_ends(&mut self, opened: Place, want: &str, next_game: bool) {
        let found = if next_game { "the next game" } else { "the end of the file" };
        self.fault(opened, format!("expected {want}, found {found}"));
        self.ended = true;
        self.is_cut = true;
    }

    pub(super) fn nag(&mut self, at: Place) {
        self.next();
        let digits = self.take_while(|b| b.is_ascii_digit());
        if digits.is_empty() {
            return self.forgive(at, || "expected a number after $".into());
        }
        self.remark(RemarkKind::Mark(format!("${}", String::from_utf8_lossy(&digits))));
    }

    pub(super) fn mark(&mut self, at: Place) {
        let is_at_move = self.is_at_move();
        let marks = self.take_text(|c| matches!(c, '!' | '?'));
        self.strength(at, marks, is_at_move);
    }

    /// Whether a move was read last.
    pub(super) fn is_at_move(&self) -> bool {
        self.move_end == Some(self.source.game_bytes())
    }

    /// Records a strength, which belongs right behind its move. One in another place becomes the
    /// equivalent number, which the standard allows anywhere.
    fn strength(&mut self, at: Place, strength: String, is_at_move: bool) {
        self.in_moves = true;
        let done = self.done();
        let first = self.pdn.remarks.iter().rposition(|r| r.after < done).map_or(0, |n| n + 1);
        let here = &self.pdn.remarks[first..];
        let has_move = done > 0 && !here.iter().any(|r| matches!(r.what, RemarkKind::SetUp(_)));
        let earlier = here.iter().find(|r| Strength::is_text(&r.what));
        let is_second = earlier.is_some();
        if has_move && !is_second {
            if !is_at_move {
                self.forgive(at, || format!("expected {strength} right behind its move"));
            }
            if self.pdn.fault.is_none() {
                let what = RemarkKind::Mark(strength);
                self.pdn.remarks.insert(first, Remark { after: done, what });
            }
            return;
        }
        let is_same = earlier.is_some_and(|r| r.what == RemarkKind::Mark(strength.clone()));
        let expected =
            if is_second { "one strength of a move" } else { "a move before a strength" };
        self.forgive(at, || format!("expected {expected}, found {strength}"));
        if is_same {
            return;
        }
        self.remark(match Strength::number(&strength) {
            Some(number) => RemarkKind::Mark(number.into()),
            None => RemarkKind::Comment(strength),
        });
    }

    /// Reads the end of a game or, right behind a move that others follow, the mark of a forced
    /// move.
    pub(super) fn asterisk(&mut self, at: Place) {
        let is_at_move = self.is_at_move();
        self.take_plain();
        let mut after = (0..LONGEST_STRENGTH).map_while(|n| self.source.byte(n));
        let next = after.find(|byte| !b" \t".contains(byte));
        if is_at_move && next.is_some_and(|byte| byte.is_ascii_digit()) {
            self.forgive(at, || "expected $7 for a forced move, found *".into());
            return self.remark(RemarkKind::Mark("$7".into()));
        }
        self.result(at, "*");
    }

    /// Reads `/FEN "…"/`, which sets up another position.
    pub(super) fn set_up(&mut self, at: Place) {
        self.in_moves = true;
        self.take_plain();
        let text = self.take_text(|c| c.is_ascii_alphanumeric() || "\":,.-? \t\r\n".contains(c));
        if self.peek() != Some('/') {
            let found = self.found();
            let what = format!("expected / after the position that is set up, found {found}");
            return self.fault(at, what);
        }
        self.take_plain();
        let text = text.trim();
        let fen = text.strip_prefix("FEN").map(str::trim);
        let quoted = fen.and_then(|fen| fen.strip_prefix('"')?.strip_suffix('"'));
        let position = match self.game.board.read_fen(fen.unwrap_or(text)) {
            Ok(position) => position,
            Err(e) => return self.fault(at, e.to_string()),
        };
        match quoted {
            Some(quoted) => self.judge_fen(at, quoted),
            None => self.forgive(at, || format!("expected /FEN \"…\"/, found /{text}/")),
        }
        if self.pdn.fault.is_none() {
            self.moves().set_up(position);
            self.remark(RemarkKind::SetUp(position));
        }
    }
}

/// The place of a character in a text that begins at `begin`.
fn place_in(text: &str, begin: Place, offset: usize) -> Place {
    let before = &text[..offset];
    let lines = before.replace("\r\n", "\n").replace('\r', "\n");
    match lines.rsplit_once('\n') {
        None => (begin.0, begin.1 + before.chars().count()),
        Some((earlier, last)) => {
            (begin.0 + earlier.matches('\n').count() + 1, last.chars().count() + 1)
        }
    }
}
