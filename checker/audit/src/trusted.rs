//! Notes whose statements about the values of a database are believed.

use certificate_spec::Digest;
use std::fmt;

/// Values of a database that are not verified, because notes state that they have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedDatabase {
    /// The root of the database; the notes count for no other. `None` if there is no database.
    pub root: Option<Digest>,
    /// The digests of the notes.
    pub notes: Vec<Digest>,
    /// The number of trusted keys that have signed for each part; `None` if no signature was
    /// required.
    pub keys: Option<usize>,
    /// The names of the keys that have signed the notes; empty if no signature was required.
    pub signers: Vec<String>,
    /// The number of these notes that rest on a journal.
    pub journals: usize,
}

/// The fields that a verdict has about the notes (`SPEC.md` §12).
impl fmt::Display for TrustedDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let notes: Vec<String> = self.notes.iter().map(Digest::to_string).collect();
        let keys = self.keys.map_or("none".into(), |keys| keys.to_string());
        write!(f, "db-note={} db-note-keys={keys}", notes.join(","))?;
        match self.journals {
            0 => Ok(()),
            journals => write!(f, " db-note-journals={journals}"),
        }
    }
}
