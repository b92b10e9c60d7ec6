//! The directory of a certificate: where one can be written, and how it gets there all at once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::egdb::UNFINISHED;
use crate::search::StrategyError;

/// What can go wrong with a certificate.
#[derive(Debug, Error)]
pub enum EmitError {
    /// A strategy does not stand up to its replay: a mistake of the prover.
    #[error("a leaf strategy does not hold: {0}")]
    Strategy(#[from] StrategyError),
    /// A file or directory cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It would take the place of the directory that the process is in.
    #[error("{path}: expected a directory for the certificate, found the one this runs in")]
    Here {
        /// The directory.
        path: PathBuf,
    },
    /// There is something there already, and it is not this certificate.
    #[error(
        "{path}: expected nothing, an empty directory or this very certificate, found something else; \
         name another directory or remove this one"
    )]
    Occupied {
        /// The directory.
        path: PathBuf,
    },
}

/// Where a certificate is to be written: a directory that is free.
pub struct Target {
    pub(super) directory: PathBuf,
}

impl Target {
    /// Makes sure that a certificate can be written to `directory`, better before the work than
    /// after it.
    ///
    /// # Errors
    /// [`EmitError::Occupied`] if something else than a certificate is there, [`EmitError::Io`] if
    /// its parent cannot be written to.
    pub fn new(directory: &Path) -> Result<Self, EmitError> {
        // It takes the place of what is there, so a link, or a directory that is its own name, has
        // to be looked through.
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
        let parent = parent_of(&directory);
        fs::create_dir_all(parent).map_err(io_at(parent))?;
        // Another process may be at the same certificate; so nothing is there to be written in
        // before it is time.
        tempfile::tempdir_in(parent).map_err(io_at(parent))?;
        Ok(Target { directory })
    }
}

/// A directory beside that of a certificate, to write in. It is removed when dropped.
pub(super) fn unfinished(directory: &Path) -> Result<tempfile::TempDir, EmitError> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let (parent, name) = (parent_of(directory), format!("{UNFINISHED}{name}"));
    // What a killed run has left.
    let left = parent.join(&name);
    match fs::remove_dir_all(&left) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(io_at(&left)(e)),
        _ => {}
    }
    let unfinished = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir_in(parent);
    let unfinished = unfinished.map_err(io_at(&left))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(unfinished.path(), mode).map_err(io_at(&left))?;
    }
    Ok(unfinished)
}

/// Renames a certificate that is about to be replaced.
pub(super) fn set_aside(directory: &Path) -> Result<PathBuf, EmitError> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let aside = parent_of(directory).join(format!("{UNFINISHED}old-{name}"));
    match fs::remove_dir_all(&aside) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(io_at(&aside)(e)),
        _ => {}
    }
    fs::rename(directory, &aside).map_err(io_at(directory))?;
    Ok(aside)
}

/// A directory is free when it does not exist or is empty.
pub(super) fn require_free(directory: &Path) -> Result<(), EmitError> {
    match fs::read_dir(directory).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(EmitError::Occupied { path: directory.into() }),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(io_at(directory)(e)),
    }
}

pub(super) fn io_at(path: &Path) -> impl FnOnce(io::Error) -> EmitError + use<> {
    let path = path.to_path_buf();
    move |source| EmitError::Io { path, source }
}

pub(super) fn parent_of(directory: &Path) -> &Path {
    match directory.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
