//! Locks, by which several processes can use one database, on one machine or on several with a file
//! system in common.
//!
//! A process that builds the whole database has a lock for itself. Processes that build some slices
//! of it hold a shared lock of the whole database, so that no process finishes or cleans up the
//! database meanwhile, and an exclusive lock of the pair of slices that they solve, so that no pair
//! is solved twice. A slice is renamed to its name when it is complete
//! ([`atomic::write_unsynced`](super::atomic::write_unsynced)), and solving it again gives equal
//! bytes. So if locks do not reach other machines, work may be done twice, but the result is right.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use super::atomic::{UNFINISHED, remove_unfinished};
use super::error::StoreError;
use super::store::Store;
use crate::index::slice::Slice;

/// A locked file. Dropping it releases the lock even if a child process has a copy of the handle,
/// as each child has until it runs its program.
#[derive(Debug)]
pub struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl Store {
    /// Keeps other processes from building this database as long as the lock is held, and removes
    /// the files that a killed builder has left unfinished. The system releases the lock when a
    /// process ends, even if it is killed.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process holds it; [`StoreError::Io`].
    pub fn lock(&self) -> Result<Lock, StoreError> {
        let file = self.lock_by(File::try_lock)?;
        let depths = self.depth_directory();
        for directory in [&self.directory, &self.building, &depths] {
            if directory.exists() {
                remove_unfinished(directory)
                    .map_err(|source| StoreError::Io { path: directory.clone(), source })?;
            }
        }
        Ok(file)
    }

    /// Keeps processes that build the whole database ([`Store::lock`]) from it as long as the lock
    /// is held, but not other callers of this function.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if a process builds the whole database; [`StoreError::Io`].
    pub fn lock_with_others(&self) -> Result<Lock, StoreError> {
        self.lock_by(File::try_lock_shared)
    }

    /// Locks the file beside the database by `try_lock`.
    fn lock_by(&self, try_lock: fn(&File) -> Result<(), TryLockError>) -> Result<Lock, StoreError> {
        let path = self.directory.with_extension("lock");
        let io = |source| StoreError::Io { path: path.clone(), source };
        fs::create_dir_all(&self.directory)
            .map_err(|source| StoreError::Io { path: self.directory.clone(), source })?;
        let file = File::create(&path).map_err(io)?;
        match try_lock(&file) {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path }),
            Err(TryLockError::Error(source)) => Err(io(source)),
        }
    }

    /// Keeps other processes from building a slice and its twin as long as the lock is held (under
    /// [`Store::lock_with_others`]). If another process builds them, calls `wait` and waits until
    /// it is done.
    pub(crate) fn lock_pair(&self, slice: Slice, wait: impl FnOnce()) -> Result<Lock, StoreError> {
        // The prefix of its name lets the next build of the whole database remove it.
        let name = format!("{UNFINISHED}lock-{}", slice.name().file_name());
        let path = self.building.join(name);
        fs::create_dir_all(&self.building)
            .and_then(|()| lock_or_wait(&path, wait))
            .map_err(|source| StoreError::Io { path, source })
    }
}

/// Locks a file as long as the lock is held. If another process holds it, calls `wait` and waits until
/// that is done.
pub(super) fn lock_or_wait(path: &Path, wait: impl FnOnce()) -> io::Result<Lock> {
    let file = File::create(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            wait();
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    Ok(Lock(file))
}
