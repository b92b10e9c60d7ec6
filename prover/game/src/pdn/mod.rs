//! Reads and writes games as text: PDN 3.0, as far as real files use it.
//!
//! [`PdnReader`] reads game after game from any source. The error in a game is its
//! [`fault`](PdnGame::fault); the next game is still read. The meaning of a move is decided by the
//! list of legal moves ([`Board::read_move`](super::Board::read_move)), and if several captures
//! remain, by the moves that follow. Move numbers are not checked, and variations are kept as text,
//! unread. [`write_pdn`] writes a game so that it is read back.
//!
//! These deviations are forgiven unless reading is [`Strict`](Strictness::Strict), and counted
//! ([`PdnGame::forgiven`]): bare words and other characters among the moves, a result that is
//! missing before the next game or is not that of the tag `Result`, `10x14` for a move without a
//! capture and `10-17` for a capture, blanks within a move or a result, other dashes, blanks and
//! signs than those of ASCII, captures that the moves that follow settle, `;` before a comment, a
//! strength that is not right behind its move, variations that are not made of moves, a tag that
//! ends in a single backslash, text in other encodings than UTF-8: UTF-16 with a byte order mark,
//! and else Windows-1252. So strict reading follows the grammar of PDN
//! 3.0 for reading. Comments (`{}`, lines that begin with `%`), nested variations, strengths (`!?`,
//! `(?)`, `$7`), positions that are set up (`/FEN "…"/`) and all line ends are always understood.
//!
//! Text that may be a part of a move is never skipped: digits that belong to no move, number or
//! result are a fault.
//!
//! A game ends with its result or where the tags of the next one begin; comments after the result
//! belong to the game. A comment or variation that does not end is noticed at the end of the file
//! or at a line that begins with `[Event "`.
//!
//! **Limits.** A game has at most [`MOST_BYTES`] of text. The memory in use is a small multiple of
//! that for any file: lines and nesting have no limit of their own, and no function recurses. A
//! capture with several meanings is settled by the next 256 moves at the latest, and at most 16
//! meanings are followed at a time; if several remain, the first counts.

mod read;
mod remarks;
mod source;
mod standard;
mod tags;
mod words;
mod write;

pub use read::PdnReader;
pub use write::{move_number, write_pdn};

use super::{Game, Position, Side};
use thiserror::Error;

/// The most bytes that the text of a game may have, its tags and comments included.
pub const MOST_BYTES: u64 = 1 << 20;

/// The deviations from PDN 3.0 that a reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Deviations that occur in real files are forgiven.
    Lenient,
    /// Every deviation from the standard is a fault of its game.
    Strict,
}

/// A game as it was read or is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdnGame {
    /// The number of the game in the file, from 1.
    pub number: usize,
    /// The line of the file on which it begins, from 1.
    pub line: usize,
    /// The tags in order, as names and values.
    pub tags: Vec<(String, String)>,
    /// The start: that of the game, or of the tag `FEN`.
    pub start: Position,
    /// The position after each move of the main line; if there is a fault, of the moves before it.
    /// A move is made in the position before it, or in one that was set up
    /// ([`moves`](PdnGame::moves)).
    pub positions: Vec<Position>,
    /// The remarks beside the moves, in order.
    pub remarks: Vec<Remark>,
    /// The result after the moves as it is written, `1-0`, `0-1`, `1/2-1/2`, `*`, …, if there is
    /// one. The first number is the score of Black, who moves first.
    pub result: Option<String>,
    /// The first text that cannot be understood.
    pub fault: Option<PdnError>,
    /// The text of a game with a fault from the fault on. `None` without a fault, and if the game
    /// is longer than [`MOST_BYTES`].
    pub unread: Option<Unread>,
    /// The number of forgiven deviations from the standard.
    pub forgiven: usize,
    /// The first forgiven deviation.
    pub first_forgiven: Option<PdnError>,
}

/// The text of a game with a fault that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The text as it was written.
    pub text: String,
    /// The line of the file on which it begins.
    pub line: usize,
    /// Whether it is the whole game, because the fault comes before the first move.
    pub is_whole: bool,
}

/// A remark beside the moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The number of moves before the remark.
    pub after: usize,
    /// The content of the remark.
    pub what: RemarkKind,
}

/// The kind of a remark, with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemarkKind {
    /// A comment, without its braces.
    Comment(String),
    /// A judgement of the move before it: a strength such as `!?` or `(?)`, of which there is at
    /// most one and which is the first remark after a move, or a number such as `$7`.
    Mark(String),
    /// A variation, with its parentheses and all of its content.
    Variation(String),
    /// Another position, in which the next move is made.
    SetUp(Position),
}

