//! Writing games.

use std::borrow::Cow;

use super::super::{Board, Game, MoveError, Position, Side};
use super::tags::GAME_TYPE;
use super::{PdnGame, RemarkKind, number_after};

/// The column at which lines of moves are broken.
const WIDTH: usize = 79;

/// The game of which [`GAME_TYPE`] is the number.
const CHECKERS: &str = "8x8";

impl PdnGame {
    /// A game from `start` on, with its result and with tags that say what it is.
    pub fn new(game: &Game, start: Position, positions: Vec<Position>, result: &str) -> PdnGame {
        let mut tags = vec![("Event", game.to_string()), ("Result", result.into())];
        if game.to_string() == CHECKERS {
            tags.push(("GameType", GAME_TYPE.into()));
        }
        if start != game.start() {
            tags.extend([("SetUp", "1".into()), ("FEN", game.board.write_fen(&start))]);
        }
        PdnGame {
            number: 1,
            line: 1,
            tags: tags.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            start,
            positions,
            remarks: Vec::new(),
            result: Some(result.into()),
            fault: None,
            forgiven: 0,
            first_forgiven: None,
        }
    }
}

/// Writes a game, its remarks included, so that reading gives the same game. A result that is not
/// known is written as `*`.
///
/// # Errors
/// [`MoveError`] if a position does not follow from the one before it.
pub fn write_pdn(board: &Board, game: &PdnGame) -> Result<String, MoveError> {
    let mut out = Text { text: String::new(), column: 0 };
    for (name, value) in &game.tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        out.text += &format!("[{name} \"{value}\"]\n");
    }
    let mut remarks = game.remarks.iter().peekable();
    let mut at = game.start;
    let mut is_numbered = false;
    for done in 0..=game.positions.len() {
        while let Some(remark) = remarks.next_if(|remark| remark.after <= done) {
            is_numbered = false;
            match &remark.what {
                RemarkKind::Mark(mark) => {
                    is_numbered = true;
                    out.mark(mark);
                }
                RemarkKind::Comment(comment) => out.comment(comment),
                RemarkKind::Variation(moves) => out.word(moves),
            }
        }
        let Some(after) = game.positions.get(done) else { break };
        let name = board.write_move(&at, after)?;
        if at.turn == Side::White && is_numbered {
            out.word(&name);
        } else {
            out.word(&format!("{} {name}", move_number(game, done)));
        }
        is_numbered = true;
        at = *after;
    }
    out.word(game.score().unwrap_or("*"));
    out.text.push('\n');
    Ok(out.text)
}

/// The number of a move, as it stands before it: `7.` for Black, who moves first, `7...` for White.
/// `done` is the number of moves before it.
pub fn move_number(game: &PdnGame, done: usize) -> String {
    let (number, is_white) = number_after(&game.start, done);
    format!("{number}{}", if is_white { "..." } else { "." })
}

/// Words in lines that are not too long.
struct Text {
    text: String,
    column: usize,
}

impl Text {
    fn word(&mut self, word: &str) {
        let first = word.lines().next().unwrap_or_default().chars().count();
        if self.column > 0 && self.column + 1 + first > WIDTH {
            self.new_line();
        } else if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.add(word);
    }

    fn new_line(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }

    fn add(&mut self, word: &str) {
        self.text += word;
        self.column = match word.rsplit_once('\n') {
            Some((_, last)) => last.chars().count(),
            None => self.column + word.chars().count(),
        };
    }

    /// Right behind a move, unless another mark is there.
    fn mark(&mut self, mark: &str) {
        if mark.starts_with(['!', '?']) && self.text.ends_with(|c: char| c.is_ascii_digit()) {
            self.add(mark);
        } else {
            self.word(mark);
        }
    }

    /// Between braces; to the end of its line, if it has a brace itself.
    fn comment(&mut self, comment: &str) {
        if !comment.contains('}') {
            return self.word(&format!("{{{comment}}}"));
        }
        for line in comment.lines() {
            let line: Cow<'_, str> =
                if line.is_empty() { ";".into() } else { format!("; {line}").into() };
            self.word(&line);
            self.new_line();
        }
    }
}
