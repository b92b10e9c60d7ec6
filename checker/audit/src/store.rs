//! A folder of tables: for shards that run where they can share files, and for a check that is to
//! go on after a break. Copying a table takes a small part of the time that decoding the values in
//! a slice file, playing all captures and verifying takes.
//!
//! Each file is named by the digest of its slice file, and begins with the digest of its table
//! (`SPEC.md` §11). The core copies a table, and uses the copy if it has that digest.
//!
//! *Tables* need not be trusted. In the folder there may be anything. A shard puts the digests of
//! the tables that it has taken for granted into its verdict, *from wherever it had them*, and
//! those of its own tables; merging requires that they agree (`SPEC.md` §12). So a table that
//! differs from what its slice's file comes to can spoil shards, but merging accepts nothing that
//! rests on it.
//!
//! *A journal* is a file of such a folder in which a check has recorded the digests of the tables
//! that it has verified. It is trusted: a program that can write to it decides what counts as
//! verified, so it must be the user's own. Its first line says what it is about: the version of
//! this format, board, level, pieces and root of the database, shard, and the very program that
//! writes it, since another one may have verified something else. Each further line has the slices
//! of a pair with the digests of their tables, and a checksum of the first line and this one. What
//! it has recorded counts only where the folder has the table with that digest. A table that it has
//! not recorded is not used: what a shard takes for granted is made from files.

use crate::program::program;
use certificate_notes::open_ordinary;
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_core::{TableStore, WriteTable};
use std::collections::HashMap;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of bytes that are read or written at a time.
const BUFFER: usize = 1 << 16;

/// The beginning of the first line of every journal.
const FIRST: &str = "draughtproof-check-journal ";

/// The version of the journal's format.
const VERSION: u32 = 3;

/// More bytes than a line about a pair of slices has.
const LINE: u64 = 512;

/// The prefix of the name of a file that is being written.
const UNFINISHED: &str = ".unfinished-";

/// After this time no program writes to such a file.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 3600);

/// A folder of tables.
#[derive(Debug, Clone)]
pub struct TableFolder {
    path: PathBuf,
    /// Whether the folder's journal is trusted and gone on with.
    has_journal: bool,
    /// Whether the journal is begun anew.
    fresh: bool,
}

impl TableFolder {
    /// A folder for tables that need not be trusted.
    pub fn shared(path: impl Into<PathBuf>) -> TableFolder {
        TableFolder { path: path.into(), has_journal: false, fresh: false }
    }

    /// A folder of the user's own, whose journal is trusted. A `fresh` one is begun anew.
    pub fn journal(path: impl Into<PathBuf>, fresh: bool) -> TableFolder {
        TableFolder { path: path.into(), has_journal: true, fresh }
    }

    /// Whether the folder's journal is trusted.
    pub fn has_journal(&self) -> bool {
        self.has_journal
    }

    fn failed(&self, why: impl Display) -> String {
        format!("{}: {why}", self.path.display())
    }

