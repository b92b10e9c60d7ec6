//! Writes a file atomically: a reader sees the old file or the complete new one, whenever the
//! program or the machine stops.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// The prefix of the names of files and directories that are being written. A file that a killed
/// run has left under such a name may be removed.
pub const UNFINISHED: &str = ".unfinished-";

/// The temporary path under which `path` is written before it is renamed. It is in the same
/// directory, so that the renaming is one step of the file system.
pub fn unfinished_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{UNFINISHED}{name}"))
}

/// Writes a file atomically: `write` fills a temporary file beside it ([`unfinished_path`]), which
/// is synced and renamed; then the directory is synced. A temporary file that a killed run has left
/// is replaced. Two processes must not write the same file at the same time.
///
/// ```
/// use draughtproof_egdb::atomic;
/// use std::io::Write;
/// # let directory = tempfile::tempdir()?;
/// let path = directory.path().join("note");
/// atomic::write_file(&path, |file| file.write_all(b"whole or not there"))?;
/// assert_eq!(std::fs::read(&path)?, b"whole or not there");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The errors of `write` and of the system. The temporary file is removed then; the old file, if
/// there was one, is untouched unless only the last step failed, which is to sync the directory.
pub fn write_file<T>(path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let unfinished = unfinished_path(path);
    let write_and_rename = || {
        let mut file = File::create(&unfinished)?;
        let result = write(&mut file)?;
        file.sync_all()?;
        std::fs::rename(&unfinished, path)?;
        Ok(result)
    };
    let result = write_and_rename().inspect_err(|_: &io::Error| {
        // The temporary file may not exist.
        let _ = std::fs::remove_file(&unfinished);
    })?;
    sync_directory(parent(path))?;
    Ok(result)
}

/// Writes the parts of a file atomically.
pub(crate) fn write_parts<B: AsRef<[u8]>>(
    path: &Path,
    parts: impl Iterator<Item = B>,
) -> io::Result<()> {
    write_file(path, |file| write_all(file, parts))
}

pub(super) fn write_all<B: AsRef<[u8]>>(
    file: &mut File,
    parts: impl Iterator<Item = B>,
) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 20, file);
    for part in parts {
        out.write_all(part.as_ref())?;
    }
    out.flush()
}

/// Writes a file as [`write_file`] does, but syncs nothing: after a crash of the machine it may be
/// incomplete. This is for files that are verified before they are used, or synced later
/// ([`sync_file_system`]). Several processes, also on several machines that share the file system,
/// may write the same file at the same time: each has a temporary file of its own, and the last
/// renaming counts.
///
/// # Errors
/// The errors of `write` and of the system. The temporary file is removed then.
pub fn write_unsynced<T>(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    let mut file = unfinished_file(path)?;
    let result = write(file.as_file_mut())?;
    file.persist(path)?;
    Ok(result)
}

/// Creates a file that is to get the name `path` when it is written.
///
/// # Errors
/// The errors of the system.
pub fn unfinished_file(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // The umask of the user applies, as it does to any new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(parent(path)).map_err(of_system)
}

/// The error of the system in an error of the library of temporary files, without the name that
/// the library chose.
pub fn of_system(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((what, _)) => io::Error::new(error.kind(), what),
        None => error,
    }
}

/// Makes all writes to the file system of a directory durable. Where the operating system has no
/// such call, nothing is done: a file that a crash of the machine damages has a wrong digest.
///
/// # Errors
/// The errors of the system.
pub fn sync_file_system(directory: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(File::open(directory)?)?;
    #[cfg(all(unix, not(target_os = "linux")))]
    rustix::fs::sync();
    sync_directory(directory)
}

/// Removes the files that killed processes have left unfinished in a directory.
///
/// # Errors
/// The errors of the system.
pub(super) fn remove_unfinished(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Makes the names in a directory durable.
///
/// # Errors
/// The errors of the system.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    // On other systems than Unix a directory cannot be opened as a file.
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

/// Whether an error says that a disk is full, or as full as its user may make it.
pub fn is_about_space(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// The free bytes on the disk of a directory; more than any database takes if the system cannot
/// report them.
///
/// # Errors
/// The errors of the system.
pub fn free_space(directory: &Path) -> io::Result<u64> {
    #[cfg(unix)]
    {
        let space = rustix::fs::statvfs(directory)?;
        Ok(space.f_bavail * space.f_frsize)
    }
    #[cfg(not(unix))]
    {
        let _ = directory;
        Ok(1 << 60)
    }
}

/// The directory of a file; the current one for a path without a directory.
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, Write};

    use super::{UNFINISHED, unfinished_path, write_file};

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        // A killed run leaves such a file.
        std::fs::write(unfinished_path(&path), "a part that is longer").unwrap();
        write_file(&path, |file| file.write_all(b"one")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        let failed = write_file(&path, |file| {
            file.write_all(b"tw")?;
            Err::<(), _>(Error::other("no"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no");
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        let names: Vec<_> =
            std::fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["a"], "{UNFINISHED} is left");
    }
}
