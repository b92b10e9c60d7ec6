//! What is fuzzed. A target is a function of any bytes at all that panics where `check` does what
//! it must not do; and the inputs that fuzzing begins with, made from what is valid.
//!
//! Of decoders: that they do not panic, take no more memory than the bytes that are there justify,
//! and accept nothing but what the encoder writes. Of whole checks: that they say one thing, that
//! they verify nothing but what an exhaustive search finds to be so, and that they stay within the
//! memory that `check --help` states.

mod certificate;
mod claim;
mod code;
mod database;
mod journal;
mod manifest;
mod note;
mod object;
mod provenance;
mod slice;

use crate::counting::peak;

/// A target.
pub struct Target {
    /// Its name, and that of the folder of its inputs.
    pub name: &'static str,
    /// Tries an input.
    pub run: fn(&[u8]),
    /// Makes inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const ALL: [Target; 10] = [
    Target { name: "certificate", run: certificate::run, seeds: certificate::seeds },
    Target { name: "claim", run: claim::run, seeds: claim::seeds },
    Target { name: "code", run: code::run, seeds: code::seeds },
    Target { name: "database", run: database::run, seeds: database::seeds },
    Target { name: "journal", run: journal::run, seeds: journal::seeds },
    Target { name: "manifest", run: manifest::run, seeds: manifest::seeds },
    Target { name: "note", run: note::run, seeds: note::seeds },
    Target { name: "object", run: object::run, seeds: object::seeds },
    Target { name: "provenance", run: provenance::run, seeds: provenance::seeds },
    Target { name: "slice", run: slice::run, seeds: slice::seeds },
];

/// Tries an input of the target with this name.
///
/// # Panics
/// If `check` does what it must not do, or there is no such target.
pub fn run(name: &str, bytes: &[u8]) {
    let target = ALL.iter().find(|target| target.name == name).expect("a target");
    (target.run)(bytes);
}

/// What a decoder says of bytes, with memory for so many times as many, and some for words.
fn bounded<'a, T>(times: usize, bytes: &'a [u8], decode: impl FnOnce(&'a [u8]) -> T) -> T {
    const WORDS: usize = 16 << 10;
    let (result, most) = peak(|| decode(bytes));
    assert!(most <= times * bytes.len() + WORDS, "{most} bytes of memory for {}", bytes.len());
    result
}

/// An input read from its beginning; beyond the end there are zeros.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn number(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    /// So many bytes, or what there is.
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (first, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        first
    }

    /// Bytes after their length, as [`with_length`] writes them.
    fn section(&mut self) -> &'a [u8] {
        let length = self.number();
        self.take(length.into())
    }
}

/// Bytes after their length.
fn with_length(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("a short seed");
    [&length.to_le_bytes(), bytes].concat()
}

/// A folder in memory, where there is one.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}
