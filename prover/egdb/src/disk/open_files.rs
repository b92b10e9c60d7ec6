//! A bounded number of open files: a database can have more slices than a process may have files
//! open.

#[cfg(unix)]
pub use std::os::unix::fs::FileExt as ReadAt;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::most_open_files;

/// Files that are open, the one used last in front, each with a number.
pub(crate) struct OpenFiles {
    most: usize,
    files: Mutex<Vec<(usize, Arc<File>)>>,
}

impl OpenFiles {
    pub(crate) fn new() -> Self {
        OpenFiles { most: most_open_files(), files: Mutex::default() }
    }

    /// The file with this number and path. Opens it if it is closed; closes those that were not
    /// used for longest if there are too many.
    pub(crate) fn get(&self, number: usize, path: &Path) -> io::Result<Arc<File>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = files.iter().position(|(there, _)| *there == number) {
            files[..=at].rotate_right(1);
        } else {
            files.truncate(self.most - 1);
            let file = loop {
                match File::open(path) {
                    // Other parts of the process have files open, too.
                    Err(error) if is_of_limit(&error) && !files.is_empty() => {
                        let half = files.len() / 2;
                        files.truncate(half);
                    }
                    file => break file?,
                }
            };
            files.insert(0, (number, Arc::new(file)));
        }
        Ok(Arc::clone(&files[0].1))
    }
}

/// Whether an error says that too many files are open.
fn is_of_limit(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
    }
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}

/// Reads at an offset, as Unix's standard library extension does.
#[cfg(not(unix))]
pub trait ReadAt {
    /// Fills `bytes` from an offset of the file.
    ///
    /// # Errors
    /// The errors of the system; [`io::ErrorKind::UnexpectedEof`] if the file ends before.
    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
}

#[cfg(windows)]
impl ReadAt for File {
    fn read_exact_at(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        use std::os::windows::fs::FileExt;
        while !bytes.is_empty() {
            match self.seek_read(bytes, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    bytes = &mut bytes[read..];
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
