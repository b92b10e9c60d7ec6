//! Reading directories and files that may be hostile: `SPEC.md` §3.
//!
//! Enforces: the closed listing (nothing missing, nothing superfluous, ordinary files only:
//! anything else is refused before it is opened, so no pipe can hang the check and no link lead
//! elsewhere), and that *the bytes parsed are the bytes hashed*: what is parsed is kept while the
//! whole file is hashed, as far as the length that was stated for it. One that is read twice is
//! hashed twice. A large file is read into memory only if its digest is right, and no further than
//! a file of its kind can be long.
//!
//! Trusts: that the directory does not change while it is read. A program that changes it may cause
//! a wrong REFUTED or ERROR, or make `check` wait, but no wrong VERIFIED: digests are taken of the
//! bytes that were read.

use crate::verdict::{Finding, Stop};
use certificate_spec::{Digest, Hasher, WireError};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, DirEntry, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, Write};
use std::path::Path;

/// Bytes of a manifest that suffice to know how long it can be.
const MANIFEST_START: u64 = 256;

/// Files of at most this number of bytes are read as a whole, whatever they are.
const LARGE: u64 = 1 << 22;
/// The bytes of a larger file that are in memory while it is hashed.
const PIECE: usize = 1 << 17;

/// The kinds of directory entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    Nothing,
    File,
    Directory,
    Other,
}

impl Entry {
    /// The kind of entry at a path itself: for a link the link, not what it points to.
    fn at(path: &Path) -> io::Result<Entry> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => Ok(Entry::File),
            Ok(metadata) if metadata.is_dir() => Ok(Entry::Directory),
            Ok(_) => Ok(Entry::Other),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Entry::Nothing),
            Err(error) => Err(error),
        }
    }

    /// The finding that `found` was met where this entry is required.
    fn not(self, found: Entry) -> Finding {
        let words = |entry| match entry {
            Entry::Nothing => "nothing",
            Entry::File => "an ordinary file",
            Entry::Directory => "a directory",
            Entry::Other => "a link, pipe or device",
        };
        Finding::new("listing", words(self), words(found))
    }
}

/// The entries of a directory by name. Names are bytes; none is ever opened because it is here.
pub(crate) type Listing = BTreeMap<Vec<u8>, Entry>;

fn unreadable(path: &Path, error: &io::Error) -> Stop {
    Stop::Error(format!("cannot read {}: {error}", path.display()))
}

/// The entries of a directory, each name after `prefix`.
pub(crate) fn list(path: &Path, prefix: &str) -> Result<Listing, Stop> {
    let named = |entry: DirEntry| {
        let name = [prefix.as_bytes(), entry.file_name().as_encoded_bytes()].concat();
        Ok((name, Entry::at(&entry.path())?))
    };
    let all = fs::read_dir(path).and_then(|all| all.map(|entry| named(entry?)).collect());
    all.map_err(|error| unreadable(path, &error))
}

/// Refutes unless `found` has exactly the entries `wanted`. File names get `prefix` in a verdict.
pub(crate) fn compare_listing(prefix: &str, wanted: &Listing, found: &Listing) -> Result<(), Stop> {
    let entry = |listing: &Listing, name| listing.get(name).copied().unwrap_or(Entry::Nothing);
    // Missing before superfluous, each in ascending order.
    let wrong = wanted.keys().chain(found.keys()).find_map(|name| {
        let (want, have) = (entry(wanted, name), entry(found, name));
        (want != have).then(|| want.not(have).file([prefix.as_bytes(), name].concat()))
    });
    wrong.map_or(Ok(()), |finding| Err(finding.into()))
}

/// Opens a file of a closed directory. `name` is what a verdict calls it.
fn open(path: &Path, name: &str) -> Result<File, Stop> {
    let unreadable = |error| unreadable(path, &error);
    let entry = Entry::at(path).map_err(unreadable)?;
    if entry != Entry::File {
        return Err(Entry::File.not(entry).file(name).into());
    }
    File::open(path).map_err(unreadable)
}

/// Reads at most `limit` bytes of a file of a closed directory.
pub(crate) fn read(path: &Path, name: &str, limit: u64) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let read = open(path, name)?.take(limit).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// Reads a manifest. Its first bytes are judged by `judge_start`, together with its length, before
/// any more of it is read, so that a file that cannot be a manifest costs nothing. An error of
/// syntax has the code `rule`.
pub(crate) fn read_manifest(
    path: &Path,
    name: &str,
    rule: &'static str,
    judge_start: impl Fn(&[u8], u64) -> Result<(), WireError>,
) -> Result<Vec<u8>, Stop> {
    let start = read(path, name, MANIFEST_START)?;
    let length = fs::symlink_metadata(path).map_err(|error| unreadable(path, &error))?.len();
    judge_start(&start, length).map_err(|error| Stop::wire(rule, name, error))?;
    read(path, name, length)
}

/// The length and digest that a manifest states for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seal {
    pub(crate) length: u64,
    pub(crate) digest: Digest,
}

impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, {}", self.length, self.digest)
    }
}

/// Reads a file whose length and digest are known; anything else is refuted with the code `rule`.
/// Returns the first `most` bytes of a large file, and any other file as a whole; the digest is
/// always that of the whole file.
///
/// A large file costs no memory before its digest is known to be right. If as much of it is wanted
/// as there is, it is hashed twice: the bytes that are returned are hashed as they are read.
pub(crate) fn read_hashed(
    path: &Path,
    name: &str,
    rule: &'static str,
    Seal { length, digest }: Seal,
    most: u64,
) -> Result<Vec<u8>, Stop> {
    let mut file = open(path, name)?;
    let unreadable = |error| unreadable(path, &error);
    let there = file.metadata().map_err(unreadable)?.len();
    if there != length {
        let found = if there > length { "more".into() } else { format!("{there} bytes") };
        return Err(Finding::new(rule, format!("{length} bytes"), found).file(name).into());
    }
    let judge = |found: Digest| match found == digest {
        true => Ok(()),
        false => Err(Stop::from(Finding::new(rule, digest, found).file(name))),
    };
    let kept = if length > LARGE { length.min(most) } else { length };
    if kept > LARGE {
        judge(hash(&mut file, Hasher::default(), length).map_err(unreadable)?)?;
        file.rewind().map_err(unreadable)?;
    }
    let mut bytes = Vec::new();
    let capacity = usize::try_from(kept).map_err(|_| Stop::memory())?;
    bytes.try_reserve_exact(capacity).map_err(|_| Stop::memory())?;
    (&mut file).take(kept).read_to_end(&mut bytes).map_err(unreadable)?;
    let mut hasher = Hasher::default();
    hasher.write_all(&bytes).map_err(unreadable)?;
    judge(hash(&mut file, hasher, length - kept).map_err(unreadable)?)?;
    Ok(bytes)
}

/// The digest of the bytes that a hasher has had and of the next `length` bytes of a file.
fn hash(file: &mut File, mut hasher: Hasher, length: u64) -> io::Result<Digest> {
    if length > 0 {
        io::copy(&mut BufReader::with_capacity(PIECE, file.take(length)), &mut hasher)?;
    }
    Ok(hasher.digest())
}
