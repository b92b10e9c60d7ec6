//! What is known of a certificate before it is made, held against one that is there already.

use certificate_spec::Digest;
use certificate_spec::claim::Value;
use certificate_spec::provenance::{Asked, Provenance};

use super::directory::{EmitError, Target};
use super::read::Stored;
use crate::board::{Game, Position};
use crate::egdb::Cover;

/// A certificate that is to be made.
pub struct ExpectedCertificate<'a> {
    /// Its game.
    pub game: &'a Game,
    /// Its start.
    pub start: &'a Position,
    /// What is to be proved of that.
    pub asked: Asked,
    /// The cover of its database.
    pub cover: &'a Cover,
    /// The root of its database, if that is known.
    pub database: Option<Digest>,
    /// How it is to be made, if it says so; the mode and the iterations are not looked at.
    pub made: Option<&'a Provenance>,
}

impl Target {
    /// Makes sure that what is there already is nothing, this certificate as far as it is known, or
    /// one that it could take the place of: better before hours of work than after them.
    ///
    /// # Errors
    /// [`EmitError::Occupied`] with what is there.
    pub fn expect(&self, expected: &ExpectedCertificate<'_>) -> Result<(), EmitError> {
        if !self.directory.join("MANIFEST").exists() {
            return Ok(());
        }
        let occupied = |found: &str| EmitError::Occupied {
            path: self.directory.clone(),
            found: format!("something else, {found}"),
        };
        let stored = Stored::read(&self.directory).map_err(|e| occupied(&e.to_string()))?;
        match expected.other_than(&stored) {
            Some(found) => Err(occupied(&found)),
            None => Ok(()),
        }
    }
}

impl ExpectedCertificate<'_> {
    /// What a stored certificate is, if it is neither this one nor one that gives way to it.
    fn other_than(&self, stored: &Stored) -> Option<String> {
        let found = format!("a certificate of {} from {}", stored.claim.game, stored.claim.start);
        if (self.game.to_string(), self.start) != (stored.game.to_string(), &stored.start) {
            return Some(found);
        }
        if stored.is_unfinished() {
            return None;
        }
        let claim = &stored.claim;
        if !may_be_claimed(self.asked, claim.value) {
            return Some(format!("{found}, that it is {}", claim.value.word()));
        }
        if claim.cover != *self.cover {
            return Some(format!("{found}, over {} pieces", claim.cover));
        }
        if self.database.is_some() && claim.database != self.database {
            return Some(format!("{found}, over another database"));
        }
        let made = |proof: &Provenance| {
            self.made.is_some_and(|made| {
                (&made.program, &made.request) != (&proof.program, &proof.request)
            })
        };
        let provenances = stored.proofs.iter().filter_map(|proof| proof.provenance.as_ref());
        let is_other = provenances.into_iter().any(made);
        is_other.then(|| format!("{found}, made with other options or by another version"))
    }
}

/// Whether this can be the answer to what is asked, once it is finished.
fn may_be_claimed(asked: Asked, value: Value) -> bool {
    match asked {
        Asked::Value => !matches!(value, Value::BlackNotLost | Value::WhiteNotLost),
        Asked::BlackNotLost => value == Value::BlackNotLost,
        Asked::WhiteNotLost => value == Value::WhiteNotLost,
    }
}
