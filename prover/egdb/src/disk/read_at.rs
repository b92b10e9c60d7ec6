//! Reading at a place of a file, from any number of threads.

#[cfg(not(unix))]
use std::{fs::File, io};

#[cfg(unix)]
pub use std::os::unix::fs::FileExt as ReadAt;

/// What Unix has in its standard library.
#[cfg(not(unix))]
pub trait ReadAt {
    /// Reads as many bytes as there is room for, from an offset.
    ///
    /// # Errors
    /// Whatever the system reports; [`io::ErrorKind::UnexpectedEof`] where the file ends before.
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
