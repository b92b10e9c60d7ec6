//! Reads from an offset of a file, in any number of threads.

#[cfg(not(unix))]
use std::{fs::File, io};

#[cfg(unix)]
pub use std::os::unix::fs::FileExt as ReadAt;

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
