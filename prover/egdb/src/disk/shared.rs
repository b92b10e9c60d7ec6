//! One database that several processes build at the same time, each of them other slices, on one
//! machine or on several with a file system in common.
//!
//! Each process holds a shared lock of the whole database, so that no process finishes or cleans up
//! the database meanwhile, and an exclusive lock of the pair of slices that it solves, so that no
//! pair is solved twice. A slice is renamed to its name when it is complete
//! ([`atomic::write_unsynced`](super::atomic::write_unsynced)), and solving it again gives equal
//! bytes. So if locks do not reach other machines, work may be done twice, but the result is right.

use std::fs::{File, TryLockError};
use std::io;

use super::atomic::UNFINISHED;
use super::store::{Store, StoreError};
use crate::index::slice::Slice;

impl Store {
    /// Keeps processes that build the whole database ([`Store::lock`]) from it as long as the file
    /// is held, but not other callers of this function.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if a process builds the whole database; [`StoreError::Io`].
    pub fn lock_with_others(&self) -> Result<File, StoreError> {
        let path = self.directory.with_extension("lock");
        let io = |source| StoreError::Io { path: path.clone(), source };
        std::fs::create_dir_all(&self.directory)
            .map_err(|source| StoreError::Io { path: self.directory.clone(), source })?;
        let file = File::create(&path).map_err(io)?;
        match file.try_lock_shared() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path }),
            Err(TryLockError::Error(source)) => Err(io(source)),
        }
    }

    /// Keeps other processes from building a slice and its twin as long as the file is held (under
    /// [`Store::lock_with_others`]). If another process builds them, calls `wait` and waits until
    /// it is done.
    ///
    /// # Errors
    /// [`StoreError::Io`]
    pub(crate) fn lock_pair(&self, slice: Slice, wait: impl FnOnce()) -> Result<File, StoreError> {
        // The prefix of its name lets the next build of the whole database remove it.
        let name = format!("{UNFINISHED}lock-{}", slice.name().file_name());
        let path = self.building.join(name);
        let lock = || -> io::Result<File> {
            std::fs::create_dir_all(&self.building)?;
            let file = File::create(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    wait();
                    file.lock()?;
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
            Ok(file)
        };
        lock().map_err(|source| StoreError::Io { path: path.clone(), source })
    }

    /// Whether slices that the MANIFEST does not list are there and undamaged (under
    /// [`Store::lock_pair`]); removes damaged ones.
    ///
    /// # Errors
    /// [`StoreError::Io`]
    pub(crate) fn are_finished(&self, pair: &[Slice]) -> Result<bool, StoreError> {
        let mut finished = true;
        for &slice in pair {
            finished &= self.remove_slice_if_damaged(slice)?;
        }
        Ok(finished)
    }
}
