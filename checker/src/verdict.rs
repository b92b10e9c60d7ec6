//! The verdict: what `check` says in the end, as one line and an exit status (`SPEC.md` §10).
//!
//! Enforces: that nothing in the input can look like a verdict (every field is escaped byte by byte)
//! and that only a [`Verdict::Verified`] has the exit status 0.

use crate::fen;
use crate::rules::Position;
use certificate_spec::WireError;

/// What is wrong, where, and by which rule of the format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The code of the rule in `SPEC.md`, or what is declined.
    pub rule: &'static str,
    /// The file, relative to the certificate or to `--db`.
    pub file: Vec<u8>,
    /// Where in the file.
    pub offset: Option<u64>,
    /// FEN of the position.
    pub position: Option<String>,
    /// What the rule wants.
    pub expected: Option<String>,
    /// What there is.
    pub found: Option<String>,
}

impl Finding {
    pub(crate) fn new(rule: &'static str, file: impl Into<Vec<u8>>) -> Finding {
        let file = file.into();
        Finding { rule, file, offset: None, position: None, expected: None, found: None }
    }

    pub(crate) fn at(self, offset: u64) -> Finding {
        Finding { offset: Some(offset), ..self }
    }

    pub(crate) fn position(self, p: &Position) -> Finding {
        Finding { position: Some(fen::write(p)), ..self }
    }

    pub(crate) fn expected(self, text: impl ToString) -> Finding {
        Finding { expected: Some(text.to_string()), ..self }
    }

    pub(crate) fn found(self, text: impl ToString) -> Finding {
        Finding { found: Some(text.to_string()), ..self }
    }

    pub(crate) fn refuted(self) -> Stop {
        Stop::Refuted(Box::new(self))
    }

    pub(crate) fn declined(self) -> Stop {
        Stop::Declined(Box::new(self))
    }

    fn fields(&self) -> String {
        let mut line = format!("{} file={}", self.rule, escaped(&self.file));
        if let Some(offset) = self.offset {
            line += &format!(" offset={offset}");
        }
        let texts =
            [("position", &self.position), ("expected", &self.expected), ("found", &self.found)];
        for (name, text) in texts {
            if let Some(text) = text {
                line += &format!(" {name}={}", escaped(text.as_bytes()));
            }
        }
        line
    }
}

/// Why the check has stopped before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Something is wrong with what is checked.
    Refuted(Box<Finding>),
    /// Something that this program does not know or that was not asked of it.
    Declined(Box<Finding>),
    /// The check could not be made.
    Error(String),
}

impl Stop {
    /// What a decoder found wrong in a file; an error of syntax has the code `rule`.
    pub(crate) fn wire(rule: &'static str, file: &str, error: WireError) -> Stop {
        match error {
            WireError::Version { expected, found, .. } => {
                Finding::new("version", file).expected(expected).found(found).declined()
            }
            WireError::Rules { expected, found, .. } => {
                Finding::new("rules", file).expected(expected).found(found).declined()
            }
            WireError::Syntax { offset, expected, found } => {
                Finding::new(rule, file).at(offset).expected(expected).found(found).refuted()
            }
        }
    }

    pub(crate) fn memory() -> Stop {
        Stop::Error("not enough memory".into())
    }
}

/// What `check` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was checked and is right; the words after `s VERIFIED`.
    Verified(String),
    /// Everything was checked and is right but for nodes that are assumed.
    Conditional {
        /// The words that would follow `s VERIFIED`.
        words: String,
        /// The number of nodes assumed.
        assumed: u64,
    },
    /// Refuted, declined or not checked.
    Stopped(Stop),
}

impl Verdict {
    /// The verdict of wrong usage, or of a failure outside what is checked.
    pub fn error(text: impl ToString) -> Verdict {
        Verdict::Stopped(Stop::Error(text.to_string()))
    }

    /// The verdict line, without its line feed.
    pub fn line(&self) -> String {
        match self {
            Verdict::Verified(words) => format!("s VERIFIED {words}"),
            Verdict::Conditional { words, assumed } => {
                format!("s CONDITIONAL {words} assumed={assumed}")
            }
            Verdict::Stopped(Stop::Refuted(finding)) => format!("s REFUTED {}", finding.fields()),
            Verdict::Stopped(Stop::Declined(finding)) => format!("s DECLINED {}", finding.fields()),
            Verdict::Stopped(Stop::Error(text)) => {
                let words = text.split_ascii_whitespace().map(|word| escaped(word.as_bytes()));
                format!("s ERROR {}", words.collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Verdict::Verified(_) => 0,
            Verdict::Stopped(Stop::Refuted(_)) => 1,
            Verdict::Conditional { .. } => 2,
            Verdict::Stopped(Stop::Declined(_)) => 3,
            Verdict::Stopped(Stop::Error(_)) => 4,
        }
    }
}

impl From<Stop> for Verdict {
    fn from(stop: Stop) -> Verdict {
        Verdict::Stopped(stop)
    }
}

/// Printable ASCII without blank and `%`; every other byte as `%` and two hexadecimal digits.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        if byte.is_ascii_graphic() && byte != b'%' {
            text.push(char::from(byte));
        } else {
            text += &format!("%{byte:02x}");
        }
    }
    text
}
