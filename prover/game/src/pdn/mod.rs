//! Games as text: PDN 3.0, as far as real files have it, read and written.
//!
//! [`PdnReader`] reads game after game from any source. What is wrong with one game is its
//! [`fault`](PdnGame::fault); the next one is read all the same. What a move means is decided by
//! the list of legal moves ([`Board::read_move`](super::Board::read_move)), and where that leaves
//! several captures, by the moves that follow. Move numbers are not judged, and variations are
//! kept as text, unread. [`write_pdn`] writes a game so that it is read back.
//!
//! These are taken in stride unless reading is [`Strict`](Strictness::Strict), and counted
//! ([`PdnGame::forgiven`]): bare words and other characters among the moves, a result that is
//! missing before the next game or is not that of the tag `Result`, `10x14` for a move without a
//! capture and `10-17` for a capture, blanks within a move or a result, other dashes, blanks and
//! signs than those of ASCII, captures that the moves that follow settle, `;` before a comment, a
//! strength that is not right behind its move, variations that are not made of moves, text in older
//! encodings than UTF-8, which is taken for Latin-1. So strict is what the grammar of PDN 3.0 for
//! reading has. Comments (`{}`, lines that begin with `%`), nested variations, strengths (`!?`,
//! `(?)`, `$7`), positions that are set up (`/FEN "…"/`) and all line ends are always understood.
//!
//! What may be a part of a move is never passed over: digits that belong to no move, number or
//! result are a fault.
//!
//! A game ends with its result or where the tags of the next one begin; comments after the result
//! are its own. A comment or variation that does not end is noticed at the end of the file or at a
//! line that begins with `[Event "`.
//!
//! **Limits.** A game has at most [`MOST_BYTES`] of text. The memory in use is a small multiple of
//! that, whatever the file: lines and nesting have no limit of their own, and nothing recurses. A
//! capture with several meanings is settled by the next 256 moves at the latest, and at most 16
//! meanings are followed at a time; where that leaves several, the first counts.

mod line;
mod plain;
mod read;
mod remarks;
mod source;
mod standard;
mod tags;
mod words;
mod write;

use thiserror::Error;

use super::{Game, Position, Side};

pub use read::PdnReader;
pub use write::{move_number, write_pdn};

/// The most bytes that the text of a game may have, its tags and comments included.
pub const MOST_BYTES: u64 = 1 << 20;

/// How much of what PDN 3.0 does not have is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// What real files have.
    Lenient,
    /// Only what the standard has: all else is a fault of its game.
    Strict,
}

/// A game as it was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdnGame {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The line of the file on which it begins, from 1.
    pub line: usize,
    /// Its tags in order.
    pub tags: Vec<(String, String)>,
    /// The start: that of the game, or of the tag `FEN`.
    pub start: Position,
    /// The position after each move of the main line; if there is a fault, of the moves before it.
    /// A move is made in the position before it, or in one that was set up
    /// ([`moves`](PdnGame::moves)).
    pub positions: Vec<Position>,
    /// What is said beside the moves, in order.
    pub remarks: Vec<Remark>,
    /// `1-0`, `0-1`, `1/2-1/2`, `*`, … as it is written after the moves, if it is there. The first
    /// number is the score of Black, who moves first.
    pub result: Option<String>,
    /// The first thing that cannot be understood.
    pub fault: Option<PdnError>,
    /// What a game with a fault has from there on. None without a fault, and if the game is longer
    /// than [`MOST_BYTES`].
    pub unread: Option<Unread>,
    /// How many things were taken in stride that the standard does not have.
    pub forgiven: usize,
    /// The first of them.
    pub first_forgiven: Option<PdnError>,
}

/// The text of a game with a fault that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The text as it was written.
    pub text: String,
    /// The line of the file on which it begins.
    pub line: usize,
    /// Whether it is the whole game, because the fault is among the tags.
    pub is_whole: bool,
}

/// Something that is said beside the moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The number of moves before it.
    pub after: usize,
    /// What it is.
    pub what: RemarkKind,
}

/// What kind of remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemarkKind {
    /// A comment, without its braces.
    Comment(String),
    /// A judgement of the move before it: a strength such as `!?` or `(?)`, which is the first
    /// remark after a move and the only one, or a number such as `$7`.
    Mark(String),
    /// Other moves, with their parentheses and all that is in them.
    Variation(String),
    /// Another position, in which the next move is made.
    SetUp(Position),
}

