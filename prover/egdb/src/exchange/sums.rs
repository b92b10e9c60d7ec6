//! The list of an exported database: sizes and checksums of its files.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::ExchangeError;

/// The file that lists all others with their SHA-256, in the format of `sha256sum -c`; sizes are in
/// lines that begin with `#`.
pub(super) const SUMS: &str = "SHA256SUMS";

/// Copies a file, of which no more than `most` bytes are read; returns its length and SHA-256.
pub(super) fn copy(from: &Path, to: &Path, most: u64) -> Result<(u64, String), ExchangeError> {
    let mut source = File::open(from).map_err(ExchangeError::io(from))?.take(most);
    let mut target = File::create(to).map_err(ExchangeError::io(to))?;
    let (mut hasher, mut length, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        let read = source.read(&mut buffer).map_err(ExchangeError::io(from))?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        target.write_all(&buffer[..read]).map_err(ExchangeError::io(to))?;
        length += read as u64;
    }
    target.sync_all().map_err(ExchangeError::io(to))?;
    Ok((length, hex(&hasher.finalize())))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
