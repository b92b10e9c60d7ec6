//! BLAKE3 digests and the roots of manifests.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, Write};

/// A BLAKE3 hash: 32 bytes, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let value = |c: u8| match c {
            b'0'..=b'9' => Some(c - b'0'),
            b'a'..=b'f' => Some(c - b'a' + 10),
            _ => None,
        };
        let mut out = [0; 32];
        for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = value(pair[0])? << 4 | value(pair[1])?;
        }
        Some(Digest(out))
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

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