impl PdnGame {
    /// The value of a tag, in whatever case its name is written.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The position before each move and after it.
    pub fn moves(&self) -> Vec<(Position, Position)> {
        let mut set_ups = self.set_ups().peekable();
        let mut at = self.start;
        let step = |(done, &after): (usize, &Position)| {
            while let Some((_, position)) = set_ups.next_if(|&(n, _)| n <= done) {
                at = position;
            }
            (std::mem::replace(&mut at, after), after)
        };
        self.positions.iter().enumerate().map(step).collect()
    }

    /// The positions that are set up, each with the number of moves before it.
    pub fn set_ups(&self) -> impl Iterator<Item = (usize, Position)> + '_ {
        self.remarks.iter().filter_map(|remark| match remark.what {
            RemarkKind::SetUp(position) => Some((remark.after, position)),
            _ => None,
        })
    }

    /// Where the first move is made.
    pub fn first_position(&self) -> Position {
        let before = self.set_ups().take_while(|(after, _)| *after == 0);
        before.last().map_or(self.start, |(_, position)| position)
    }

    /// How many moves come before a position that is set up among them, if there is one.
    pub fn moves_before_set_up(&self) -> Option<usize> {
        self.set_ups().map(|(after, _)| after).find(|after| *after > 0)
    }

    /// Why the result after the moves and the tag `Result` cannot both be right.
    pub fn contradiction(&self) -> Option<String> {
        let (tag, result) = (self.tag("Result")?, self.result.as_deref()?);
        let what = || format!("the tag Result says {tag}, but the moves end with {result}");
        contradicts(tag, result).then(what)
    }

    /// The result after the moves or, if there is none, that of the tag `Result`.
    pub fn score(&self) -> Option<&str> {
        self.result.as_deref().or_else(|| self.tag("Result").filter(|text| is_result(text)))
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
    /// Reads all games of a PDN text. `file` is its name for errors.
    pub fn read_pdn(&self, file: &str, bytes: &[u8], strictness: Strictness) -> Vec<PdnGame> {
        // Reading from memory does not fail.
        PdnReader::new(self, file, bytes, strictness).map_while(Result::ok).collect()
    }
}

/// Whether a word is a score. None of these is a move: there is no square 0, and no move from 1 to
/// 1.
fn is_result(word: &str) -> bool {
    const STANDARD: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];
    STANDARD.contains(&word) || matches!(word, "2-0" | "0-2" | "1-1" | "0-0" | "1/2")
}

/// Whether the value of the tag `Result` and a result after the moves mean something else. After
/// the moves `*` is only their end; a tag that is no result says nothing.
fn contradicts(tag: &str, result: &str) -> bool {
    let meaning = |text: &str| match text {
        "1-0" | "2-0" => Some("Black wins"),
        "0-1" | "0-2" => Some("White wins"),
        "1/2-1/2" | "1-1" | "1/2" => Some("draw"),
        "0-0" => Some("both lose"),
        "*" => Some("not known"),
        _ => None,
    };
    let text: String = tag.chars().map(plain::plain).filter(|&c| c != ' ').collect();
    let tag = meaning(&text.replace('½', "1/2"));
    result != "*" && tag.is_some_and(|tag| Some(tag) != meaning(result))
}

/// The strengths of moves, for some of which the standard has numbers.
struct Strength;

impl Strength {
    /// Whether a remark is a strength that is not a number.
    fn is_text(remark: &RemarkKind) -> bool {
        matches!(remark, RemarkKind::Mark(mark) if !mark.starts_with('$'))
    }

    /// The number that means the same.
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

/// How many single moves come before the first one of a start, as they are numbered.
fn half_moves_before(start: &Position) -> usize {
    usize::from(start.turn == Side::White)
}

/// How many single moves come before the next one, as they are numbered, if so many came before and
/// a position is set up.
fn half_moves_after_set_up(half_moves: usize, position: &Position) -> usize {
    let is_white = position.turn == Side::White;
    half_moves + usize::from(is_white != (half_moves % 2 == 1))
}

/// The number of a move before which there are so many single moves.
fn number_of(half_moves: usize) -> usize {
    half_moves / 2 + 1
}
