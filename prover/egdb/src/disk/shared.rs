//! One database that several processes build at the same time, each other slices of it, on one
//! machine or on several with a file system in common.
//!
//! Each holds the lock of the whole database together with others of its kind, so that nobody
//! finishes or cleans up the database meanwhile; and alone the lock of the pair of slices that it
//! solves, so that none is solved twice. A slice gets its name when it is whole
//! ([`atomic::write_unsynced`](super::atomic::write_unsynced)), and solving it again gives the same
//! bytes. So where locks do not reach other machines work may be done twice, and nothing is wrong.

use std::fs::{File, TryLockError};
use std::io;

use super::atomic::UNFINISHED;
use super::store::{Store, StoreError};
use crate::index::slice::Slice;

impl Store {
    /// Keeps those from this database who build all of it ([`Store::lock`]) as long as the file is
    /// held, and nobody else.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if such a one is there; [`StoreError::Io`].
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

    /// Keeps others from building a slice and its twin as long as the file is held (under
    /// [`Store::lock_with_others`]): waits until they are done, after a call of `wait` if there are
    /// any.
    ///
    /// # Errors
    /// [`StoreError::Io`]
    pub(crate) fn lock_pair(&self, slice: Slice, wait: impl FnOnce()) -> Result<File, StoreError> {
        // By its name it goes with all that is unfinished when somebody builds the whole.
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

    /// Whether slices that the MANIFEST does not list are there and whole (under
    /// [`Store::lock_pair`]); removes those that are not as they were written.
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
