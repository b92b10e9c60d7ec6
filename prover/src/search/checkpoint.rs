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

use certificate_spec::Digest;

use super::table::read;
use crate::egdb::atomic::{unfinished_path, write_file};

/// How a file begins; another form has another number.
const MAGIC: [u8; 16] = *b"df-pn under way1";
/// Bytes that are read or written at a time.
const BUFFER: usize = 1 << 20;
/// A search is kept after so long at the earliest, and then again.
const INTERVAL: Duration = Duration::from_secs(300);
/// One that is stopped is kept if it has gone on for so long.
const WORTH_KEEPING: Duration = Duration::from_secs(10);
/// At most one part in so many of the time goes into keeping it.
const SHARE: u32 = 20;

/// Where a search is kept.
pub struct Checkpoint<'a> {
    path: PathBuf,
    /// What is searched.
    item: Digest,
    interval: Duration,
    worth_keeping: Duration,
    /// Gets messages for people.
    say: &'a (dyn Fn(String) + Sync),
    /// When it was kept last.
    kept: Instant,
}

impl<'a> Checkpoint<'a> {
    /// A search that is known by a digest of all that it depends on, to be kept in a file.
    pub fn new(path: PathBuf, item: Digest, say: &'a (dyn Fn(String) + Sync)) -> Self {
        let (interval, worth_keeping) = (INTERVAL, WORTH_KEEPING);
        Checkpoint { path, item, interval, worth_keeping, say, kept: Instant::now() }
    }

    /// The same, kept as often as it can be.
    pub fn always(self) -> Self {
        Checkpoint { interval: Duration::ZERO, worth_keeping: Duration::ZERO, ..self }
    }

    /// Removes what there may be of a search that is no longer under way.
    pub fn remove(path: &Path) {
        for path in [path, &unfinished_path(path)] {
            let _ = fs::remove_file(path);
        }
    }

    pub(super) fn is_due(&self, is_stopped: bool) -> bool {
        let least = if is_stopped { self.worth_keeping } else { self.interval };
        self.kept.elapsed() >= least
    }

    /// Writes down a search that has expanded so many nodes. If that fails it goes on all the same.
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
                (self.say)(format!("{name}: a search is kept there after {nodes} nodes"));
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
        let mut out = BufWriter::with_capacity(BUFFER, out);
        out.write_all(&MAGIC)?;
        out.write_all(&self.item.0)?;
        write(&mut out)?;
        let Summed { file, sum } = out.into_inner().map_err(IntoInnerError::into_error)?;
        file.write_all(sum.finalize().as_bytes())
    }

    /// Reads what was kept of a search, if there is anything. `read` returns the nodes that the search
    /// has expanded. Says whether it could be read.
    pub(super) fn restore(&self, read: impl FnOnce(&mut Input) -> io::Result<u64>) -> bool {
        let name = self.path.display();
        match self.read(read) {
            Ok(nodes) => {
                (self.say)(format!("{name}: a search goes on after {nodes} nodes"));
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
        let mut input = BufReader::with_capacity(BUFFER, file);
        let head: [u8; MAGIC.len()] = read(&mut input)?;
        let item: [u8; 32] = read(&mut input)?;
        if (head, item) != (MAGIC, self.item.0) {
            return Err(invalid("expected the state of this search, found something else"));
        }
        state(&mut input)
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

pub(super) fn write_numbers(out: &mut impl Write, numbers: &[u64]) -> io::Result<()> {
    numbers.iter().try_for_each(|n| out.write_all(&n.to_le_bytes()))
}

pub(super) fn read_numbers<const N: usize>(input: &mut impl Read) -> io::Result<[u64; N]> {
    let mut numbers = [0; N];
    for n in &mut numbers {
        *n = u64::from_le_bytes(read(input)?);
    }
    Ok(numbers)
}

pub(super) fn small<T: TryFrom<u64>>(n: u64) -> io::Result<T> {
    T::try_from(n).map_err(|_| invalid("expected a smaller number"))
}

/// What a search is written to.
pub(super) type Output<'f> = BufWriter<Summed<'f>>;
/// What a search is read from.
pub(super) type Input = BufReader<File>;

/// A file that is written, with the sum of what was written.
pub(super) struct Summed<'f> {
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
