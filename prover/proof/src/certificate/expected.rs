//! The known properties of a certificate before it is made, compared with one that is there
//! already.

use certificate_spec::Digest;
use certificate_spec::claim::Value;
use certificate_spec::provenance::{Asked, Provenance};

use super::directory::{EmitError, Target};
use super::read::Stored;
use crate::board::{Game, Position};
use crate::egdb::Cover;

/// The known properties of a certificate that is to be made.
pub struct ExpectedCertificate<'a> {
    /// The game of the certificate.
    pub game: &'a Game,
    /// The start of the certificate.
    pub start: &'a Position,
    /// The claim to prove about the start, or its value.
    pub asked: Asked,
    /// The cover of the database.
    pub cover: &'a Cover,
    /// The root of the database, if it is known.
    pub database: Option<Digest>,
    /// The provenance that it will state, if any; the mode and the iterations are not compared.
    pub made: Option<&'a Provenance>,
}

impl Target {
    /// Checks that the directory has no certificate, one with the expected properties, or one that
    /// the expected certificate could replace. This is better done before hours of work than after
    /// them.
    ///
    /// # Errors
    /// [`EmitError::Occupied`] with a description of the content.
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
    /// Describes a stored certificate, unless it is this one or one that this one could replace.
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

/// Whether this value can be the answer to what is asked, once it is finished.
fn may_be_claimed(asked: Asked, value: Value) -> bool {
    match asked {
        Asked::Value => !matches!(value, Value::BlackNotLost | Value::WhiteNotLost),
        Asked::BlackNotLost => value == Value::BlackNotLost,
        Asked::WhiteNotLost => value == Value::WhiteNotLost,
    }
}
