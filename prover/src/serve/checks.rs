//! Who has checked what is served: notes of what `check` has said (`SPEC.md` §12).
//!
//! The server checks nothing. A certificate counts as checked if a trusted key has signed a note
//! that says so of the whole of it, and only then.

use std::collections::BTreeMap;

use certificate_notes::Note;
use certificate_notes::keys::PublicKey;
use certificate_spec::Digest;
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
    pub objection: Option<&'static str>,
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
    /// The words of a verdict that name it, its root among them.
    words: String,
    /// What to call it.
    name: String,
}

impl Subject {
    /// A certificate.
    pub(super) fn certificate(stored: &Stored) -> Self {
        let (claim, root) = (&stored.claim, stored.root);
        let is_initial = stored.start == stored.game.start();
        let start = if is_initial { "initial" } else { &claim.start };
        let words = format!("{} {} start={start} root={root}", claim.value.word(), claim.game);
        Subject { root, words, name: format!("certificate {root}") }
    }

    /// A database of a board, by its root.
    pub(super) fn database(board: &str, root: Digest) -> Self {
        let name = format!("the database {root} of {board}");
        Subject { root, words: format!("DATABASE {board} pieces="), name }
    }

    fn is_of(&self, note: &Note) -> bool {
        let verdict = format!(" {} ", note.verdict());
        let root = self.root.to_string();
        let has_root = ["root", "db-root"].iter().any(|f| note.fields().get(f) == Some(&&*root));
        has_root && verdict.contains(&format!(" {}", self.words))
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
        let Some(subject) = subjects.iter().find(|subject| subject.is_of(note)) else {
            let names: Vec<_> = subjects.iter().map(|subject| &*subject.name).collect();
            return Err(NoteError::Other {
                file: note.file.clone(),
                expected: if names.is_empty() { "nothing".into() } else { names.join(" or ") },
                found: shortened(note.verdict()),
            });
        };
        let signers = note.signers(keys);
        let signers =
            signers.map_err(|name| NoteError::Forged { file: note.file.clone(), name })?;
        let check = NotedCheck {
            file: note.file.clone(),
            verdict: shortened(note.verdict()),
            checker: note.checker().into(),
            objection: objection(note, !keys.is_empty(), !signers.is_empty()),
            signers: signers.into_iter().map(|i| keys[i].name.clone()).collect(),
        };
        checks.entry(subject.root).or_default().push(check);
    }
    Ok(checks)
}

/// Why a note does not count, if so.
fn objection(note: &Note, has_keys: bool, is_signed: bool) -> Option<&'static str> {
    let mut words = note.verdict().split(' ');
    let (verdict, of) = (words.next(), words.next());
    let fields = note.fields();
    let rests_on_nobody = ["keys", "db-note-keys"].iter().any(|f| fields.get(f) == Some(&"none"));
    Some(match (verdict, of) {
        _ if !has_keys => "anybody can write a note; --keys says whose signature counts",
        _ if !is_signed => "no key of --keys has signed it",
        (Some("VERIFIED"), Some("SHARD")) => "it is about a part; `check merge` joins parts",
        (Some("CONDITIONAL"), _) => "it takes positions for granted",
        (Some("CONSISTENT"), _) => "the values of the database were only found consistent",
        (Some("VERIFIED"), _) if rests_on_nobody => "it rests on notes that nobody has signed",
        (Some("VERIFIED"), _) => return None,
        _ => "it does not say VERIFIED",
    })
}

/// The beginning of a text that somebody else has written.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}
