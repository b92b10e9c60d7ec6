//! Reads games.

use std::io::{self, BufRead};

use super::super::{Board, Position};
use super::source::{
    Place, Source, bytes_before, decode, decode_parts, is_blank, is_in_word, is_separator, plain,
};
use super::{
    Game, MOST_BYTES, PdnError, PdnGame, Strictness, Unread, half_moves_after_set_up,
    half_moves_before, is_result, number_of,
};
use crate::notation::{Move, MoveError};

/// The greatest length of a result.
const LONGEST_WORD: usize = 16;
/// The greatest indentation of a tag, and the greatest length of a word that follows a result.
const LOOK_AHEAD: usize = 64;

/// Reads the games of a source one after the other.
///
/// ```
/// use draughtproof_game::{Game, PdnReader, Strictness};
///
/// let game: Game = "8x8".parse()?;
/// let text = b"[Event \"a\"] 1. 11-15 23-18 *   [Event \"b\"] 1. 11-15 11-16 *";
/// let games: Vec<_> =
///     PdnReader::new(&game, "two.pdn", &text[..], Strictness::Lenient).collect::<Result<_, _>>()?;
/// assert_eq!(games[0].positions.len(), 2);
/// assert!(games[0].fault.is_none());
/// assert_eq!(games[1].fault.as_ref().map(|fault| fault.column), Some(53));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PdnReader<'a, R> {
    game: &'a Game,
    file: String,
    strictness: Strictness,
    source: Source<R>,
    /// The number of games so far.
    number: usize,
}

impl<'a, R: BufRead> PdnReader<'a, R> {
    /// Reads games of `game` from `source`; `file` is the name of the source in errors.
    pub fn new(game: &'a Game, file: &str, source: R, strictness: Strictness) -> Self {
        PdnReader { game, file: file.into(), strictness, source: Source::new(source), number: 0 }
    }
}

impl<R: BufRead> Iterator for PdnReader<'_, R> {
    /// A game, or the error by which reading the source ended.
    type Item = io::Result<PdnGame>;

    fn next(&mut self) -> Option<Self::Item> {
        self.source.skip_byte_order_mark();
        loop {
            self.source.skip_while(|byte| is_blank(byte.into()));
            let ended = self.source.peek().is_none();
            if let Some(error) = self.source.take_error() {
                return Some(Err(error));
            }
            if ended {
                return None;
            }
            let game = Reading::new(self).game();
            // A game that an error of reading cut short is not returned.
            if let Some(error) = self.source.take_error() {
                return Some(Err(error));
            }
            if let Some(mut game) = game {
                self.number += 1;
                game.number = self.number;
                return Some(Ok(game));
            }
        }
    }
}

/// The number of a move that was read and whose move is still to come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub(super) at: Place,
    /// Whether a dot follows; a number without one may also be half a move.
    pub(super) has_dot: bool,
}

/// The state of reading a game.
pub(super) struct Reading<'r, R> {
    pub(super) game: &'r Game,
    pub(super) file: &'r str,
    pub(super) strictness: Strictness,
    pub(super) source: &'r mut Source<R>,
    pub(super) pdn: PdnGame,
    /// The moves, from the first on.
    pub(super) line: Option<Line>,
    /// The number of the next move, if it was read.
    pub(super) number: Option<Number>,
    /// The place of the number right before the text that is being read.
    number_at: Option<Place>,
    /// The number of bytes of the game before the end of the last move.
    pub(super) move_end: Option<u64>,
    pub(super) result_at: Option<Place>,
    /// The place at which the fault is reported, if it is not that of the unknown text.
    pub(super) fault_from: Option<Place>,
    /// Whether the fault is among the tags.
    pub(super) fault_in_tags: bool,
    /// Whether a tag or a word was read.
    is_begun: bool,
    /// Whether any text was read that can only come after the tags.
    pub(super) in_moves: bool,
    pub(super) ended: bool,
    /// Whether text without an end goes on to the next game or the end of the file.
    pub(super) is_cut: bool,
}

