//! Who has checked what is served: notes of what `check` has said (`SPEC.md` §12).
//!
//! The server checks nothing. A certificate counts as checked if a trusted key has signed a note
//! that says so of the whole of it, and only then.

use std::collections::BTreeMap;

use certificate_notes::keys::PublicKey;
use certificate_notes::{Found, Note, Subject as NoteSubject, Words};
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
use thiserror::Error;

use crate::certificate::Stored;

/// The most characters that are repeated of a verdict, which can be as long as its note.
const MOST_SHOWN: usize = 600;

/// What a note says of a certificate or database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedCheck {
    /// The file of the note.
    pub file: String,
    /// The verdict without its `s`; only the beginning of a long one.
    pub verdict: String,
    /// The implementation of the checker, in its own words.
    pub checker: String,
    /// The names of the trusted keys that have signed the note.
    pub signers: Vec<String>,
    /// Why the note does not make that what it is about counts as checked; `None` if it does.
    pub objection: Option<String>,
}

/// Why a note cannot be used.
#[derive(Debug, Error)]
pub enum NoteError {
    /// It cannot be read, or is no note.
    #[error("{0}")]
    Unreadable(String),
    /// It has a signature that is not what it says.
    #[error(
        "{file}: expected a signature by the key of {name} that --keys has, found one that is not; the note has \
         been changed, or somebody else has signed it"
    )]
    Forged {
        /// The file.
        file: String,
        /// Whose key is named.
        name: String,
    },
    /// It is about something else.
    #[error("{file}: expected a note about {expected}, found one that says: {found}")]
    Other {
        /// The file.
        file: String,
        /// What is served.
        expected: String,
        /// The beginning of the verdict.
        found: String,
    },
}

/// What notes say, for the root of a certificate or database each.
pub(super) type Checks = BTreeMap<Digest, Vec<NotedCheck>>;

/// Something that a note can be about.
pub(super) struct Subject {
    root: Digest,
    of: Of,
    /// The cover of its database, and the database's root.
    cover: String,
    database_root: String,
    /// What to call it.
    name: String,
}

/// The words of a verdict that name a subject.
enum Of {
    /// Value, game and start of a certificate.
    Certificate { value: &'static str, game: String, start: String },
    /// The board of a database.
    Database { board: String },
}

impl Subject {
    /// A certificate.
    pub(super) fn certificate(stored: &Stored) -> Self {
        let (claim, root) = (&stored.claim, stored.root);
        let is_initial = stored.start == stored.game.start();
        let start = if is_initial { "initial" } else { &claim.start };
        let (value, game) = (claim.value.word(), claim.game.clone());
        Subject {
            root,
            of: Of::Certificate { value, game, start: start.into() },
            cover: claim.cover.to_string(),
            database_root: claim.database.map_or("none".into(), |root| root.to_string()),
            name: format!("certificate {root}"),
        }
    }

    /// A database of a board, by its root.
    pub(super) fn database(board: &str, cover: &Cover, root: Digest) -> Self {
        Subject {
            root,
            of: Of::Database { board: board.into() },
            cover: cover.to_string(),
            database_root: root.to_string(),
            name: format!("the database {root} of {board}"),
        }
    }

    /// Whether a note names this: by its root and the words that people read.
    fn is_of(&self, words: &Words<'_>) -> bool {
        let root = self.root.to_string();
        match (&self.of, words.subject) {
            (Of::Certificate { value, game, start }, NoteSubject::Certificate { .. }) => {
                words.subject == NoteSubject::Certificate { value, game }
                    && words.field("start") == Some(start)
                    && words.field("root") == Some(&root)
            }
            (Of::Database { board }, NoteSubject::Database { board: noted }) => {
                board == noted && words.field("db-root") == Some(&root)
            }
            _ => false,
        }
    }

    /// That a note which names this says nothing else that is not so.
    fn judge(&self, words: &Words<'_>) -> Result<(), String> {
        words.judge()?;
        words.expect("pieces", &self.cover)?;
        words.expect("db-root", &self.database_root)
    }
}

/// Finds what each note is about and who has signed it. Without keys nobody is trusted.
///
/// # Errors
/// [`NoteError`] if a note is about nothing of this, or has a signature that is not what it says.
pub(super) fn checks(
    notes: &[Note],
    keys: &[PublicKey],
    subjects: &[Subject],
) -> Result<Checks, NoteError> {
    let mut checks = Checks::new();
    for note in notes {
        let words = Words::read(note.verdict());
        let is_of = |subject: &&Subject| words.as_ref().is_ok_and(|words| subject.is_of(words));
        let (Some(subject), Ok(words)) = (subjects.iter().find(is_of), &words) else {
            let names: Vec<_> = subjects.iter().map(|subject| &*subject.name).collect();
            return Err(NoteError::Other {
                file: note.file.display().to_string(),
                expected: if names.is_empty() { "nothing".into() } else { names.join(" or ") },
                found: shortened(note.verdict()),
            });
        };
        let signers = note.signers(keys);
        let signers = signers
            .map_err(|name| NoteError::Forged { file: note.file.display().to_string(), name })?;
        let check = NotedCheck {
            file: note.file.display().to_string(),
            verdict: shortened(note.verdict()),
            checker: note.checker().into(),
            objection: objection(subject, words, !keys.is_empty(), !signers.is_empty()),
            signers: signers.into_iter().map(|i| keys[i].name.clone()).collect(),
        };
        checks.entry(subject.root).or_default().push(check);
    }
    Ok(checks)
}

/// Why a note does not count, if so.
fn objection(
    subject: &Subject,
    words: &Words<'_>,
    has_keys: bool,
    is_signed: bool,
) -> Option<String> {
    if !has_keys {
        return Some("anybody can write a note; --keys says whose signature counts".into());
    }
    if !is_signed {
        return Some("no key of --keys has signed it".into());
    }
    if let Err(why) = subject.judge(words) {
        return Some(format!("no check says this of it: {}", shortened(&why)));
    }
    let rests_on_nobody = words.field("db-note-keys") == Some("none");
    let why = match (words.found, words.shard) {
        (_, Some(_)) => "it is about a part; `check merge` joins parts",
        (Found::Conditional, None) => "it takes positions for granted",
        (Found::Consistent, None) => "the values of the database were only found consistent",
        (Found::Verified, None) if rests_on_nobody => "it rests on notes that nobody has signed",
        (Found::Verified, None) => return None,
    };
    Some(why.into())
}

/// The beginning of a text that somebody else has written.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}
