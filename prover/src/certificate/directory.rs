//! The directory of a certificate: where one can be written, and how it gets there all at once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::egdb::atomic::unfinished_path;

/// What can go wrong with a certificate.
#[derive(Debug, Error)]
pub enum EmitError {
    /// A file or directory cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
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
        "{path}: expected nothing, an empty directory or this very certificate, found {found}; name \
         another directory or remove this one"
    )]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// What is there.
        found: String,
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
pub(super) fn create_unfinished(directory: &Path) -> Result<tempfile::TempDir, EmitError> {
    let path = unfinished_path(directory);
    remove_if_there(&path)?;
    let name = path.file_name().unwrap_or_default();
    let unfinished = tempfile::Builder::new()
        .prefix(name)
        .rand_bytes(0)
        .tempdir_in(parent_of(directory))
        .map_err(io_at(&path))?;
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
    let aside = unfinished_path(&parent_of(directory).join(format!("old-{name}")));
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

/// A directory is free when it does not exist or is empty.
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

pub(super) fn parent_of(directory: &Path) -> &Path {
    match directory.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
