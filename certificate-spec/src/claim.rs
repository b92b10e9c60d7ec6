//! CLAIM: the claim of a certificate, as text that people can read (`SPEC.md` §4).

use crate::cover::Cover;
use crate::reader::{REMAKE, wrong_version};
use crate::{Digest, RULES, VERSION, WireError};
use serde::{Deserialize, Serialize};

/// A side's claim that a set of positions of a certificate supports (`SPEC.md` §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Question {
    /// Black never loses.
    BlackNotLost = 0,
    /// White never loses.
    WhiteNotLost = 1,
    /// Black forces a win.
    BlackWins = 2,
    /// White forces a win.
    WhiteWins = 3,
}

impl Question {
    /// All questions, each at its own number.
    pub const ALL: [Question; 4] =
        [Question::BlackNotLost, Question::WhiteNotLost, Question::BlackWins, Question::WhiteWins];

    /// Whether this is a Win claim, which needs ranks.
    pub fn is_win(self) -> bool {
        matches!(self, Question::BlackWins | Question::WhiteWins)
    }

    /// Whether the claimant is White.
    pub fn claimant_is_white(self) -> bool {
        matches!(self, Question::WhiteNotLost | Question::WhiteWins)
    }
}

/// The value that a certificate claims for its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// Neither side can force a win.
    Draw,
    /// Black never loses.
    BlackNotLost,
    /// White never loses.
    WhiteNotLost,
    /// Black forces a win.
    BlackWins,
    /// White forces a win.
    WhiteWins,
}

impl Value {
    const ALL: [Value; 5] =
        [Value::Draw, Value::BlackNotLost, Value::WhiteNotLost, Value::BlackWins, Value::WhiteWins];

    /// The word used in CLAIM and in verdicts.
    pub fn word(self) -> &'static str {
        match self {
            Value::Draw => "DRAW",
            Value::BlackNotLost => "BLACK-NOT-LOST",
            Value::WhiteNotLost => "WHITE-NOT-LOST",
            Value::BlackWins => "BLACK-WINS",
            Value::WhiteWins => "WHITE-WINS",
        }
    }

    /// The value with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Value::ALL.into_iter().find(|value| value.word() == word)
    }

    /// The questions that have to be answered for this value, in ascending order.
    pub fn questions(self) -> &'static [Question] {
        match self {
            Value::Draw => &[Question::BlackNotLost, Question::WhiteNotLost],
            Value::BlackNotLost => &[Question::BlackNotLost],
            Value::WhiteNotLost => &[Question::WhiteNotLost],
            Value::BlackWins => &[Question::BlackWins],
            Value::WhiteWins => &[Question::WhiteWins],
        }
    }
}

/// The contents of CLAIM. This crate does not judge `game` and `start`, which are words here: that
/// is for a reader that knows the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The game, `RxC` or `RxC/k`.
    pub game: String,
    /// FEN of the start position.
    pub start: String,
    /// The claimed value of the start position.
    pub value: Value,
    /// The cover of the database that the certificate rests on; empty if it rests on none.
    pub cover: Cover,
    /// The root of that database; `Some` exactly when `cover` is not empty.
    pub database: Option<Digest>,
}

impl Claim {
    /// Reads CLAIM. The text that an error says was found is cut to 80 characters.
    ///
    /// # Errors
    /// [`WireError::Version`] or [`WireError::Rules`] for a claim of another format or of other
    /// rules, [`WireError::Syntax`] for any text that [`Claim::encode`] would not write.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut lines = Lines { bytes, at: 0 };
        let shown = |word: &str| word.chars().take(80).collect::<String>();
        let (offset, version) = lines.value_of("draughtproof certificate")?;
        if version != VERSION.to_string() {
            return Err(wrong_version(offset, shown(version), REMAKE));
        }
        let (offset, rules) = lines.value_of("rules")?;
        if rules != RULES {
            return Err(WireError::rules(offset, rules));
        }
        let game = lines.value_of("game")?.1.to_owned();
        let start = lines.value_of("start")?.1.to_owned();
        let (offset, word) = lines.value_of("value")?;
        let value = Value::parse(word).ok_or_else(|| {
            let words = Value::ALL.map(Value::word).join(", ");
            WireError::syntax(offset, format!("value: one of {words}"), shown(word))
        })?;
        let (offset, word) = lines.value_of("pieces")?;
        let cover = Cover::parse(word).ok_or_else(|| {
            let want = "pieces: 0, or a cover in canonical form such as 6 or 7,8:4";
            WireError::syntax(offset, want, shown(word))
        })?;
        let (offset, word) = lines.value_of("database")?;
        let database = Digest::parse(word);
        if database.is_some() == cover.is_empty() || (database.is_none() && word != "none") {
            let want = match cover.is_empty() {
                true => "database none",
                false => "database and 64 hexadecimal digits",
            };
            return Err(WireError::syntax(offset, want, shown(word)));
        }
        match bytes.len() - lines.at {
            0 => Ok(Claim { game, start, value, cover, database }),
            n => Err(WireError::syntax(lines.at as u64, "the end", format!("{n} more bytes"))),
        }
    }
}

struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lines<'a> {
    /// The offset of the next line, and the line without `key` and the blank after it, which must
    /// be one word of printable ASCII.
    fn value_of(&mut self, key: &str) -> Result<(u64, &'a str), WireError> {
        let offset = self.at as u64;
        let rest = &self.bytes[self.at..];
        let line = rest.iter().position(|&b| b == b'\n').map(|end| &rest[..end]);
        let value = line
            .and_then(|line| line.strip_prefix(key.as_bytes()))
            .and_then(|line| line.strip_prefix(b" "))
            .filter(|word| !word.is_empty() && word.iter().all(u8::is_ascii_graphic))
            .and_then(|word| std::str::from_utf8(word).ok());
        match (line, value) {
            (Some(line), Some(value)) => {
                self.at += line.len() + 1;
                Ok((offset, value))
            }
            _ => {
                let found = line.unwrap_or(rest);
                let found = &found[..found.len().min(80)];
                let want = format!("a line of \"{key}\", a blank and one word");
                Err(WireError::syntax(offset, want, String::from_utf8_lossy(found)))
            }
        }
    }
}