impl<'r, R: BufRead> Reading<'r, R> {
    fn new(reader: &'r mut PdnReader<'_, R>) -> Self {
        let pdn = PdnGame {
            number: 0,
            line: reader.source.line,
            tags: Vec::new(),
            start: reader.game.start(),
            positions: Vec::new(),
            remarks: Vec::new(),
            result: None,
            fault: None,
            unread: None,
            forgiven: 0,
            first_forgiven: None,
        };
        reader.source.begin_game();
        Reading {
            game: reader.game,
            file: &reader.file,
            strictness: reader.strictness,
            source: &mut reader.source,
            pdn,
            line: None,
            number: None,
            number_at: None,
            move_end: None,
            result_at: None,
            fault_from: None,
            fault_in_tags: false,
            is_begun: false,
            in_moves: false,
            ended: false,
            is_cut: false,
        }
    }

    /// Reads to the end of the game. `None` if there is no game, but only a comment or a few words.
    fn game(mut self) -> Option<PdnGame> {
        let begin = self.place();
        while !self.ended {
            let at = self.place();
            let Some(c) = self.peek() else { break };
            // Text that may stand before a game, such as a comment, is not its beginning.
            if !self.is_begun && (c == '[' || is_in_word(c)) {
                self.is_begun = true;
                self.pdn.line = at.0;
            }
            if c == '[' && self.is_next_game() {
                break;
            }
            self.item(at, c);
        }
        if self.result_at.is_some() {
            self.after_result();
        }
        self.end_number("the end of the game");
        let is_game = !self.pdn.tags.is_empty() || self.line.is_some() || self.pdn.fault.is_some();
        if !is_game {
            return None;
        }
        // The standard requires no result at the end of a file.
        if self.pdn.result.is_none() && self.source.peek().is_some() {
            self.forgive(self.place(), || {
                "expected a result after the moves, found the next game".into()
            });
        }
        if self.source.is_utf16() {
            self.forgive(begin, || "expected text in UTF-8, found UTF-16".into());
        }
        self.begin_moves();
        self.keep_unread(begin);
        self.pdn.positions = self.line.map_or_else(Vec::new, Line::finish);
        Some(self.pdn)
    }

    /// Reads the item that begins with a character.
    fn item(&mut self, at: Place, c: char) {
        self.number_at = self.number.map(|number| number.at);
        match c {
            c if is_blank(c) => drop(self.take_plain()),
            '%' if self.source.begins_line() => self.skip_line(),
            '.' => self.dots(at),
            c if is_in_word(c) && !"-/:".contains(c) => self.word(at),
            _ => {
                if self.end_number(&format!("{c:?}")) {
                    return;
                }
                match c {
                    ';' => self.line_comment(at),
                    '{' => self.comment(at),
                    '[' if !self.in_moves || self.is_before_tags() => self.tag(at),
                    '(' => self.parenthesis(at),
                    '$' => self.nag(at),
                    '!' | '?' => self.mark(at),
                    '*' => self.asterisk(at),
                    '/' => self.set_up(at),
                    _ => self.stray(at),
                }
            }
        }
    }

    /// Whether the text that begins with a bracket is a tag of the next game.
    fn is_next_game(&mut self) -> bool {
        // A line of tags that is not understood may have the moves and the result in it, so that
        // nothing but a second tag Event shows where the next game begins.
        let is_second_event = self.fault_in_tags && self.pdn.tag("Event").is_some();
        self.in_moves && !self.is_before_tags() && self.is_tag()
            || is_second_event && tag_name(self.behind_bracket().trim_ascii_start()) == b"Event"
    }

    /// Whether only words were read so far, which real files have between games.
    fn is_before_tags(&self) -> bool {
        self.pdn.tags.is_empty() && self.line.is_none() && self.pdn.fault.is_none()
    }

