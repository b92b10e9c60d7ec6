//! Reading games.

use std::io::{self, BufRead};

use super::line::Line;
use super::source::Source;
use super::words::is_in_word;
use super::{Game, MOST_BYTES, PdnError, PdnGame, Strictness};

/// No result is longer.
const LONGEST_WORD: usize = 16;

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
    /// Games so far.
    number: usize,
}

impl<'a, R: BufRead> PdnReader<'a, R> {
    /// Reads games of `game` from `source`; `file` is its name for errors.
    pub fn new(game: &'a Game, file: &str, source: R, strictness: Strictness) -> Self {
        PdnReader { game, file: file.into(), strictness, source: Source::new(source), number: 0 }
    }
}

impl<R: BufRead> Iterator for PdnReader<'_, R> {
    /// A game, or why the source cannot be read on.
    type Item = io::Result<PdnGame>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.source.skip_while(is_blank);
            let ended = self.source.peek().is_none();
            if let Some(error) = self.source.take_error() {
                return Some(Err(error));
            }
            if ended {
                return None;
            }
            let game = Reading::new(self).game();
            // A game that the system cut short is none.
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

/// A place: line and column.
pub(super) type Place = (usize, usize);

/// A game under way.
pub(super) struct Reading<'r, R> {
    pub(super) game: &'r Game,
    pub(super) file: &'r str,
    strictness: Strictness,
    pub(super) source: &'r mut Source<R>,
    /// How many bytes had been read before the game.
    begin: u64,
    pub(super) pdn: PdnGame,
    /// The moves, from the first on.
    pub(super) line: Option<Line>,
    /// Whether a tag or a word was read.
    is_begun: bool,
    /// Whether anything was read that can only come after the tags.
    pub(super) in_moves: bool,
    pub(super) ended: bool,
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
            forgiven: 0,
            first_forgiven: None,
        };
        Reading {
            game: reader.game,
            file: &reader.file,
            strictness: reader.strictness,
            begin: reader.source.read,
            source: &mut reader.source,
            pdn,
            line: None,
            is_begun: false,
            in_moves: false,
            ended: false,
        }
    }

    /// Reads to the end of the game. None if there is no game, but a comment or a few words.
    fn game(mut self) -> Option<PdnGame> {
        while !self.ended {
            let at = self.place();
            let Some(byte) = self.source.peek() else { break };
            // What may stand before a game, such as a comment, is not its beginning.
            if !self.is_begun && (byte == b'[' || is_in_word(byte)) {
                self.is_begun = true;
                self.pdn.line = at.0;
            }
            match byte {
                b if is_blank(b) => drop(self.next()),
                b'%' if self.source.begins_line() => self.skip_line(),
                b';' => self.line_comment(),
                b'{' => self.comment(at),
                b'[' if self.in_moves => break,
                b'[' => self.tag(),
                b'(' => self.variation(at),
                b'$' => self.nag(at),
                b'!' | b'?' => self.mark(),
                b'.' => drop(self.next()),
                b'*' => {
                    self.next();
                    self.result("*");
                }
                b if is_in_word(b) && !b"-/:".contains(&b) => self.word(at),
                _ => self.stray(at),
            }
        }
        let is_game = !self.pdn.tags.is_empty() || self.line.is_some() || self.pdn.fault.is_some();
        if !is_game {
            return None;
        }
        if self.pdn.result.is_none() {
            let found = self.source.peek().map_or("the end of the file", |_| "the next game");
            let what = || format!("expected a result after the moves, found {found}");
            self.forgive(self.place(), what);
        }
        self.begin_moves();
        self.pdn.positions = self.line.map_or_else(Vec::new, Line::finish);
        Some(self.pdn)
    }

    pub(super) fn place(&self) -> Place {
        (self.source.line, self.source.column)
    }

    /// Takes a byte.
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.source.next()?;
        if self.source.read - self.begin == MOST_BYTES + 1 {
            let what = format!("expected at most {MOST_BYTES} bytes a game, found more");
            self.fault(self.place(), what);
        }
        Some(byte)
    }

    pub(super) fn skip_line(&mut self) {
        while self.source.peek().is_some_and(|b| b != b'\n') {
            self.next();
        }
    }

    fn error(&self, (line, column): Place, what: String) -> PdnError {
        PdnError { file: self.file.into(), line, column, what }
    }

    /// Something cannot be understood. The rest is only read to find the end of the game.
    pub(super) fn fault(&mut self, at: Place, what: String) {
        if self.pdn.fault.is_none() {
            self.pdn.fault = Some(self.error(at, what));
        }
    }

    pub(super) fn expected(&mut self, want: &str) {
        let found = self.source.peek().map_or("the end of the file".into(), show);
        self.fault(self.place(), format!("expected {want}, found {found}"));
    }

    /// Something is not in the standard. After a fault it is not even put into words: what remains
    /// may be long.
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

    /// Takes the next byte, which belongs to `text`. Of a game that is too long only words are
    /// kept, to find its result.
    pub(super) fn take(&mut self, text: &mut Vec<u8>) -> Option<u8> {
        let byte = self.next()?;
        if self.source.read - self.begin <= MOST_BYTES || text.len() < LONGEST_WORD {
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

    /// The moves begin where the tags say.
    pub(super) fn begin_moves(&mut self) {
        if self.line.is_none() && self.pdn.tag("SetUp") == Some("0") {
            self.pdn.start = self.game.start();
        }
    }

    pub(super) fn result(&mut self, word: &str) {
        self.in_moves = true;
        self.ended = true;
        // Half a point for one side is half for the other.
        self.pdn.result = Some(if word == "1/2" { "1/2-1/2" } else { word }.into());
    }
}

/// Whether a byte separates words.
pub(super) fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Blanks within a line.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

pub(super) fn show(byte: u8) -> String {
    format!("{:?}", char::from(byte))
}
