//! The directory of a certificate: checks that one can be written, and writes it atomically.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::read::Stored;
use crate::board::{Game, Position};
use crate::egdb::Cover;
use crate::egdb::atomic::{self, of_system, unfinished_path};
use certificate_spec::Digest;
use certificate_spec::claim::Value;
use certificate_spec::provenance::{Asked, Provenance};
use thiserror::Error;

/// The reason why a certificate cannot be written.
#[derive(Debug, Error)]
pub enum EmitError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: expected a directory for the certificate, found the one this runs in")]
    Here { path: PathBuf },
    #[error(
        "{path}: expected nothing, an empty directory or this very certificate, found {found}; name \
         another directory or remove this one"
    )]
    Occupied { path: PathBuf, found: String },
}

/// A directory to which a certificate can be written.
pub struct Target {
    pub(super) directory: PathBuf,
}

impl Target {
    /// Checks that a certificate can be written to `directory`; this is better done before the work
    /// than after it.
    ///
    /// # Errors
    /// [`EmitError::Occupied`] if something else than a certificate is there, [`EmitError::Io`] if
    /// its parent cannot be written to.
    pub fn new(directory: &Path) -> Result<Self, EmitError> {
        // A certificate replaces the whole directory, so links and paths such as `.` have to be
        // resolved.
        let directory = match directory.symlink_metadata() {
            Err(_) => directory.to_path_buf(),
            Ok(_) => fs::canonicalize(directory).map_err(io_at(directory))?,
        };
        if std::env::current_dir().is_ok_and(|here| here.starts_with(&directory)) {
            return Err(EmitError::Here { path: directory });
        }
        if !directory.join("MANIFEST").exists() {
            require_free(&directory)?;
        }
        let parent = atomic::parent(&directory);
        fs::create_dir_all(parent).map_err(io_at(parent))?;
        // Another process may be making an equal certificate, so no directory is created before the
        // certificate is written; this only tests that one can be.
        if let Err(error) = tempfile::tempdir_in(parent) {
            // `.` alone would not name the directory.
            let parent = std::path::absolute(parent).unwrap_or_else(|_| parent.to_path_buf());
            return Err(io_at(&parent)(of_system(error)));
        }
        Ok(Target { directory })
    }
}

/// A directory beside that of a certificate, to write in. It is removed when dropped.
pub(super) fn create_unfinished(directory: &Path) -> Result<tempfile::TempDir, EmitError> {
    let path = unfinished_path(directory);
    remove_if_there(&path)?;
    let name = path.file_name().unwrap_or_default();
    let unfinished = tempfile::Builder::new()
        .prefix(name)
        .rand_bytes(0)
        .tempdir_in(atomic::parent(directory))
        .map_err(|error| io_at(&path)(of_system(error)))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(unfinished.path(), mode).map_err(io_at(&path))?;
    }
    Ok(unfinished)
}

/// Renames a certificate that is about to be replaced.
pub(super) fn set_aside(directory: &Path) -> Result<PathBuf, EmitError> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let aside = unfinished_path(&atomic::parent(directory).join(format!("old-{name}")));
    remove_if_there(&aside)?;
    fs::rename(directory, &aside).map_err(io_at(directory))?;
    Ok(aside)
}

/// Removes a directory that a killed run may have left.
fn remove_if_there(directory: &Path) -> Result<(), EmitError> {
    match fs::remove_dir_all(directory) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(io_at(directory)(e)),
        _ => Ok(()),
    }
}

/// Checks that a directory is free: it does not exist or is empty.
pub(super) fn require_free(directory: &Path) -> Result<(), EmitError> {
    match fs::read_dir(directory).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => {
            Err(EmitError::Occupied { path: directory.into(), found: "something else".into() })
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(io_at(directory)(e)),
    }
}

pub(super) fn io_at(path: &Path) -> impl FnOnce(io::Error) -> EmitError + use<> {
    let path = path.to_path_buf();
    move |source| EmitError::Io { path, source }
}

/// The known properties of a certificate that is to be made.
pub struct ExpectedCertificate<'a> {
    pub game: &'a Game,
    pub start: &'a Position,
    /// The claim to prove about the start, or its value.
    pub asked: Asked,
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