    /// Whether a bracket begins a tag: a name follows, and within a line also a quote.
    fn is_tag(&mut self) -> bool {
        let is_at_line = self.source.begins_line();
        let bytes = self.behind_bracket();
        let text = bytes.trim_ascii_start();
        let value = text[tag_name(text).len()..].trim_ascii_start();
        text.first().is_some_and(u8::is_ascii_alphabetic)
            && (is_at_line || value.starts_with(b"\""))
    }

    /// The bytes behind a bracket, as far as is looked ahead.
    fn behind_bracket(&mut self) -> Vec<u8> {
        (1..LOOK_AHEAD).map_while(|n| self.source.byte(n)).collect()
    }

    /// Reads comments and similar text that follow the result and belong to the game. The next game
    /// begins with a tag, or with a move or its number.
    fn after_result(&mut self) {
        let mut remark = None;
        while !self.is_cut {
            let at = self.place();
            let Some(c) = self.peek() else { return };
            match c {
                '[' => break,
                '{' | '(' | '$' | '!' | '?' => remark = remark.or(Some(at)),
                c if is_in_word(c) => match self.next_word() {
                    Some(word) if is_result(&word) => {
                        self.second_result(at, &word);
                        continue;
                    }
                    Some(word) if !word.contains(is_part_of_move) => {}
                    _ => return,
                },
                _ => {}
            }
            match c {
                '*' => self.stray(at),
                c => self.item(at, c),
            }
        }
        if let Some(at) = remark {
            // Without tags that follow, the standard takes the remark for a part of the next game.
            self.forgive(at, || "expected this remark before the result".into());
        }
    }

    /// The next word, if it is not longer than [`LOOK_AHEAD`].
    fn next_word(&mut self) -> Option<String> {
        let bytes: Vec<u8> = (0..LOOK_AHEAD).map_while(|n| self.source.byte(n)).collect();
        let text: String = decode(&bytes).chars().map(plain).collect();
        let end = text.find(|c| !is_in_word(c));
        let is_whole = end.is_some() || bytes.len() < LOOK_AHEAD;
        is_whole.then(|| text[..end.unwrap_or(text.len())].into())
    }

    /// Reads a result after a result, which some programs write after `*`.
    fn second_result(&mut self, at: Place, word: &str) {
        self.forgive(at, || format!("expected one result, found another, {word}"));
        self.take_text(is_in_word);
        if self.pdn.result.as_deref() == Some("*") {
            self.result(at, word);
        }
    }

    pub(super) fn place(&self) -> Place {
        (self.source.line, self.source.column)
    }

