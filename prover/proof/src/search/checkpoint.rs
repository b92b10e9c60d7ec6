//! A search under way in a file, so that one of hours goes on from there when its process has died.
//!
//! All that a search goes on from is written down: the table, the path and its children, what has
//! been learnt, and some counters. So it does from there what it would have done, and ends with the
//! same result. The file is written to another one that then takes its place. It only saves time:
//! one that is damaged or of another search is not used, and a strategy that comes of it is
//! replayed like any other.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, IntoInnerError, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use certificate_spec::{Digest, VERSION, wire};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::table::read;
use crate::egdb::atomic::{unfinished_path, write_file};
use crate::egdb::numbers::counted;
use crate::wire::{decode, encode};

/// The magic bytes that a file begins with.
const MAGIC: [u8; 8] = *b"DPSEARC3";
/// Bytes of magic, version and the digest of the item.
const START: usize = wire::HEAD + blake3::OUT_LEN;
/// Bytes that are read or written at a time.
const BUFFER: usize = 1 << 20;
/// The least time between two checkpoints of a search.
const INTERVAL: Duration = Duration::from_secs(300);
/// The least time since the last checkpoint for which a search that is stopped is worth keeping.
const WORTH_KEEPING: Duration = Duration::from_secs(10);
/// The time between checkpoints is at least this many times the time that writing one takes.
const SHARE: u32 = 20;

/// The file in which a search is kept.
pub struct Checkpoint<'a> {
    path: PathBuf,
    item: Digest,
    interval: Duration,
    worth_keeping: Duration,
    /// Whether a search that its budget ends is kept, to go on with a larger one.
    also_at_end: bool,
    /// Gets messages for people.
    say: &'a (dyn Fn(String) + Sync),
    kept: Instant,
}

impl<'a> Checkpoint<'a> {
    /// A search that is known by a digest of all that it depends on, to be kept in a file.
    pub fn new(path: PathBuf, item: Digest, say: &'a (dyn Fn(String) + Sync)) -> Self {
        Checkpoint {
            path,
            item,
            interval: INTERVAL,
            worth_keeping: WORTH_KEEPING,
            also_at_end: false,
            say,
            kept: Instant::now(),
        }
    }

    /// The checkpoint without least times: the search is kept whenever it can be.
    pub fn always(self) -> Self {
        Checkpoint { interval: Duration::ZERO, worth_keeping: Duration::ZERO, ..self }
    }

    /// The checkpoint, which also keeps a search that its budget ends.
    pub fn also_at_end(self) -> Self {
        Checkpoint { also_at_end: true, ..self }
    }

    /// Removes what there may be of a search that is no longer under way.
    pub fn remove(path: &Path) {
        for path in [path, &unfinished_path(path)] {
            let _ = fs::remove_file(path);
        }
    }

    pub(super) fn is_due_at_end(&self) -> bool {
        self.also_at_end && self.is_due(true)
    }

    pub(super) fn is_due(&self, is_stopped: bool) -> bool {
        let least = if is_stopped { self.worth_keeping } else { self.interval };
        self.kept.elapsed() >= least
    }

    /// Writes down a search that has expanded `nodes` nodes. If that fails the search goes on.
    pub(super) fn keep(
        &mut self,
        nodes: u64,
        is_stopped: bool,
        write: impl FnOnce(&mut Output<'_>) -> io::Result<()>,
    ) {
        let start = Instant::now();
        let kept = write_file(&self.path, |file| self.write(file, write));
        let name = self.path.display();
        match kept {
            Ok(()) if is_stopped => {
                let nodes = counted(nodes, "node");
                (self.say)(format!("{name}: a search is kept there after {nodes}"));
            }
            Ok(()) => {}
            Err(e) => {
                (self.say)(format!("{name}: a search cannot be kept there: {e}"));
            }
        }
        self.interval = self.interval.max(SHARE * start.elapsed());
        self.kept = Instant::now();
    }

    fn write(
        &self,
        file: &mut File,
        write: impl FnOnce(&mut Output<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let out = Summed { file, sum: blake3::Hasher::new() };
        let mut out = Output(BufWriter::with_capacity(BUFFER, out));
        out.write_all(&self.start())?;
        write(&mut out)?;
        let Summed { file, sum } = out.0.into_inner().map_err(IntoInnerError::into_error)?;
        file.write_all(sum.finalize().as_bytes())
    }

    /// Reads what was kept of a search, if there is anything. `read` returns the nodes that the
    /// search has expanded. Says whether it could be read.
    pub(super) fn restore(&self, read: impl FnOnce(&mut Input) -> io::Result<u64>) -> bool {
        let name = self.path.display();
        match self.read(read) {
            Ok(nodes) => {
                let nodes = counted(nodes, "node");
                (self.say)(format!("{name}: a search goes on after {nodes}"));
                true
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => false,
            Err(e) => {
                (self.say)(format!("{name}: not used, the search begins again: {e}"));
                false
            }
        }
    }

    fn read(&self, state: impl FnOnce(&mut Input) -> io::Result<u64>) -> io::Result<u64> {
        let mut file = File::open(&self.path)?;
        let whole = file.metadata()?.len();
        let rest = whole.saturating_sub(blake3::OUT_LEN as u64);
        let mut sum = blake3::Hasher::new();
        sum.update_reader((&mut file).take(rest))?;
        if read(&mut file)? != *sum.finalize().as_bytes() {
            return Err(invalid("the sum at its end is not that of what comes before"));
        }
        file.rewind()?;
        let mut input = Input(BufReader::with_capacity(BUFFER, file));
        if read::<START>(&mut input)? != self.start() {
            return Err(invalid("expected the state of this search, found something else"));
        }
        state(&mut input)
    }

    /// Returns the beginning of the file: magic, version, and the item that is searched.
    fn start(&self) -> [u8; START] {
        let mut start = [0; START];
        let (head, item) = start.split_at_mut(wire::HEAD);
        head[..MAGIC.len()].copy_from_slice(&MAGIC);
        head[MAGIC.len()..].copy_from_slice(&VERSION.to_le_bytes());
        item.copy_from_slice(&self.item.0);
        start
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The destination of a search that is written.
pub(super) struct Output<'f>(BufWriter<Summed<'f>>);

/// The source of a search that is read.
pub(super) struct Input(BufReader<File>);

impl Output<'_> {
    /// Writes a head: its length, then its bytes.
    pub(super) fn write_head<T: Serialize>(&mut self, head: &T) -> io::Result<()> {
        let bytes = encode(head);
        self.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.write_all(&bytes)
    }
}

impl Input {
    pub(super) fn read_head<T: Serialize + DeserializeOwned>(&mut self) -> io::Result<T> {
        let length = u64::from_le_bytes(read(self)?);
        let mut bytes = Vec::new();
        self.take(length).read_to_end(&mut bytes)?;
        decode(&bytes).ok_or_else(|| invalid("expected the head of a search"))
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

/// A file that is written, with the sum of what was written.
struct Summed<'f> {
    file: &'f mut File,
    sum: blake3::Hasher,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.sum.update(&bytes[..n]);
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
