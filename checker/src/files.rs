//! Reading directories and files that may be hostile: `SPEC.md` §3.
//!
//! Enforces: the closed listing (nothing missing, nothing superfluous, ordinary files only: anything
//! else is refused before it is opened, so no pipe can hang the check and no link lead elsewhere), and
//! that *the bytes parsed are the bytes hashed*: a file is read into memory once, as far as the length
//! that was stated for it, and never again.
//!
//! Trusts: that nobody changes the directory while it is read. Whoever does may cause a wrong
//! REFUTED or ERROR, or make `check` wait, but no wrong VERIFIED: digests are taken of what was read.

use crate::verdict::{Finding, Stop};
use certificate_spec::Digest;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// What an entry of a directory may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    File,
    Directory,
    Other,
}

impl Entry {
    fn of(metadata: &Metadata) -> Entry {
        if metadata.is_file() {
            Entry::File
        } else if metadata.is_dir() {
            Entry::Directory
        } else {
            Entry::Other
        }
    }

    fn words(entry: Option<Entry>) -> &'static str {
        match entry {
            Some(Entry::File) => "an ordinary file",
            Some(Entry::Directory) => "a directory",
            Some(Entry::Other) => "a link, pipe or device",
            None => "nothing",
        }
    }
}

/// The entries of a directory by name. Names are bytes; none is ever opened because it is here.
pub(crate) type Listing = BTreeMap<Vec<u8>, Entry>;

fn unreadable(path: &Path, error: &io::Error) -> Stop {
    Stop::Error(format!("cannot read {}: {error}", path.display()))
}

/// Fails unless the user has named a directory.
pub(crate) fn require_directory(path: &Path) -> Result<(), Stop> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(Stop::Error(format!("{} is not a directory", path.display()))),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Adds the entries of a directory to a listing, each name after `prefix`.
pub(crate) fn list(path: &Path, prefix: &str, listing: &mut Listing) -> Result<(), Stop> {
    let mut add_all = || -> io::Result<()> {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = [prefix.as_bytes(), entry.file_name().as_encoded_bytes()].concat();
            // Of the entry itself, not of what a link points to.
            listing.insert(name, Entry::of(&fs::symlink_metadata(entry.path())?));
        }
        Ok(())
    };
    add_all().map_err(|error| unreadable(path, &error))
}

/// Refutes unless `found` has exactly the entries `wanted`. File names get `prefix` in a verdict.
pub(crate) fn compare_listing(prefix: &str, wanted: &Listing, found: &Listing) -> Result<(), Stop> {
    let refuted = |name: &[u8], want, have| {
        let name = [prefix.as_bytes(), name].concat();
        let finding = Finding::new("listing", name);
        Err(finding.expected(Entry::words(want)).found(Entry::words(have)).refuted())
    };
    for (name, &want) in wanted {
        let have = found.get(name).copied();
        if have != Some(want) {
            return refuted(name, Some(want), have);
        }
    }
    match found.iter().find(|(name, _)| !wanted.contains_key(*name)) {
        Some((name, &have)) => refuted(name, None, Some(have)),
        None => Ok(()),
    }
}

/// Reads a file of a closed directory, at most `limit` bytes of it. `name` is what a verdict calls it.
pub(crate) fn read(path: &Path, name: &str, limit: u64) -> Result<Vec<u8>, Stop> {
    let wrong = |found| {
        let finding = Finding::new("listing", name).expected(Entry::words(Some(Entry::File)));
        finding.found(Entry::words(found)).refuted()
    };
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(wrong(None)),
        other => other.map_err(|error| unreadable(path, &error))?,
    };
    let entry = Entry::of(&metadata);
    if entry != Entry::File {
        return Err(wrong(Some(entry)));
    }
    let mut bytes = Vec::new();
    let expected = usize::try_from(metadata.len().min(limit)).map_err(|_| Stop::memory())?;
    bytes.try_reserve_exact(expected).map_err(|_| Stop::memory())?;
    File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// Reads a file whose length and digest are known; anything else is refuted with the code `rule`.
pub(crate) fn read_hashed(
    path: &Path,
    name: &str,
    rule: &'static str,
    (length, digest): (u64, Digest),
) -> Result<Vec<u8>, Stop> {
    // One byte more than stated is enough to see that a file is too long.
    let bytes = read(path, name, length.saturating_add(1))?;
    if bytes.len() as u64 != length {
        let found =
            if bytes.len() as u64 > length { "more".into() } else { bytes.len().to_string() };
        let finding = Finding::new(rule, name).expected(format!("{length} bytes"));
        return Err(finding.found(format!("{found} bytes")).refuted());
    }
    let found = Digest::of(&bytes);
    if found != digest {
        return Err(Finding::new(rule, name).expected(digest).found(found).refuted());
    }
    Ok(bytes)
}