    /// The next character, in the form of the standard.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.source.peek_char().map(|(c, _)| plain(c))
    }

    /// Takes the next character, in the form of the standard.
    pub(super) fn take_plain(&mut self) -> Option<char> {
        let at = self.place();
        let (found, bytes) = self.source.peek_char()?;
        for _ in 0..bytes {
            self.next();
        }
        let c = plain(found);
        if c != found {
            self.forgive(at, || format!("expected {c:?}, found {found:?}"));
        }
        Some(c)
    }

    /// Takes characters while `good` returns true. Of a game that is too long only words are kept,
    /// to find its result.
    pub(super) fn take_text(&mut self, good: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while self.peek().is_some_and(&good) {
            let Some(c) = self.take_plain() else { break };
            if self.source.game_bytes() <= MOST_BYTES || text.len() < LONGEST_WORD {
                text.push(c);
            }
        }
        text
    }

    /// Takes a byte.
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.source.next()?;
        if self.source.game_bytes() == MOST_BYTES + 1 {
            let what = format!("expected at most {MOST_BYTES} bytes a game, found more");
            self.fault(self.place(), what);
        }
        Some(byte)
    }

    pub(super) fn skip_line(&mut self) {
        while self.source.peek().is_some_and(|b| !is_line_end(b)) {
            self.next();
        }
    }

    fn error(&self, (line, column): Place, what: String) -> PdnError {
        PdnError { file: self.file.into(), line, column, what }
    }

    /// Records the fault of the game. The rest is only read to find the end of the game.
    pub(super) fn fault(&mut self, at: Place, what: String) {
        if self.pdn.fault.is_none() {
            self.pdn.fault = Some(self.error(at, what));
            self.fault_in_tags = !self.in_moves;
            // The place is that of the result before this text, or of the number of the move.
            self.fault_from = self.result_at.or(self.number_at);
        }
    }

    /// Describes the next character.
    pub(super) fn found(&mut self) -> String {
        let next = self.source.peek_char();
        next.map_or("the end of the file".into(), |(c, _)| format!("{c:?}"))
    }

    pub(super) fn expected(&mut self, want: &str) {
        let found = self.found();
        self.fault(self.place(), format!("expected {want}, found {found}"));
    }

    /// Records a forgiven deviation. After a fault `what` is not called, since the rest may be
    /// long.
    pub(super) fn forgive(&mut self, at: Place, what: impl FnOnce() -> String) {
        if self.pdn.fault.is_some() {
            return;
        }
        if self.strictness == Strictness::Strict {
            return self.fault(at, what());
        }
        self.pdn.forgiven += 1;
        if self.pdn.first_forgiven.is_none() {
            self.pdn.first_forgiven = Some(self.error(at, what()));
        }
    }

    /// Takes the next byte and appends it to `text`, if the game is not too long.
    pub(super) fn take(&mut self, text: &mut Vec<u8>) -> Option<u8> {
        let byte = self.next()?;
        if self.source.game_bytes() <= MOST_BYTES {
            text.push(byte);
        }
        Some(byte)
    }

    pub(super) fn take_while(&mut self, good: impl Fn(u8) -> bool) -> Vec<u8> {
        let mut text = Vec::new();
        while self.source.peek().is_some_and(&good) {
            self.take(&mut text);
        }
        text
    }

    /// Decodes a text in UTF-8, or in an older encoding.
    pub(super) fn decode(&mut self, at: Place, bytes: &[u8]) -> String {
        if std::str::from_utf8(bytes).is_err() {
            self.forgive(at, || "expected text in UTF-8, found another encoding".into());
        }
        decode(bytes)
    }

    /// Keeps the text from the fault on.
    fn keep_unread(&mut self, begin: Place) {
        let Some(fault) = &self.pdn.fault else { return };
        let Some(text) = self.source.game_text() else { return };
        // Before the first move, a bracket that is a fault now would begin a tag if it were written
        // without the text before it.
        let is_whole = self.fault_in_tags || self.line.is_none();
        let at = self.fault_from.unwrap_or((fault.line, fault.column));
        let from = if is_whole { 0 } else { bytes_before(text, begin, at) };
        let line = if is_whole { begin.0 } else { at.0 };
        let text = decode_parts(&text[from..]);
        self.pdn.unread = Some(Unread { text, line, is_whole });
    }

    /// Begins the moves at the start that the tags give.
    pub(super) fn begin_moves(&mut self) {
        if self.line.is_none() && self.pdn.tag("SetUp") == Some("0") {
            self.pdn.start = self.game.start();
        }
    }

    /// The moves so far.
    pub(super) fn moves(&mut self) -> &mut Line {
        self.begin_moves();
        self.line.get_or_insert_with(|| Line::new(self.pdn.start))
    }

    /// The number of the next move.
    pub(super) fn move_number(&self) -> usize {
        let first = half_moves_before(&self.pdn.start);
        number_of(self.line.as_ref().map_or(first, Line::half_moves))
    }
}

/// Whether a character may be a part of a move or a result.
fn is_part_of_move(c: char) -> bool {
    c.is_numeric() || "-/:".contains(c)
}

/// Whether a byte ends a line. CR LF ends one line.
pub(super) fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// The name of a tag at the beginning of a text; empty if the text begins with none.
pub(super) fn tag_name(text: &[u8]) -> &[u8] {
    let is_in_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    &text[..text.iter().position(|b| !is_in_name(b)).unwrap_or(text.len())]
}

