//! Writes games.

use std::borrow::Cow;

use super::super::{Board, Game, MoveError, Position, Side};
use super::tags::GAME_TYPE;
use super::{
    PdnError, PdnGame, RemarkKind, Strength, Unread, half_moves_after_set_up, half_moves_before,
    number_of,
};

/// The column at which lines of moves are broken.
const WIDTH: usize = 79;

/// The game of which [`GAME_TYPE`] is the number.
const CHECKERS: &str = "8x8";

/// The prefix of a remark that describes the fault of the text behind it.
const FAULT: &str = "fault: ";

impl PdnGame {
    /// A game from `start` on, with its result and with tags that describe it.
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
            unread: None,
            forgiven: 0,
            first_forgiven: None,
        }
    }
}

/// Writes a game with its remarks, so that reading gives an equal game. An unknown result is
/// written as `*`. Text for which PDN 3.0 has no form, a comment with a brace in it, is written in
/// that of earlier standards. A game with a fault is written up to the fault; a remark describes
/// the fault, and the text behind it is written unchanged.
///
/// # Errors
/// [`MoveError`] if a position does not follow from the one before it.
pub fn write_pdn(board: &Board, game: &PdnGame) -> Result<String, MoveError> {
    if let Some((fault, unread)) = game.fault.as_ref().zip(game.unread.as_ref())
        && unread.is_whole
    {
        return Ok(write_whole(fault, unread));
    }
    let mut out = Text::new(WIDTH);
    for (name, value) in &game.tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        out.text += &format!("[{name} \"{value}\"]\n");
    }
    let mut remarks = game.remarks.iter().peekable();
    let mut at = game.start;
    let mut half_moves = half_moves_before(&at);
    let mut is_numbered = false;
    for done in 0..=game.positions.len() {
        while let Some(remark) = remarks.next_if(|remark| remark.after <= done) {
            is_numbered &= matches!(remark.what, RemarkKind::Mark(_));
            match &remark.what {
                RemarkKind::Mark(mark) => out.mark(mark),
                // The remark about the fault is written anew.
                RemarkKind::Comment(comment)
                    if game.fault.is_some() && comment.starts_with(FAULT) => {}
                RemarkKind::Comment(comment) => out.comment(comment),
                RemarkKind::Variation(moves) => out.word(moves),
                RemarkKind::SetUp(position) => {
                    out.word(&format!("/FEN \"{}\"/", board.write_fen(position)));
                    at = *position;
                    half_moves = half_moves_after_set_up(half_moves, position);
                }
            }
        }
        let Some(after) = game.positions.get(done) else { break };
        let name = board.write_move(&at, after)?;
        if at.turn == Side::White && is_numbered {
            out.word(&name);
        } else {
            out.word(&format!("{} {name}", number_text(half_moves)));
        }
        out.is_after_move = true;
        is_numbered = true;
        half_moves += 1;
        at = *after;
    }
    match &game.fault {
        Some(fault) => {
            out.words(&format!("{{{FAULT}"), &(fault.what.replace(['{', '}'], "_") + "}"));
            if let Some(unread) = &game.unread {
                out.text.push(' ');
                out.text += unread.text.trim_end();
            }
        }
        None => out.word(game.score().unwrap_or("*")),
    }
    out.text.push('\n');
    Ok(out.text)
}

/// Writes a game with a fault among its tags: lines before the fault describe it.
fn write_whole(fault: &PdnError, unread: &Unread) -> String {
    let prefix = format!("% {FAULT}");
    let mut what = Text::new(WIDTH - prefix.len());
    what.words("", &fault.what);
    let said: String = what.text.lines().map(|line| format!("{prefix}{line}\n")).collect();
    let text = unread.text.trim_end().replace("\r\n", "\n");
    let mut out = String::new();
    let mut is_said = false;
    for (n, one) in text.split(['\n', '\r']).enumerate() {
        if unread.line + n == fault.line {
            out += &said;
            is_said = true;
        }
        // The lines about the fault are written anew.
        if !one.starts_with(&prefix) {
            out += &(one.to_owned() + "\n");
        }
    }
    if !is_said {
        out += &said;
    }
    out
}

/// The number of a move, as it stands before it: `7.` for Black, who moves first, `7...` for White.
/// `done` is the number of moves before it.
pub fn move_number(game: &PdnGame, done: usize) -> String {
    let mut half_moves = half_moves_before(&game.start);
    let mut counted = 0;
    for (after, position) in game.set_ups().take_while(|(after, _)| *after <= done) {
        half_moves = half_moves_after_set_up(half_moves + after - counted, &position);
        counted = after;
    }
    number_text(half_moves + done - counted)
}

fn number_text(half_moves: usize) -> String {
    format!("{}{}", number_of(half_moves), if half_moves % 2 == 1 { "..." } else { "." })
}

/// Builds a text of words in lines of bounded length.
struct Text {
    text: String,
    column: usize,
    /// The column at which lines are broken.
    width: usize,
    /// Whether a move was written last.
    is_after_move: bool,
}

impl Text {
    fn new(width: usize) -> Text {
        Text { text: String::new(), column: 0, width, is_after_move: false }
    }

    /// Writes a text whose lines may be broken at each blank, but not within its first word and
    /// what stands before that.
    fn words(&mut self, before: &str, text: &str) {
        let mut words = text.split_whitespace();
        self.word(&format!("{before}{}", words.next().unwrap_or_default()));
        words.for_each(|word| self.word(word));
    }

    fn word(&mut self, word: &str) {
        let first = word.lines().next().unwrap_or_default().chars().count();
        if self.column > 0 && self.column + 1 + first > self.width {
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
        self.is_after_move = false;
    }

    /// Writes a strength right behind its move; elsewhere the equivalent number.
    fn mark(&mut self, mark: &str) {
        match Strength::number(mark) {
            _ if mark.starts_with('$') => self.word(mark),
            _ if self.is_after_move => self.add(mark),
            Some(number) => self.word(number),
            None => self.comment(mark),
        }
    }

    /// Writes a comment between braces; up to the end of its line, if it has a brace itself.
    fn comment(&mut self, comment: &str) {
        if !comment.contains('}') {
            return self.word(&format!("{{{comment}}}"));
        }
        if self.column > 0 {
            self.new_line();
        }
        for line in comment.lines() {
            let line: Cow<'_, str> =
                if line.is_empty() { ";".into() } else { format!("; {line}").into() };
            self.add(&line);
            self.new_line();
        }
    }
}