    /// Makes the folder unless it is there, and removes what checks have left behind that were
    /// killed while they wrote a table.
    fn prepare(&self) -> Result<(), String> {
        if self.path.exists() && !self.path.is_dir() {
            return Err(self.failed("expected a folder for tables, found a file"));
        }
        let made = fs::create_dir_all(&self.path).and_then(|()| fs::read_dir(&self.path));
        for entry in made.map_err(|e| self.failed(e))?.flatten() {
            let is_unfinished =
                entry.file_name().as_encoded_bytes().starts_with(UNFINISHED.as_bytes());
            let age = entry.metadata().and_then(|m| m.modified()).map(|time| time.elapsed());
            if is_unfinished && matches!(age, Ok(Ok(age)) if age > LEFT_BEHIND) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// Opens the file of a table, and reads the digest that it states.
    fn open(&self, slice_file: Digest) -> Option<(Digest, File)> {
        let path = self.path.join(slice_file.to_string());
        let mut file = open_ordinary(&path, OpenOptions::new().read(true)).ok()??;
        let mut digest = [0; 32];
        file.read_exact(&mut digest).ok()?;
        Some((Digest(digest), file))
    }

    /// Writes a table, unless there is one that states the same digest. The file appears as a
    /// whole.
    fn keep(&self, slice_file: Digest, table: Digest, write: WriteTable<'_>) -> io::Result<()> {
        if self.open(slice_file).is_some_and(|(there, _)| there == table) {
            return Ok(());
        }
        // Other users may read it as far as the user's mask lets them.
        let all = Permissions::from_mode(0o666);
        let file =
            tempfile::Builder::new().prefix(UNFINISHED).permissions(all).tempfile_in(&self.path)?;
        let mut file = BufWriter::with_capacity(BUFFER, file);
        file.write_all(&table.0)?;
        write(&mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(self.path.join(slice_file.to_string()))?;
        Ok(())
    }
}

/// A folder of tables as the core uses it in one check.
pub(crate) struct Store<'a> {
    folder: &'a TableFolder,
    /// The part of the work that the journal is about, besides database and level: a shard, or
    /// empty.
    part: String,
    journal: Mutex<Option<Journal>>,
}

impl<'a> Store<'a> {
    pub(crate) fn new(folder: &'a TableFolder, part: impl ToString) -> Store<'a> {
        Store { folder, part: part.to_string(), journal: Mutex::new(None) }
    }

    fn journal(&self) -> MutexGuard<'_, Option<Journal>> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TableStore for Store<'_> {
    fn begin(&self, about: &str) -> Result<(), String> {
        self.folder.prepare()?;
        if self.folder.has_journal {
            let about = [about, &self.part].join(" ");
            let path = self.folder.path.join("journal");
            let journal = Journal::open(&path, about.trim_end(), self.folder.fresh);
            *self.journal() = Some(journal.map_err(|why| format!("{}: {why}", path.display()))?);
        }
        Ok(())
    }
    fn records(&self) -> bool {
        self.folder.has_journal
    }
    fn verified(&self, slice: SliceName) -> Option<Digest> {
        self.journal().as_ref()?.noted.get(&slice).copied()
    }
    fn open(&self, slice_file: Digest) -> Option<(Digest, Box<dyn Read>)> {
        let (digest, file) = self.folder.open(slice_file)?;
        Some((digest, Box::new(file)))
    }
    fn reject(&self, slice_file: Digest) {
        // If that fails, the file is passed over again.
        let _ = fs::remove_file(self.folder.path.join(slice_file.to_string()));
    }
    fn keep(&self, slice_file: Digest, table: Digest, write: WriteTable<'_>) -> io::Result<()> {
        self.folder.keep(slice_file, table, write)
    }
    fn record(&self, pair: &[(SliceName, Digest)]) -> Result<(), String> {
        self.journal().as_mut().map_or(Ok(()), |journal| journal.add(pair))
    }
}

/// A journal to which lines can be added.
struct Journal {
    file: File,
    head: String,
    /// The tables that it has recorded.
    noted: HashMap<SliceName, Digest>,
}

impl Journal {
    /// Opens or begins the journal of what `about` says; no other check may be using it. Only the
    /// last line can be incomplete; an incomplete line is removed.
    fn open(path: &Path, about: &str, fresh: bool) -> Result<Journal, String> {
        let failed = |error: io::Error| error.to_string();
        let mut options = OpenOptions::new();
        let file = open_ordinary(path, options.read(true).append(true).create(true));
        let file = file.map_err(failed)?.ok_or("not an ordinary file")?;
        file.try_lock().map_err(|_| "another check is using this journal")?;
        let head = format!("{FIRST}{VERSION} {about} program={}\n", program()?);
        let mut journal = Journal { file, head, noted: HashMap::new() };
        let length = journal.read(fresh)?;
        journal.file.set_len(length).map_err(failed)?;
        if length == 0 {
            journal.file.write_all(journal.head.as_bytes()).map_err(failed)?;
        }
        Ok(journal)
    }

    /// Reads what there is, and returns the length of it that is whole. Nothing after the first
    /// line is read unless that is right.
    fn read(&mut self, fresh: bool) -> Result<u64, String> {
        let failed = |error: io::Error| error.to_string();
        let file = self.file.try_clone().map_err(failed)?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        let mut line = |most: u64| {
            let mut line = Vec::new();
            let read = file.by_ref().take(most).read_until(b'\n', &mut line);
            read.map(|_| line).map_err(failed)
        };
        let first = line(self.head.len() as u64)?;
        if fresh {
            let is_journal = first.iter().zip(FIRST.as_bytes()).all(|(a, b)| a == b);
            let why = format!("not a journal: it does not begin with: {FIRST}");
            return if is_journal { Ok(0) } else { Err(why) };
        }
        // A file without a complete first line is a journal that has been begun and nothing more.
        if first != self.head.as_bytes() {
            let why = "it was written by another program or for another check";
            let why = format!("{why}: its first line is not: {}", self.head);
            return if self.head.as_bytes().starts_with(&first) { Ok(0) } else { Err(why) };
        }
        let mut length = self.head.len() as u64;
        loop {
            let found = line(LINE)?;
            if found.is_empty() {
                return Ok(length);
            }
            let Some(text) = str::from_utf8(&found).ok().and_then(|found| self.text(found)) else {
                let is_last = line(1)?.is_empty();
                let why = || format!("the line at byte {length} is damaged");
                return if is_last { Ok(length) } else { Err(why()) };
            };
            let is_new = |pair: &Vec<(SliceName, Digest)>| {
                pair.iter().all(|(slice, _)| !self.noted.contains_key(slice))
            };
            let pair = pair_of(text).filter(is_new);
            self.noted.extend(
                pair.ok_or_else(|| format!("the line at byte {length} is not of a new pair"))?,
            );
            length += found.len() as u64;
        }
    }

    /// The line with this text: the text and its checksum.
    fn line(&self, text: &str) -> String {
        let digest = Digest::of([&self.head, text].concat().as_bytes()).to_string();
        format!("{text} {}\n", &digest[..16])
    }

    /// The text of a line whose checksum is right.
    fn text<'t>(&self, line: &'t str) -> Option<&'t str> {
        let (text, _) = line.rsplit_once(' ')?;
        (self.line(text) == line).then_some(text)
    }

    /// Appends a line about a pair, and returns once it is on disk.
    fn add(&mut self, pair: &[(SliceName, Digest)]) -> Result<(), String> {
        // A pair whose tables were not there is verified again.
        let noted: Vec<_> = pair.iter().filter_map(|(slice, _)| self.noted.get(slice)).collect();
        if !noted.is_empty() {
            let is_right = noted.into_iter().eq(pair.iter().map(|(_, digest)| digest));
            let wrong = || format!("the journal has another table of {}", pair[0].0.file_name());
            return if is_right { Ok(()) } else { Err(wrong()) };
        }
        let entry =
            |(slice, digest): &(SliceName, Digest)| format!("{} {digest}", slice.file_name());
        let line = self.line(&pair.iter().map(entry).collect::<Vec<_>>().join(" "));
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_all());
        written.map_err(|error| format!("cannot write the journal: {error}"))
    }
}

impl Drop for Journal {
    /// Releases the lock. Closing the file is not enough: a child that another thread has just
    /// started holds a copy of the handle until it runs its program.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// The slices of a pair and the digests of their tables, if a check writes such a text.
fn pair_of(text: &str) -> Option<Vec<(SliceName, Digest)>> {
    let fields: Vec<&str> = text.split(' ').collect();
    let entry = |pair: &[&str]| Some((parse_slice(pair.first()?)?, Digest::parse(pair.get(1)?)?));
    let pair: Vec<(SliceName, Digest)> = fields.chunks(2).map(entry).collect::<Option<_>>()?;
    let is_pair = match pair[..] {
        [(slice, _)] => slice == slice.twin(),
        [(slice, _), (twin, _)] => slice.0 > twin.0 && twin == slice.twin(),
        _ => false,
    };
    is_pair.then_some(pair)
}

/// The slice whose file has this name.
fn parse_slice(name: &str) -> Option<SliceName> {
    let numbers: Option<Vec<u8>> = name.split('-').map(|n| n.parse().ok()).collect();
    let slice = SliceName(numbers?.try_into().ok()?);
    (slice.file_name() == name).then_some(slice)
}