/// The most meanings of the text that are followed at a time; below it, over how many moves. Each
/// meaning is tried with the moves that follow; if several remain, the first counts.
const MEANINGS: usize = 16;
const UNDECIDED: usize = 256;

/// The meaning of a text.
pub(super) struct Played {
    pub(super) is_capture: bool,
    /// Whether the text names several moves.
    pub(super) is_ambiguous: bool,
    /// Whether the text names some of the squares between the ends of a capture, but not all.
    pub(super) is_partial: bool,
}

/// The moves of a game from its start.
pub(super) struct Line {
    /// The position at which the undecided moves begin.
    root: Position,
    /// The number of single moves before the next one, by the numbering of moves.
    half_moves: usize,
    /// The positions after the decided moves.
    decided: Vec<Position>,
    /// The continuations that the text may mean, at least one, in canonical order of their moves.
    open: Vec<Vec<Position>>,
}

impl Line {
    pub(super) fn new(start: Position) -> Self {
        let half_moves = half_moves_before(&start);
        Line { root: start, half_moves, decided: Vec::new(), open: vec![Vec::new()] }
    }

    /// The number of moves.
    pub(super) fn len(&self) -> usize {
        self.decided.len() + self.open[0].len()
    }

    /// The number of single moves before the next one, by the numbering of moves.
    pub(super) fn half_moves(&self) -> usize {
        self.half_moves
    }

    fn last_of(&self, open: &[Position]) -> Position {
        *open.last().unwrap_or(&self.root)
    }

    /// Whether a text names a legal move in the current position.
    pub(super) fn allows(&self, board: &Board, text: &str) -> bool {
        self.open.iter().any(|open| board.meanings(&self.last_of(open), text).is_ok())
    }

    /// Sets up another position: the moves after it do not decide what moves before it meant.
    pub(super) fn set_up(&mut self, position: Position) {
        self.decide();
        self.root = position;
        self.half_moves = half_moves_after_set_up(self.half_moves, &position);
    }

    pub(super) fn play(&mut self, board: &Board, text: &str) -> Result<Played, MoveError> {
        let mut first_error = None;
        let mut played: Option<Played> = None;
        let squares = 1 + text.chars().filter(|&c| is_separator(c)).count();
        let mut longer: Vec<Vec<Position>> = Vec::new();
        for open in &self.open {
            match board.meanings(&self.last_of(open), text) {
                Ok(meanings) => {
                    let is_ambiguous = meanings.len() > 1;
                    for Move { after, is_capture, paths } in meanings {
                        let is_partial = squares > 2 && paths.iter().all(|p| p.len() != squares);
                        played.get_or_insert(Played { is_capture, is_ambiguous, is_partial });
                        // If two meanings lead to equal positions, the first one stands for both.
                        let is_new = longer.iter().all(|o| o.last() != Some(&after));
                        if is_new && longer.len() < MEANINGS {
                            longer.push([&open[..], &[after]].concat());
                        }
                    }
                }
                Err(e) => drop(first_error.get_or_insert(e)),
            }
        }
        let played = match (played, first_error) {
            (None, Some(error)) => return Err(error),
            // At least one meaning so far.
            (played, _) => played.unwrap_or(Played {
                is_capture: false,
                is_ambiguous: false,
                is_partial: false,
            }),
        };
        self.open = longer;
        self.half_moves += 1;
        if self.open.len() == 1 || self.open[0].len() >= UNDECIDED {
            self.decide();
        }
        Ok(played)
    }

    /// Decides on the first meaning.
    fn decide(&mut self) {
        self.root = self.last_of(&self.open[0]);
        self.decided.append(&mut self.open[0]);
        self.open.truncate(1);
    }

    /// The positions after each move.
    pub(super) fn finish(mut self) -> Vec<Position> {
        self.decide();
        self.decided
    }
}
