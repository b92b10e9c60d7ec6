//! The journal of a check: which slices have been verified, so that another run need not do it again.
//!
//! Its first line says of what: the version of this format, board, level, pieces and root of the database, and shard.
//! Then each line has the slices of a pair with the digests of their tables, in a shard also those of the tables that
//! have been taken for granted since the line before, and a checksum of the first line and this one.
//!
//! Trusts: the file. Whoever writes a journal decides what is verified; so it must be the user's own. Enforces:
//! that it is about the same files (those that the root stands for, which are hashed again) and the same
//! question, and that a line counts if it has been written to its end. If a table is needed again, it must
//! have the digest given here.

use crate::work::Shard;
use certificate_spec::Digest;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The digests of tables that have been verified, by the names of their files; and, by their names with [`GIVEN`]
/// before them, of those that have been taken for granted.
pub type Verified = BTreeMap<String, Digest>;
/// No name of a file begins so.
pub const GIVEN: &str = "given:";

/// What the first line of every journal begins with.
const FIRST: &str = "draughtproof-check-journal 1 ";

/// What is said of a journal that cannot be used.
fn stop(path: &Path, text: impl Display) -> String {
    format!("journal {}: {text}", path.display())
}

/// Opens an ordinary file to be added to, and reads it.
fn read(path: &Path, options: &mut OpenOptions) -> Result<(File, Vec<u8>), String> {
    let failed = |error: io::Error| stop(path, error);
    let mut file = options.read(true).append(true).open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(stop(path, "not an ordinary file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok((file, bytes))
}

/// A journal to which lines can be added.
pub struct Journal {
    file: File,
    head: String,
    /// What it has.
    noted: Verified,
}

impl Journal {
    /// Opens a journal, if one is asked for. That of a shard is for that shard alone: it has what the shard took for
    /// granted.
    ///
    /// # Errors
    /// As for [`Journal::open`].
    pub fn begin(
        path: &Option<PathBuf>,
        about: &str,
        shard: Option<Shard>,
    ) -> Result<(Option<Journal>, Verified), String> {
        let about = shard.map_or(about.into(), |shard| format!("{about} {shard}"));
        let journal = path.as_ref().map(|path| Journal::open(path, &about)).transpose()?;
        let (journal, verified) = journal.unzip();
        Ok((journal, verified.unwrap_or_default()))
    }

    /// Opens or begins the journal of what `about` says, and reads what it has. A line that is not all
    /// there can only be the last one, and is taken away.
    ///
    /// # Errors
    /// It cannot be read, is about something else, or has a line that is damaged.
    pub fn open(path: &Path, about: &str) -> Result<(Journal, Verified), String> {
        let stop = |text: String| stop(path, text);
        let failed = |error: io::Error| stop(error.to_string());
        let (file, bytes) = read(path, OpenOptions::new().create(true))?;
        let head = format!("{FIRST}{about}\n");
        let mut journal = Journal { file, head, noted: Verified::new() };
        let (head, mut verified, mut length) = (journal.head.as_bytes(), Verified::new(), 0);
        // One of which not even the first line is there has been begun and nothing more.
        if !head.starts_with(&bytes) {
            let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
            if lines.next() != Some(head) {
                return Err(stop(format!("its first line is not: {}", journal.head)));
            }
            length = head.len();
            while let Some(line) = lines.next() {
                match str::from_utf8(line).ok().and_then(|line| journal.parse(line)) {
                    Some(slices) => verified.extend(slices),
                    None if lines.next().is_none() => break,
                    None => return Err(stop(format!("the line at byte {length} is damaged"))),
                }
                length += line.len();
            }
        }
        journal.file.set_len(length as u64).map_err(failed)?;
        if length == 0 {
            journal.file.write_all(head).map_err(failed)?;
        }
        journal.noted = verified.clone();
        Ok((journal, verified))
    }

    /// Takes away all that a journal has, of whatever check it is: the next one begins it anew.
    ///
    /// # Errors
    /// There is something else in the file, which stays as it is, or it cannot be written.
    pub fn clear(path: &Path) -> Result<(), String> {
        if !path.exists() {
            return Ok(());
        }
        let (file, bytes) = read(path, &mut OpenOptions::new())?;
        let there = &bytes[..bytes.len().min(FIRST.len())];
        if !FIRST.as_bytes().starts_with(there) {
            return Err(stop(path, format_args!("not one: it does not begin with: {FIRST}")));
        }
        file.set_len(0).map_err(|error| stop(path, error))
    }

    /// A line with this text.
    fn line(&self, text: &str) -> String {
        let digest = Digest::of([&self.head, text].concat().as_bytes()).to_string();
        format!("{text} {}\n", &digest[..16])
    }

    fn parse(&self, line: &str) -> Option<Verified> {
        let (text, _) = line.rsplit_once(' ').filter(|(text, _)| self.line(text) == line)?;
        let words: Vec<&str> = text.split(' ').collect();
        let entry = |pair: &[&str]| Some((pair.first()?.to_string(), Digest::parse(pair.get(1)?)?));
        words.chunks(2).map(entry).collect()
    }

    /// Adds a line with those of these that are not there yet, and comes back when it is on disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, slices: &Verified) -> Result<(), String> {
        let new = slices.iter().filter(|(name, _)| !self.noted.contains_key(*name));
        let words = new.map(|(name, digest)| format!("{name} {digest}"));
        let line = self.line(&words.collect::<Vec<_>>().join(" "));
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_all());
        self.noted.extend(slices.iter().map(|(name, digest)| (name.clone(), *digest)));
        written.map_err(|error| format!("cannot write the journal: {error}"))
    }
}
