//! BLAKE3 digests and the roots of manifests.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, Write};

/// A BLAKE3 hash: 32 bytes, written as 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The plain BLAKE3 of `bytes`: what `b3sum` prints.
    pub fn of(bytes: &[u8]) -> Self {
        Digest(*blake3::hash(bytes).as_bytes())
    }

    /// The root of a certificate from its MANIFEST (`SPEC.md` §5).
    pub fn certificate_root(manifest: &[u8]) -> Self {
        Digest(blake3::derive_key("draughtproof certificate root 1", manifest))
    }

    /// The root of a database from its MANIFEST (`SPEC.md` §8.4).
    pub fn database_root(manifest: &[u8]) -> Self {
        Digest(blake3::derive_key("draughtproof database root 1", manifest))
    }

    /// Reads exactly 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digest = Digest(*blake3::Hash::from_hex(text).ok()?.as_bytes());
        // Upper-case digits are read as well, and are not written.
        (digest.to_string() == text).then_some(digest)
    }
}

/// Makes the digest of bytes that come one piece after the other.
#[derive(Default)]
pub struct Hasher(blake3::Hasher);

impl Hasher {
    /// The digest of all bytes so far.
    pub fn digest(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // All digits are written at once, since samples write a digest for each block.
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}