impl PdnGame {
    /// The value of a tag; upper and lower case of its name are not distinguished. In America the
    /// tag `Black` may be called `Red`.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        let value = found.map(|(_, value)| value.as_str());
        if !name.eq_ignore_ascii_case("Black") {
            return value;
        }
        value.filter(|value| !value.is_empty()).or(self.tag("Red"))
    }

    /// The position before each move and after it.
    pub fn moves(&self) -> Vec<(Position, Position)> {
        let mut set_ups = self.set_ups().peekable();
        let mut at = self.start;
        let mut steps = Vec::with_capacity(self.positions.len());
        for (done, &after) in self.positions.iter().enumerate() {
            while let Some((_, position)) = set_ups.next_if(|&(n, _)| n <= done) {
                at = position;
            }
            steps.push((at, after));
            at = after;
        }
        steps
    }

    /// The positions that are set up, each with the number of moves before it.
    pub fn set_ups(&self) -> impl Iterator<Item = (usize, Position)> + '_ {
        self.remarks.iter().filter_map(|remark| match remark.what {
            RemarkKind::SetUp(position) => Some((remark.after, position)),
            _ => None,
        })
    }

    /// The position in which the first move is made.
    pub fn first_position(&self) -> Position {
        let before = self.set_ups().take_while(|(after, _)| *after == 0);
        before.last().map_or(self.start, |(_, position)| position)
    }

    /// The number of moves before a position that is set up among them, if there is one.
    pub fn moves_before_set_up(&self) -> Option<usize> {
        self.set_ups().map(|(after, _)| after).find(|after| *after > 0)
    }

    /// The reason why the result after the moves and the tag `Result` cannot both be right.
    pub fn contradiction(&self) -> Option<String> {
        let tag = self.tag("Result")?;
        let result = self.result.as_deref()?;
        contradicts(tag, result)
            .then(|| format!("the tag Result says {tag}, but the moves end with {result}"))
    }

    /// The result after the moves or, if there is none, that of the tag `Result`.
    pub fn score(&self) -> Option<&str> {
        self.result.as_deref().or_else(|| self.tag("Result").filter(|text| is_result(text)))
    }
}

/// The fault of a PDN file, and its place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}, line {line}, column {column}: {what}")]
pub struct PdnError {
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub what: String,
}

impl Game {
    /// Reads all games of a PDN text. `file` is the name of the text in errors.
    pub fn read_pdn(&self, file: &str, bytes: &[u8], strictness: Strictness) -> Vec<PdnGame> {
        // Reading from memory does not fail.
        PdnReader::new(self, file, bytes, strictness).map_while(Result::ok).collect()
    }
}

/// Whether a word is a score. There is no square 0, and no move leads from 1 to 1, so none of these
/// is a move.
fn is_result(word: &str) -> bool {
    const STANDARD: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];
    STANDARD.contains(&word) || matches!(word, "2-0" | "0-2" | "1-1" | "0-0" | "1/2")
}

/// Whether the value of the tag `Result` and a result after the moves contradict each other. After
/// the moves `*` is only their end; a tag that is no result makes no statement.
fn contradicts(tag: &str, result: &str) -> bool {
    let meaning = |text: &str| match text {
        "1-0" | "2-0" => Some("Black wins"),
        "0-1" | "0-2" => Some("White wins"),
        "1/2-1/2" | "1-1" | "1/2" => Some("draw"),
        "0-0" => Some("both lose"),
        "*" => Some("not known"),
        _ => None,
    };
    let text: String = tag.chars().map(source::plain).filter(|&c| c != ' ').collect();
    let tag = meaning(&text.replace('½', "1/2"));
    result != "*" && tag.is_some_and(|tag| Some(tag) != meaning(result))
}

/// The strengths of moves; the standard has numbers for some of them.
struct Strength;

impl Strength {
    /// Whether a remark is a strength other than a number.
    fn is_text(remark: &RemarkKind) -> bool {
        matches!(remark, RemarkKind::Mark(mark) if !mark.starts_with('$'))
    }

    /// The number that is equivalent to a strength.
    fn number(strength: &str) -> Option<&'static str> {
        Some(match strength.trim_matches(['(', ')']) {
            "!" => "$1",
            "?" => "$2",
            "!!" => "$3",
            "??" => "$4",
            "!?" => "$5",
            "?!" => "$6",
            _ => return None,
        })
    }
}

/// The number of single moves before the first one of a start, by the numbering of moves.
fn half_moves_before(start: &Position) -> usize {
    usize::from(start.turn == Side::White)
}

/// The number of single moves before the next one, by the numbering of moves, if `half_moves` came
/// before and a position is set up.
fn half_moves_after_set_up(half_moves: usize, position: &Position) -> usize {
    let is_white = position.turn == Side::White;
    half_moves + usize::from(is_white != (half_moves % 2 == 1))
}

/// The number of a move before which there are `half_moves` single moves.
fn number_of(half_moves: usize) -> usize {
    half_moves / 2 + 1
}
