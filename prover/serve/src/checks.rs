//! Notes of what `check` has verified (`SPEC.md` §12), and which of them count.
//!
//! A certificate counts as checked by notes only if a trusted key has signed one that says so of
//! the whole certificate.

use std::collections::BTreeMap;

use certificate_notes::keys::PublicKey;
use certificate_notes::{Found, Note, Subject as NoteSubject, Words, without_lists};
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
use draughtproof_proof::certificate::Stored;
use thiserror::Error;

/// The most characters that are repeated of the words of a note that no check can have written.
const MOST_SHOWN: usize = 600;

/// A note about a certificate or database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedCheck {
    /// The path of the note's file.
    pub file: String,
    /// The verdict without its `s` and without lists of digests; of words that no check can have
    /// written only the beginning.
    pub verdict: String,
    /// The implementation of the checker, as the note states it.
    pub checker: String,
    /// The names of the trusted keys that have signed the note.
    pub signers: Vec<String>,
    /// The reason for which the note does not make its subject count as checked, if any.
    pub objection: Option<String>,
}

/// The reason why a note cannot be used.
#[derive(Debug, Error)]
pub enum NoteError {
    #[error("{0}")]
    Unreadable(String),
    #[error(
        "{file}: expected a signature by the key of {name} that --keys has, found one that is not; the note has \
         been changed, or somebody else has signed it"
    )]
    Forged { file: String, name: String },
    #[error("{file}: expected a note about {expected}, found one that says: {found}")]
    Other { file: String, expected: String, found: String },
}

/// The notes about each certificate or database, by its root.
pub(super) type Checks = BTreeMap<Digest, Vec<NotedCheck>>;

/// A certificate or database that a note can be about.
pub(super) struct Subject {
    root: Digest,
    of: Of,
    /// The cover of its database, and the database's root.
    cover: String,
    database_root: String,
    /// The name for messages.
    name: String,
}

/// The words of a verdict that name a subject.
enum Of {
    /// The value, game and start of a certificate.
    Certificate { value: &'static str, game: String, start: String },
    /// The board of a database.
    Database { board: String },
}

impl Subject {
    /// The subject that stands for a certificate.
    pub(super) fn certificate(stored: &Stored) -> Self {
        let claim = &stored.claim;
        let root = stored.root;
        let is_initial = stored.start == stored.game.start();
        let start = if is_initial { "initial" } else { &claim.start };
        let value = claim.value.word();
        let game = claim.game.clone();
        Subject {
            root,
            of: Of::Certificate { value, game, start: start.into() },
            cover: claim.cover.to_string(),
            database_root: claim.database.map_or("none".into(), |root| root.to_string()),
            name: format!("certificate {root}"),
        }
    }

    /// The subject that stands for the database of a board, by its root.
    pub(super) fn database(board: &str, cover: &Cover, root: Digest) -> Self {
        Subject {
            root,
            of: Of::Database { board: board.into() },
            cover: cover.to_string(),
            database_root: root.to_string(),
            name: format!("the database {root} of {board}"),
        }
    }

    /// The root of the certificate or database.
    pub(super) fn root(&self) -> &Digest {
        &self.root
    }

    /// Checks that a verdict, without its `s`, says of this subject that all of it was verified.
    pub(super) fn judge_verdict(&self, verdict: &str) -> Result<(), String> {
        let words = Words::read(verdict)?;
        if !self.is_of(&words) {
            return Err(format!("its verdict is not about {}", self.name));
        }
        objection(self, &words, true, true).map_or(Ok(()), Err)
    }

    /// Whether a note names this subject: by its root and by its words.
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

    /// Checks that all other statements of a note that names this subject are true of it.
    fn judge(&self, words: &Words<'_>) -> Result<(), String> {
        words.judge()?;
        words.expect("pieces", &self.cover)?;
        words.expect("db-root", &self.database_root)
    }
}

/// Finds the subject and the signers of each note. Without keys no note counts.
///
/// # Errors
/// [`NoteError`] if a note is about no subject, or has a signature that is not valid.
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
            verdict: shown(words, note.verdict()),
            checker: note.checker().into(),
            objection: objection(subject, words, !keys.is_empty(), !signers.is_empty()),
            signers: signers.into_iter().map(|i| keys[i].name.clone()).collect(),
        };
        checks.entry(subject.root).or_default().push(check);
    }
    Ok(checks)
}

/// Returns the reason for which a note does not count, if any.
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

/// The verdict as it is shown. Its fields stand at its end, too, so that of a verdict that a check
/// can have written none is left out.
fn shown(words: &Words<'_>, verdict: &str) -> String {
    match words.judge() {
        Ok(_) => without_lists(verdict),
        Err(_) => shortened(verdict),
    }
}

/// The beginning of a text that another program has written.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}
