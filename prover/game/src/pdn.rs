//! Games as text: PDN 3.0, as far as real files have it.
//!
//! What is read of a game is its tags, its main line and its result. Comments (`{}`, `;`, lines
//! that begin with `%`), variations, NAGs and marks like `!?` are passed over; move numbers are not
//! judged; a move is what the list of legal moves makes of it
//! ([`Board::read_move`](super::Board::read_move)). A game ends with its result or where the tags
//! of the next begin. Files in older encodings than UTF-8 are read, too: only comments and names
//! suffer.

use thiserror::Error;

use super::{Game, Position};

/// The number of English draughts in the tag `GameType`.
pub(super) const GAME_TYPE: &str = "21";

/// A game as it was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdnGame {
    /// The line of the file on which it begins, from 1.
    pub line: usize,
    /// Its tags in order.
    pub tags: Vec<(String, String)>,
    /// The start: that of the game, or of the tag `FEN`.
    pub start: Position,
    /// The position after each move of the main line.
    pub positions: Vec<Position>,
    /// `1-0`, `0-1`, `1/2-1/2`, `*`, … as it is written, if it is there. The first number is the
    /// score of Black, who moves first.
    pub result: Option<String>,
}

impl PdnGame {
    /// The value of a tag, in whatever case its name is written.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// What is wrong with a PDN file, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}, line {line}, column {column}: {what}")]
pub struct PdnError {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// What was expected there, and what was found.
    pub what: String,
}

impl Game {
    /// Reads all games of a PDN file. `file` is its name for errors.
    ///
    /// # Errors
    /// [`PdnError`] at the first thing that cannot be understood: a tag or comment that does not
    /// end, a position that is impossible, a move that is not legal, a game of other rules.
    pub fn read_pdn(&self, file: &str, bytes: &[u8]) -> Result<Vec<PdnGame>, PdnError> {
        let text: Vec<char> = String::from_utf8_lossy(bytes).chars().collect();
        let mut reader = Reader { game: self, file, text: &text, at: 0, counted: 0, line: 1 };
        let mut games = Vec::new();
        while let Some(game) = reader.game()? {
            games.push(game);
        }
        Ok(games)
    }
}

struct Reader<'a> {
    game: &'a Game,
    file: &'a str,
    text: &'a [char],
    at: usize,
    /// How far lines have been counted, and the line there.
    counted: usize,
    line: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Line and column of a place, from 1.
    fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..at.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&c| c == '\n').count();
        let column = 1 + before.iter().rev().take_while(|&&c| c != '\n').count();
        (line, column)
    }

    fn error(&self, at: usize, what: impl Into<String>) -> PdnError {
        let (line, column) = self.place(at);
        PdnError { file: self.file.into(), line, column, what: what.into() }
    }

    fn expected(&self, want: &str) -> PdnError {
        let found = self.peek().map_or("the end of the file".into(), |c| format!("{c:?}"));
        self.error(self.at, format!("expected {want}, found {found}"))
    }

    fn take_while(&mut self, good: impl Fn(char) -> bool) -> String {
        let from = self.at;
        while self.peek().is_some_and(&good) {
            self.at += 1;
        }
        self.text[from..self.at].iter().collect()
    }

    /// Passes over blanks and comments.
    fn skip(&mut self) -> Result<(), PdnError> {
        loop {
            let begins_line = self.at == 0 || self.text[self.at - 1] == '\n';
            match self.peek() {
                Some(c) if c.is_whitespace() || c == '\u{feff}' => self.at += 1,
                Some(';') => drop(self.take_while(|c| c != '\n')),
                Some('%') if begins_line => drop(self.take_while(|c| c != '\n')),
                Some('{') => {
                    let opened = self.at;
                    self.take_while(|c| c != '}');
                    if self.peek().is_none() {
                        let what = "expected } after this comment, found the end of the file";
                        return Err(self.error(opened, what));
                    }
                    self.at += 1;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The next game, if there is one.
    fn game(&mut self) -> Result<Option<PdnGame>, PdnError> {
        self.skip()?;
        if self.peek().is_none() {
            return Ok(None);
        }
        let since = &self.text[self.counted..self.at];
        self.line += since.iter().filter(|&&c| c == '\n').count();
        self.counted = self.at;
        let (line, start) = (self.line, self.game.start());
        let mut game =
            PdnGame { line, tags: Vec::new(), start, positions: Vec::new(), result: None };
        while self.peek() == Some('[') {
            self.tag(&mut game)?;
            self.skip()?;
        }
        self.moves(&mut game)?;
        Ok(Some(game))
    }

    /// `[Name "value"]`. A value ends where a bracket follows the quote: real files have quotes in
    /// names.
    fn tag(&mut self, game: &mut PdnGame) -> Result<(), PdnError> {
        self.at += 1;
        self.take_while(char::is_whitespace);
        let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
        if name.is_empty() {
            return Err(self.expected("the name of a tag"));
        }
        self.take_while(char::is_whitespace);
        if self.peek() != Some('"') {
            return Err(self.expected("the value of the tag in double quotes"));
        }
        self.at += 1;
        let from = self.at;
        let value = loop {
            self.take_while(|c| c != '"' && c != '\n');
            let to = self.at;
            if self.peek() != Some('"') {
                return Err(self.expected("\"] at the end of the tag"));
            }
            self.at += 1;
            self.take_while(|c| c == ' ' || c == '\t');
            if self.peek() == Some(']') {
                break self.text[from..to].iter().collect::<String>();
            }
        };
        self.at += 1;
        let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
        self.understand(from, &name, &value, game)?;
        game.tags.push((name, value));
        Ok(())
    }

    /// Takes in what a tag says of the rules and of the start.
    fn understand(
        &self,
        at: usize,
        name: &str,
        value: &str,
        game: &mut PdnGame,
    ) -> Result<(), PdnError> {
        let kind = value.split(',').next().unwrap_or_default().trim();
        if name.eq_ignore_ascii_case("GameType") && kind != GAME_TYPE {
            let what = format!("expected GameType {GAME_TYPE} (English draughts), found {value:?}");
            return Err(self.error(at, what));
        }
        if name.eq_ignore_ascii_case("FEN") {
            let fen: String = value.split_whitespace().collect();
            let position = self.game.board.read_fen(&fen);
            game.start = position.map_err(|e| self.error(at, e.to_string()))?;
        }
        Ok(())
    }

    /// The main line, up to the result, the next game or the end.
    fn moves(&mut self, game: &mut PdnGame) -> Result<(), PdnError> {
        if game.tag("SetUp") == Some("0") {
            game.start = self.game.start();
        }
        let mut at = game.start;
        loop {
            self.skip()?;
            match self.peek() {
                None | Some('[') => return Ok(()),
                Some('(') => self.variation()?,
                Some('$') => {
                    self.at += 1;
                    self.take_while(|c| c.is_ascii_digit());
                }
                Some('!' | '?' | '.') => self.at += 1,
                Some('*') => {
                    self.at += 1;
                    game.result = Some("*".into());
                    return Ok(());
                }
                Some(c) if c.is_ascii_digit() => {
                    let from = self.at;
                    let word = self.take_while(|c| c.is_ascii_digit() || "-xX:/".contains(c));
                    if is_result(&word) {
                        game.result = Some(word);
                        return Ok(());
                    }
                    if word.bytes().all(|c| c.is_ascii_digit()) {
                        // The number of a move.
                        continue;
                    }
                    let next = self.game.board.read_move(&at, &word);
                    at = next.map_err(|e| self.error(from, e.to_string()))?;
                    game.positions.push(at);
                }
                Some(_) => return Err(self.expected("a move, a result or a tag")),
            }
        }
    }

    fn variation(&mut self) -> Result<(), PdnError> {
        let opened = self.at;
        let mut depth = 0;
        loop {
            self.skip()?;
            match self.peek() {
                Some('(') => depth += 1,
                Some(')') => depth -= 1,
                Some(_) => {}
                None => {
                    let what = "expected ) after this variation, found the end of the file";
                    return Err(self.error(opened, what));
                }
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// Whether a word is a score. None of these is a move: there is no square 0, and no move from 1 to
/// 1.
fn is_result(word: &str) -> bool {
    matches!(word, "1-0" | "0-1" | "1/2-1/2" | "2-0" | "0-2" | "1-1" | "0-0")
}
