//! The targets of fuzzing. A target has a function of any bytes that panics where `check` does what
//! it must not do, and the inputs that fuzzing begins with, made from valid files.
//!
//! Decoders must not panic, must take no more memory than the bytes of their input justify, and
//! must accept nothing but what the encoder writes. Whole checks must have one verdict, must verify
//! only what an exhaustive search finds to be true, and must stay within the memory that `check
//! --help` states.

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

pub struct Target {
    /// The name of the target, and of the folder of its inputs.
    pub name: &'static str,
    /// Runs the target on an input.
    pub run: fn(&[u8]),
    /// Makes the inputs that fuzzing begins with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

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

/// Runs the target with this name on an input.
pub fn run(name: &str, bytes: &[u8]) {
    let target = ALL.iter().find(|target| target.name == name).expect("a target");
    (target.run)(bytes);
}

/// The result of a decoder, which may take `times` as many bytes of memory as it is given, and some
/// for messages.
fn bounded<'a, T>(times: usize, bytes: &'a [u8], decode: impl FnOnce(&'a [u8]) -> T) -> T {
    const WORDS: usize = 16 << 10;
    let (result, most) = peak(|| decode(bytes));
    assert!(most <= times * bytes.len() + WORDS, "{most} bytes of memory for {}", bytes.len());
    result
}

/// An input, read from its beginning; beyond its end it reads as zeros.
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

    /// The next `length` bytes, or as many as are left.
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (first, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        first
    }

    /// Bytes preceded by their length, as [`with_length`] writes them.
    fn section(&mut self) -> &'a [u8] {
        let length = self.number();
        self.take(length.into())
    }
}

/// Bytes, preceded by their length.
fn with_length(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("a short seed");
    [&length.to_le_bytes(), bytes].concat()
}

/// A folder in memory where the system has one, else on disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}
