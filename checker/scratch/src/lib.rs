//! Memory for the tables of a check: memory of the process, or a file that is this check's alone.
//!
//! The file has no name: it is made without one, or its name is removed at once, so no other
//! process can open it. It is as long as it will ever be, and all of it is allocated, before it is
//! mapped: a full disk is an error then, and no access to the mapping can fail for want of room. So
//! the mapping is memory like any other, which the system may put on disk.
//!
//! Trusts: the system, as all memory does. A disk that fails ends the process (SIGBUS), without a
//! verdict.

use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{FallocateFlags, fallocate, fstatvfs};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::slice;
use std::sync::atomic::AtomicU64;

/// Two words that threads share: 64 indices of a table, which of them are wins, and which losses.
pub type Words = [AtomicU64; 2];

/// The number of bytes of [`Words`].
pub const BYTES: u64 = 16;

/// Memory for words, all zero at first.
#[derive(Debug)]
pub struct Scratch {
    map: Option<MmapRaw>,
}

impl Scratch {
    /// Memory of the process for this number of [`Words`].
    ///
    /// # Errors
    /// There is not enough.
    pub fn memory(words: u64) -> io::Result<Scratch> {
        Scratch::new(words, |length| {
            let map = MmapRaw::from(MmapOptions::new().len(length).map_anon()?);
            // Tables are read at random: fewer, larger pages. A system without them goes on as
            // before.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            Ok(map)
        })
    }

    /// A file without a name in this folder, for this number of [`Words`].
    ///
    /// # Errors
    /// The folder has no room for it, or the file cannot be made.
    pub fn file(words: u64, folder: &Path) -> io::Result<Scratch> {
        Scratch::new(words, |length| {
            let file = tempfile::tempfile_in(folder)?;
            has_no_name(&file)?;
            // Looked at first, so that a disk is not filled in order to find out.
            let disk = fstatvfs(&file)?;
            if disk.f_bavail.saturating_mul(disk.f_frsize) < length as u64 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            fallocate(&file, FallocateFlags::empty(), 0, length as u64)?;
            MmapRaw::map_raw(&file)
        })
    }

    fn new(words: u64, map: impl FnOnce(usize) -> io::Result<MmapRaw>) -> io::Result<Scratch> {
        let length = words.checked_mul(BYTES).and_then(|length| usize::try_from(length).ok());
        let length = length.ok_or(io::ErrorKind::OutOfMemory)?;
        // A mapping of no bytes is an error for the system.
        let map = if length == 0 { None } else { Some(map(length)?) };
        Ok(Scratch { map })
    }

    /// All the words.
    pub fn words(&self) -> &[Words] {
        let Some(map) = &self.map else { return &[] };
        // SAFETY: the mapping has `len` bytes, begins at a page and lives as long as `self`. Its
        // bytes are initialised, and an `AtomicU64` may have any bits. Nothing else refers to them:
        // the mapping is private to this struct, and no other process can name the file.
        unsafe { slice::from_raw_parts(map.as_ptr().cast(), map.len() / size_of::<Words>()) }
    }
}

/// Checks that a file has no name: that it was removed at once does not say that it is gone, and
/// some network file systems give an open file another name instead.
fn has_no_name(file: &File) -> io::Result<()> {
    let why = "the folder keeps a name for a file that was removed";
    if file.metadata()?.nlink() == 0 { Ok(()) } else { Err(io::Error::other(why)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn both_kinds_of_memory_keep_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        for scratch in [Scratch::memory(1000), Scratch::file(1000, folder.path())] {
            let scratch = scratch.unwrap();
            assert_eq!(scratch.words().len(), 1000);
            assert!(scratch.words().as_flattened().iter().all(|word| word.load(Relaxed) == 0));
            scratch.words()[999][1].store(7, Relaxed);
            assert_eq!(scratch.words()[999][1].load(Relaxed), 7);
            // The file has no name.
            assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        }
        assert!(Scratch::memory(0).unwrap().words().is_empty());
    }

    #[test]
    fn a_file_with_a_name_is_refused() {
        let named = tempfile::NamedTempFile::new().unwrap();
        assert!(has_no_name(named.as_file()).is_err());
        let (file, path) = named.into_parts();
        path.close().unwrap();
        assert!(has_no_name(&file).is_ok());
    }

    #[test]
    fn what_there_is_no_room_for_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for words in [u64::MAX, 1 << 59, 1 << 44] {
            assert!(Scratch::memory(words).is_err(), "{words}");
            assert!(Scratch::file(words, folder.path()).is_err(), "{words}");
        }
        assert!(Scratch::file(1, &folder.path().join("nowhere")).is_err());
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
