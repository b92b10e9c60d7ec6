//! What is said beside the moves: comments, variations, marks.

use std::io::BufRead;

use super::line::Line;
use super::read::{Place, Reading};
use super::source::decode;
use super::{Remark, RemarkKind};

impl<R: BufRead> Reading<'_, R> {
    fn remark(&mut self, what: RemarkKind) {
        if self.pdn.fault.is_none() {
            let after = self.line.as_ref().map_or(0, Line::len);
            self.pdn.remarks.push(Remark { after, what });
        }
    }

    fn add_comment(&mut self, text: &[u8]) {
        // A carriage return alone is a blank: what follows it does not begin a line.
        let text = decode(text).replace("\r\n", "\n").replace('\r', " ");
        self.remark(RemarkKind::Comment(text.trim().into()));
    }

    pub(super) fn line_comment(&mut self) {
        self.next();
        let text = self.take_while(|b| b != b'\n');
        self.add_comment(&text);
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
        self.add_comment(&text);
    }

    pub(super) fn variation(&mut self, opened: Place) {
        self.in_moves = true;
        let mut text = Vec::new();
        let (mut depth, mut in_comment, mut in_line) = (0u64, false, false);
        loop {
            in_line |= !in_comment && self.source.begins_line() && self.source.peek() == Some(b'%');
            match self.take(&mut text) {
                None => return self.never_ends(opened, ") after this variation", false),
                Some(b'"') if self.source.is_at_next_game() => {
                    return self.never_ends(opened, ") after this variation", true);
                }
                Some(b'\n') => in_line = false,
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
        self.remark(RemarkKind::Variation(decode(&text)));
    }

    /// The game is the last that can be told from what follows.
    fn never_ends(&mut self, opened: Place, want: &str, next_game: bool) {
        let found = if next_game { "the next game" } else { "the end of the file" };
        self.fault(opened, format!("expected {want}, found {found}"));
        self.ended = true;
    }

    pub(super) fn nag(&mut self, at: Place) {
        self.next();
        match self.take_while(|b| b.is_ascii_digit()) {
            digits if digits.is_empty() => self.forgive(at, || "expected a number after $".into()),
            digits => self.remark(RemarkKind::Mark(format!("${}", decode(&digits)))),
        }
    }

    pub(super) fn mark(&mut self) {
        self.in_moves = true;
        let marks = self.take_while(|b| matches!(b, b'!' | b'?'));
        self.remark(RemarkKind::Mark(decode(&marks)));
    }
}
