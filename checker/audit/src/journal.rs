//! The journal of a check: which slices have been verified, so that another run need not verify
//! them again.
//!
//! The first line says what the journal is about: the version of this format, board, level, pieces
//! and root of the database, and shard. Each further line has the slices of a pair with the digests
//! of their tables, in a shard also those of the tables that have been taken for granted since the
//! line before, and a checksum of the first line and this one.
//!
//! Trusts: the file. A program that can write a journal decides what counts as verified, so it must
//! be the user's own. Enforces: that the journal is about the same files (those that the root
//! stands for, which are hashed again) and the same question, and that a line counts only if it has
//! been written to its end. If a table is needed again, it must have the digest given here.

use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_core::TableDigests;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// The prefix of the name of a slice whose table was taken for granted. No slice's name begins so.
const ASSUMED_PREFIX: &str = "given:";

/// What the first line of every journal begins with.
const FIRST: &str = "draughtproof-check-journal 1 ";

/// The message for a journal that cannot be used.
fn stop(path: &Path, text: impl Display) -> String {
    format!("journal {}: {text}", path.display())
}

/// Opens an ordinary file for appending, and reads it.
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
    /// The digests that the journal has recorded so far.
    noted: TableDigests,
}

impl Journal {
    /// Opens or begins the journal of what `about` says, and returns the digests in it. Only the
    /// last line can be incomplete; an incomplete line is removed.
    ///
    /// # Errors
    /// The file cannot be read, is about something else, or has a damaged line.
    pub fn open(path: &Path, about: &str) -> Result<(Journal, TableDigests), String> {
        let stop = |text: String| stop(path, text);
        let failed = |error: io::Error| stop(error.to_string());
        let (file, bytes) = read(path, OpenOptions::new().create(true))?;
        let head = format!("{FIRST}{about}\n");
        let mut journal = Journal { file, head, noted: TableDigests::default() };
        let head = journal.head.as_bytes();
        let mut noted = TableDigests::default();
        let mut length = 0;
        // A file without a complete first line is a journal that has been begun and nothing more.
        if !head.starts_with(&bytes) {
            let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
            if lines.next() != Some(head) {
                return Err(stop(format!("its first line is not: {}", journal.head)));
            }
            length = head.len();
            while let Some(line) = lines.next() {
                match str::from_utf8(line).ok().and_then(|line| journal.parse(line)) {
                    Some(entries) => {
                        entries.into_iter().for_each(|entry| entry.insert_into(&mut noted));
                    }
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
        journal.noted = noted.clone();
        Ok((journal, noted))
    }

    /// Empties a journal, of whatever check it is, so that the next check begins it anew.
    ///
    /// # Errors
    /// The file is not a journal and stays as it is, or it cannot be written.
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

    /// The line with this text: the text and its checksum.
    fn line(&self, text: &str) -> String {
        let digest = Digest::of([&self.head, text].concat().as_bytes()).to_string();
        format!("{text} {}\n", &digest[..16])
    }

    fn parse(&self, line: &str) -> Option<Vec<Entry>> {
        let (text, _) = line.rsplit_once(' ').filter(|(text, _)| self.line(text) == line)?;
        let fields: Vec<&str> = text.split(' ').collect();
        fields.chunks(2).map(|pair| Entry::parse(pair.first()?, pair.get(1)?)).collect()
    }

    /// Appends a line with those digests that are not recorded yet, and returns once it is on disk.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn add(&mut self, digests: &TableDigests) -> Result<(), String> {
        let mut new: Vec<Entry> = Vec::new();
        for (all, noted, is_assumed) in [
            (&digests.verified, &self.noted.verified, false),
            (&digests.assumed, &self.noted.assumed, true),
        ] {
            let missing = all.iter().filter(|(slice, _)| !noted.contains_key(*slice));
            new.extend(missing.map(|(&slice, &digest)| Entry { slice, digest, is_assumed }));
        }
        new.sort_by_key(|entry| (entry.is_assumed, entry.slice.order()));
        let fields: Vec<String> = new.iter().map(Entry::text).collect();
        let line = self.line(&fields.join(" "));
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_all());
        new.into_iter().for_each(|entry| entry.insert_into(&mut self.noted));
        written.map_err(|error| format!("cannot write the journal: {error}"))
    }
}

/// A table that a journal names: its slice, its digest, and whether it was taken for granted.
struct Entry {
    slice: SliceName,
    digest: Digest,
    is_assumed: bool,
}

impl Entry {
    fn text(&self) -> String {
        let prefix = if self.is_assumed { ASSUMED_PREFIX } else { "" };
        format!("{prefix}{} {}", self.slice.file_name(), self.digest)
    }

    fn parse(name: &str, digest: &str) -> Option<Entry> {
        let (is_assumed, name) = match name.strip_prefix(ASSUMED_PREFIX) {
            Some(name) => (true, name),
            None => (false, name),
        };
        let numbers: Option<Vec<u8>> = name.split('-').map(|n| n.parse().ok()).collect();
        let slice = SliceName(numbers?.try_into().ok()?);
        let digest = Digest::parse(digest)?;
        (slice.file_name() == name).then_some(Entry { slice, digest, is_assumed })
    }

    fn insert_into(self, digests: &mut TableDigests) {
        let map = if self.is_assumed { &mut digests.assumed } else { &mut digests.verified };
        map.insert(self.slice, self.digest);
    }
}

/// The field that says for how many of `all` pairs of slices a journal has spoken, given that the
/// check has verified `here` pairs itself. Empty if the journal has spoken for none.
pub(crate) fn field(all: usize, here: usize) -> String {
    match all.saturating_sub(here) {
        0 => String::new(),
        believed => format!(" journal={believed}/{all}"),
    }
}
