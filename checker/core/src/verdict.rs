//! The verdict: the result of `check`, as one line and an exit status (`SPEC.md` §10).
//!
//! Enforces: that nothing in the input can look like a verdict (every field is escaped byte by
//! byte) and that only a [`Verdict::Verified`] has the exit status 0.

use crate::rules::Position;
use crate::rules::write_fen;
use certificate_spec::{Digest, RULES, VERSION, WireError};

/// The format and the rules that a verdict is about: a note about one game must never speak for
/// another.
pub(crate) fn format_and_rules() -> String {
    format!("format={VERSION} rules={RULES}")
}

/// A fault: its place, and the rule of the format that it breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The code of the violated rule in `SPEC.md`, or the word for what is declined.
    pub rule: &'static str,
    /// The text that the rule requires.
    pub expected: String,
    /// The text that was found.
    pub found: String,
    /// The file, relative to the certificate or to `--db`.
    pub file: Vec<u8>,
    /// The byte offset in the file.
    pub offset: Option<u64>,
    /// The position at which the rule is violated.
    pub position: Option<Position>,
}

impl Finding {
    pub(crate) fn new(rule: &'static str, expected: impl ToString, found: impl ToString) -> Self {
        let expected = expected.to_string();
        let found = found.to_string();
        Finding { rule, expected, found, file: Vec::new(), offset: None, position: None }
    }

    pub(crate) fn file(self, file: impl Into<Vec<u8>>) -> Finding {
        Finding { file: file.into(), ..self }
    }

    pub(crate) fn at(self, offset: u64) -> Finding {
        Finding { offset: Some(offset), ..self }
    }

    pub(crate) fn position(self, p: Position) -> Finding {
        Finding { position: Some(p), ..self }
    }

    pub(crate) fn declined(self) -> Stop {
        Stop::Declined(Box::new(self))
    }

    fn fields(&self) -> String {
        let offset = self.offset.map_or(String::new(), |offset| format!(" offset={offset}"));
        let position =
            self.position.map_or(String::new(), |p| format!(" position={}", write_fen(&p)));
        let [file, expected, found] =
            [&self.file[..], self.expected.as_bytes(), self.found.as_bytes()].map(escaped);
        format!("{} file={file}{offset}{position} expected={expected} found={found}", self.rule)
    }
}

/// The roots that a refutation is about (`SPEC.md` §12): none where it says something of the files
/// in a folder alone, as their digests are not those that the roots stand for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Roots {
    /// The root of the certificate.
    pub certificate: Option<Digest>,
    /// The root of the database, for what is wrong with the files of slices.
    pub database: Option<Digest>,
}

/// The rules about a folder whose files are not those of the roots.
const OF_A_FOLDER: [&str; 6] =
    ["listing", "claim-hash", "object-hash", "database-manifest", "database-root", "slice-hash"];

/// An error that stops a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Something is wrong with the input, which has these roots.
    Refuted(Box<Finding>, Roots),
    /// The input has something that this program does not know or was not asked to accept.
    Declined(Box<Finding>),
    /// The check could not be carried out, for this reason.
    Error(String),
}

impl From<Finding> for Stop {
    fn from(finding: Finding) -> Stop {
        Stop::Refuted(Box::new(finding), Roots::default())
    }
}

impl Stop {
    /// The result for a file that cannot be decoded; an error of syntax has the code `rule`.
    pub(crate) fn wire(rule: &'static str, file: &str, error: WireError) -> Stop {
        let (what, expected, found) = match error {
            WireError::Syntax { offset, expected, found } => {
                return Finding::new(rule, expected, found).file(file).at(offset).into();
            }
            WireError::Version { expected, found, .. } => ("version", expected, found),
            WireError::Rules { expected, found, .. } => ("rules", expected, found),
        };
        Finding::new(what, expected, found).file(file).declined()
    }

    /// Lets a refutation name these roots, too.
    pub(crate) fn about(mut self, certificate: Option<Digest>, database: Option<Digest>) -> Stop {
        if let Stop::Refuted(finding, roots) = &mut self
            && !OF_A_FOLDER.contains(&finding.rule)
        {
            roots.certificate = roots.certificate.or(certificate);
            roots.database = roots.database.or(database);
        }
        self
    }

    pub(crate) fn memory() -> Stop {
        Stop::Error("not enough memory".into())
    }
}

/// The proof that everything was checked and is right. Only a whole check of this crate makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified(String);

impl Verified {
    pub(crate) fn new(fields: String) -> Verified {
        Verified(fields)
    }

    /// Returns the words after `s VERIFIED`.
    pub fn fields(&self) -> &str {
        &self.0
    }
}

/// The result of a whole check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was checked and is right.
    Verified(Verified),
    /// A database alone, every value of which follows from its successors'; they may all be wrong.
    /// The fields of the line.
    Consistent(String),
    /// Everything was checked and is right but for nodes that are assumed; the fields of the line.
    Conditional(String),
    /// Refuted, declined or not checked.
    Stopped(Stop),
}

impl Stop {
    /// The exit status, which is never 0, and the verdict line.
    fn parts(&self) -> (u8, String) {
        match self {
            Stop::Refuted(finding, _) => (1, format!("s REFUTED {}", finding.fields())),
            Stop::Declined(finding) => (3, format!("s DECLINED {}", finding.fields())),
            Stop::Error(text) => {
                let words = text.split_ascii_whitespace().map(|word| escaped(word.as_bytes()));
                (4, format!("s ERROR {}", words.collect::<Vec<_>>().join(" ")))
            }
        }
    }

    /// The verdict line, without its line feed.
    pub fn line(&self) -> String {
        self.parts().1
    }

    /// The exit status: never 0.
    pub fn status(&self) -> u8 {
        self.parts().0
    }
}

impl Verdict {
    /// The exit status and the verdict line.
    fn parts(&self) -> (u8, String) {
        match self {
            Verdict::Verified(Verified(fields)) => (0, format!("s VERIFIED {fields}")),
            Verdict::Consistent(fields) => (5, format!("s CONSISTENT {fields}")),
            Verdict::Conditional(fields) => (2, format!("s CONDITIONAL {fields}")),
            Verdict::Stopped(stop) => stop.parts(),
        }
    }

    /// The verdict line, without its line feed.
    pub fn line(&self) -> String {
        self.parts().1
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        self.parts().0
    }
}

/// Printable ASCII without blank and `%`; every other byte as `%` and two hexadecimal digits.
pub fn escaped(bytes: &[u8]) -> String {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'%';
    let one = |&byte| if plain(byte) { char::from(byte).into() } else { format!("%{byte:02x}") };
    bytes.iter().map(one).collect()
}
