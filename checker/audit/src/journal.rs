//! The journal of a check: which slices have been verified, so that another run need not verify
//! them again.
//!
//! The first line says what the journal is about: the version of this format, the program that
//! writes it, board, level, pieces and root of the database, and shard. Each further line has the
//! slices of a pair with digests of their values and of the layers of these, in a shard also those
//! of the tables that have been taken for granted since the line before, and a checksum of the
//! first line and this one.
//!
//! Trusts: the file. A program that can write a journal decides what counts as verified, so it must
//! be the user's own. Enforces: that the journal is about the same files (those that the root
//! stands for, which are hashed again) and the same question, that it was written by the very
//! program that reads it, since another one may have verified something else, and that a line
//! counts only if it has been written to its end. If a layer is needed again, it must have the
//! digest given here.

use crate::program::program;
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_core::{Layer, TableDigests};
use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// The prefix of the name of a slice whose table was taken for granted. No slice's name begins so.
const ASSUMED_PREFIX: &str = "given:";

/// What the first line of every journal begins with.
const FIRST: &str = "draughtproof-check-journal ";

/// The version of the format.
const VERSION: u32 = 2;

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
        let program = program().map_err(stop)?;
        let head = format!("{FIRST}{VERSION} {about} program={program}\n");
        let mut journal = Journal { file, head, noted: TableDigests::default() };
        let head = journal.head.as_bytes();
        let mut noted = TableDigests::default();
        let mut length = 0;
        // A file without a complete first line is a journal that has been begun and nothing more.
        if !head.starts_with(&bytes) {
            let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
            if lines.next() != Some(head) {
                let why = "it was written by another program or for another check";
                return Err(stop(format!("{why}: its first line is not: {}", journal.head)));
            }
            length = head.len();
            while let Some(line) = lines.next() {
                match str::from_utf8(line).ok().and_then(|line| journal.parse(line)) {
                    Some(entries) if is_of_pairs(&entries, &noted) => {
                        entries.into_iter().for_each(|entry| entry.insert_into(&mut noted));
                    }
                    Some(_) => {
                        return Err(stop(format!("the line at byte {length} is not of new pairs")));
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
        for (&slice, &digest) in &digests.verified {
            if !self.noted.verified.contains_key(&slice) {
                new.push(Entry { of: Of::Verified(slice), digest });
                let layers = digests.layers.iter().filter(|(layer, _)| layer.slice == slice);
                new.extend(layers.map(|(&layer, &digest)| Entry { of: Of::Layer(layer), digest }));
            }
        }
        for (&slice, &digest) in &digests.assumed {
            if !self.noted.assumed.contains_key(&slice) {
                new.push(Entry { of: Of::Assumed(slice), digest });
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        new.sort_by_key(|entry| entry.of.order());
        let fields: Vec<String> = new.iter().map(Entry::text).collect();
        let line = self.line(&fields.join(" "));
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_all());
        new.into_iter().for_each(|entry| entry.insert_into(&mut self.noted));
        written.map_err(|error| format!("cannot write the journal: {error}"))
    }
}

/// What a digest in a journal is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Of {
    /// The values of a slice that was verified.
    Verified(SliceName),
    /// A layer of one.
    Layer(Layer),
    /// The table of a slice that was taken for granted.
    Assumed(SliceName),
}

impl Of {
    /// The place in a line.
    fn order(self) -> impl Ord {
        match self {
            Of::Verified(slice) => (0, slice.order(), 0),
            Of::Layer(Layer { slice, advance }) => (0, slice.order(), 1 + advance),
            Of::Assumed(slice) => (1, slice.order(), 0),
        }
    }
}

/// A digest that a journal has recorded.
struct Entry {
    of: Of,
    digest: Digest,
}

impl Entry {
    fn text(&self) -> String {
        let name = match self.of {
            Of::Verified(slice) => slice.file_name(),
            Of::Layer(Layer { slice, advance }) => format!("{}/{advance}", slice.file_name()),
            Of::Assumed(slice) => format!("{ASSUMED_PREFIX}{}", slice.file_name()),
        };
        format!("{name} {}", self.digest)
    }

    fn parse(name: &str, digest: &str) -> Option<Entry> {
        let of = match (name.strip_prefix(ASSUMED_PREFIX), name.split_once('/')) {
            (Some(name), _) => Of::Assumed(parse_slice(name)?),
            (None, Some((name, advance))) => {
                Of::Layer(Layer { slice: parse_slice(name)?, advance: advance.parse().ok()? })
            }
            (None, None) => Of::Verified(parse_slice(name)?),
        };
        Some(Entry { of, digest: Digest::parse(digest)? })
    }

    fn insert_into(self, digests: &mut TableDigests) {
        match self.of {
            Of::Verified(slice) => digests.verified.insert(slice, self.digest),
            Of::Layer(layer) => digests.layers.insert(layer, self.digest),
            Of::Assumed(slice) => digests.assumed.insert(slice, self.digest),
        };
    }
}

/// Whether a line has both slices of each pair that it speaks of and their layers, and nothing that
/// it or a line before has already.
fn is_of_pairs(entries: &[Entry], before: &TableDigests) -> bool {
    let verified = |entry: &Entry| match entry.of {
        Of::Verified(slice) => Some(slice),
        Of::Layer(_) | Of::Assumed(_) => None,
    };
    let here: HashSet<SliceName> = entries.iter().filter_map(verified).collect();
    let is_new = entries.iter().all(|entry| match entry.of {
        Of::Verified(slice) => {
            here.contains(&slice.twin()) && !before.verified.contains_key(&slice)
        }
        Of::Layer(Layer { slice, .. }) => here.contains(&slice),
        Of::Assumed(slice) => !before.assumed.contains_key(&slice),
    });
    let once: HashSet<Of> = entries.iter().map(|entry| entry.of).collect();
    is_new && once.len() == entries.len()
}

/// The slice whose file has this name.
fn parse_slice(name: &str) -> Option<SliceName> {
    let numbers: Option<Vec<u8>> = name.split('-').map(|n| n.parse().ok()).collect();
    let slice = SliceName(numbers?.try_into().ok()?);
    (slice.file_name() == name).then_some(slice)
}

/// The field that says for how many of `all` pairs of slices a journal has spoken, given that the
/// check has verified `here` pairs itself. Empty if the journal has spoken for none.
pub(crate) fn field(all: usize, here: usize) -> String {
    match all.saturating_sub(here) {
        0 => String::new(),
        believed => format!(" journal={believed}/{all}"),
    }
}
