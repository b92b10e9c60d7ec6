//! Games as text: PDN 3.0, as far as real files have it, read and written.
//!
//! [`PdnReader`] reads game after game from any source. What is wrong with one game is its
//! [`fault`](PdnGame::fault); the next one is read all the same. What a move means is decided by
//! the list of legal moves ([`Board::read_move`](super::Board::read_move)), and where that leaves
//! several captures, by the moves that follow. Move numbers are not judged, and variations are
//! kept as text, unread. [`write_pdn`] writes a game so that it is read back.
//!
//! These are taken in stride unless reading is [`Strict`](Strictness::Strict), and counted
//! ([`PdnGame::forgiven`]): bare words and other characters among the moves, a missing result,
//! `10x14` for a move without a capture and `10-17` for a capture, blanks within a move, captures
//! that the moves that follow settle. Comments (`{}`, `;`, lines that begin with `%`), nested
//! variations, marks (`!?`, `$7`), either line end, and text in older encodings than UTF-8 are
//! always understood; older text is taken for Latin-1.
//!
//! A game ends with its result or where the tags of the next one begin. A comment or variation
//! that does not end is noticed at the end of the file or at a line that begins with `[Event "`.
//!
//! **Limits.** A game has at most [`MOST_BYTES`] of text. The memory in use is a small multiple of
//! that, whatever the file: lines and nesting have no limit of their own, and nothing recurses. A
//! capture with several meanings is settled by the next 256 moves at the latest, and at most 16
//! meanings are followed at a time; where that leaves several, the first counts.

mod line;
mod read;
mod remarks;
mod source;
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
    pub positions: Vec<Position>,
    /// What is said beside the moves, in order.
    pub remarks: Vec<Remark>,
    /// `1-0`, `0-1`, `1/2-1/2`, `*`, … as it is written after the moves, if it is there. The first
    /// number is the score of Black, who moves first.
    pub result: Option<String>,
    /// The first thing that cannot be understood.
    pub fault: Option<PdnError>,
    /// How many things were taken in stride that the standard does not have.
    pub forgiven: usize,
    /// The first of them.
    pub first_forgiven: Option<PdnError>,
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
    /// A judgement of the move before it: `!?`, `$7`.
    Mark(String),
    /// Other moves, with their parentheses and all that is in them.
    Variation(String),
}

impl PdnGame {
    /// The value of a tag, in whatever case its name is written.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
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

/// The number of the move that comes after so many others, and whether it is White's.
fn number_after(start: &Position, done: usize) -> (usize, bool) {
    let half = done + usize::from(start.turn == Side::White);
    (half / 2 + 1, half % 2 == 1)
}
