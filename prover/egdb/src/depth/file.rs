//! Depth files (`DEPTH.md`).

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::rounds::DepthTable;
use crate::codec::parts::Parts;
use crate::codec::parts::{Cut, Quiet, Span};
use crate::disk::StoreError;
use crate::disk::atomic::write_parts;
use crate::disk::open_files::ReadAt;
use crate::disk::store::Store;
use crate::index::slice::{Slice, locate, position_at};
use certificate_spec::Digest;
use certificate_spec::database::SliceRecord;
use certificate_spec::value::{CHECKSUM, Value, checksum};
use draughtproof_game::{Board, Position};
use rayon::prelude::*;

const MAGIC: &[u8; 8] = b"DPDEPTH\0";
const VERSION: u32 = 1;
/// The number of bytes before the directory.
const HEADER: usize = 64;
/// The range of the digest of the slice's file. The longest depth and the number of units come
/// before it, the checksum of the head behind it.
const DIGEST: std::ops::Range<usize> = 24..56;
/// The compression level of zstd. Higher levels save little and take several times as long.
const LEVEL: i32 = 9;

/// The units of a depth file: parts of consecutive indices.
fn units(store: &Store, slice: Slice) -> Parts {
    Parts::new(store.board(), slice, Cut::WHOLE_ROWS)
}

/// The number of bytes of a depth on disk.
fn width(longest: u16) -> usize {
    if longest <= 255 { 1 } else { 2 }
}

/// The header and the directory of a depth file.
fn head(store: &Store, record: &SliceRecord, longest: u16, lengths: &[u32]) -> Vec<u8> {
    let board = store.board();
    let mut out = Vec::with_capacity(HEADER + 4 * lengths.len());
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(record.name.0);
    out.extend([board.rows(), board.columns()]);
    out.extend(longest.to_le_bytes());
    out.extend((lengths.len() as u32).to_le_bytes());
    out.extend(record.digest.0);
    out.extend([0; CHECKSUM]);
    lengths.iter().for_each(|length| out.extend(length.to_le_bytes()));
    let sum = checksum(&out);
    out[DIGEST.end..HEADER].copy_from_slice(&sum);
    out
}

fn wrong(path: &Path, expected: String, found: String) -> StoreError {
    StoreError::Depth { path: path.into(), expected, found }
}

/// Reads the longest depth and the lengths of the payloads of `units` units; an error says what was
/// expected and what was found.
fn read_head(
    store: &Store,
    record: &SliceRecord,
    units: u64,
    bytes: &[u8],
) -> Result<(u16, Vec<u32>), (String, String)> {
    let expected = HEADER as u64 + 4 * units;
    if (bytes.len() as u64) < expected {
        return Err((format!("at least {expected} bytes"), format!("{} bytes", bytes.len())));
    }
    if bytes.starts_with(MAGIC) && bytes[DIGEST] != record.digest.0 {
        let mut found = Digest([0; 32]);
        found.0.copy_from_slice(&bytes[DIGEST]);
        let depths = |digest| format!("depths of the values with BLAKE3 {digest}");
        return Err((depths(record.digest), depths(found)));
    }
    let longest = u16::from_le_bytes([bytes[18], bytes[19]]);
    let number = |entry: &[u8]| entry.iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte));
    let lengths: Vec<u32> = bytes[HEADER..].chunks_exact(4).map(number).collect();
    // A head can be written in one way only, so this comparison checks all of it.
    if head(store, record, longest, &lengths) != bytes {
        return Err(("the head of a depth file as it was written".into(), "other bytes".into()));
    }
    Ok((longest, lengths))
}

/// The depths of the quiet positions of a unit; empty if all are 0. The depths of other positions
/// and of draws are never read: they repeat the depth before, which compresses best.
fn unit_bytes(
    table: &DepthTable,
    first: u64,
    span: Span,
    quiet: &Quiet,
    width: usize,
    out: &mut Vec<u8>,
) {
    out.clear();
    let mut last = 0;
    for place in 0..span.len {
        if quiet.words()[(place / 64) as usize] >> (place % 64) & 1 == 1 {
            last = table.get(first + place).unwrap_or(last);
        }
        out.extend(&last.to_le_bytes()[..width]);
    }
    if out.iter().all(|&byte| byte == 0) {
        out.clear();
    }
}

fn payload(bytes: &[u8]) -> io::Result<Vec<u8>> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let code = zstd::bulk::compress(bytes, LEVEL)?;
    Ok([&checksum(&code)[..], &code].concat())
}

pub(crate) fn has_file(store: &Store, record: &SliceRecord) -> bool {
    let mut found = [0; DIGEST.end];
    let file = File::open(store.depth_path(record.name.into()));
    file.is_ok_and(|file| file.read_exact_at(&mut found, 0).is_ok())
        && found[DIGEST] == record.digest.0
}

/// Writes the depths of a slice (under [`Store::lock`]), whose values are those of the record.
pub(crate) fn save(
    store: &Store,
    record: &SliceRecord,
    table: &DepthTable,
) -> Result<(), StoreError> {
    let path = store.depth_path(table.slice);
    let io = |source| StoreError::Io { path: path.clone(), source };
    let (units, longest) = (units(store, table.slice), table.longest());
    let payloads = (0..units.layout.count()).into_par_iter().map_init(
        || (Quiet::default(), Vec::new()),
        |(quiet, bytes), unit| {
            let span = units.layout.span(unit);
            units.quiet(span, quiet);
            unit_bytes(table, units.layout.first_index(span), span, quiet, width(longest), bytes);
            payload(bytes)
        },
    );
    let payloads: Vec<Vec<u8>> = payloads.collect::<io::Result<_>>().map_err(io)?;
    let lengths: Vec<u32> = payloads.iter().map(|payload| payload.len() as u32).collect();
    let head = head(store, record, longest, &lengths);
    std::fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(io)?;
    write_parts(&path, std::iter::once(&head).chain(&payloads)).map_err(io)
}

/// A depth file, opened.
pub(super) struct DepthFile {
    path: PathBuf,
    units: Parts,
    pub(super) longest: u16,
    /// The offsets at which payloads begin, and last the offset at which the file ends.
    offsets: Vec<u64>,
}

impl DepthFile {
    /// Opens the depth file of the slice of the record; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError::Depth`] if it is damaged or belongs to other values; [`StoreError::Io`].
    pub(super) fn open(store: &Store, record: &SliceRecord) -> Result<Option<Self>, StoreError> {
        let path = store.depth_path(record.name.into());
        let io_error = |source| StoreError::Io { path: path.clone(), source };
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(io_error)?,
        };
        let units = units(store, record.name.into());
        let length = file.metadata().map_err(io_error)?.len();
        let mut bytes = vec![0; (HEADER + 4 * units.layout.count() as usize).min(length as usize)];
        file.read_exact_at(&mut bytes, 0).map_err(io_error)?;
        let (longest, lengths) = read_head(store, record, units.layout.count(), &bytes)
            .map_err(|(expected, found)| wrong(&path, expected, found))?;
        let mut offsets = vec![bytes.len() as u64];
        offsets.extend(lengths.iter().scan(bytes.len() as u64, |at, &length| {
            *at += u64::from(length);
            Some(*at)
        }));
        match offsets.last() {
            Some(&end) if end != length => {
                Err(wrong(&path, format!("{end} bytes"), format!("{length} bytes")))
            }
            _ => Ok(Some(DepthFile { path, units, longest, offsets })),
        }
    }

    /// The number of units.
    pub(super) fn count(&self) -> u64 {
        self.units.layout.count()
    }

    /// The first index of a unit, and the number of its indices.
    pub(super) fn span(&self, unit: u64) -> (u64, u64) {
        let span = self.units.layout.span(unit);
        (self.units.layout.first_index(span), span.len)
    }

    /// The unit that an index is in, and its place in the unit.
    pub(super) fn place(&self, index: u64) -> (u64, u64) {
        self.units.layout.locate(index)
    }

    /// The depths of a unit, for [`DepthFile::at`].
    ///
    /// # Errors
    /// [`StoreError::Depth`] if the unit is damaged; [`StoreError::Io`].
    pub(super) fn unit(&self, unit: u64) -> Result<Vec<u8>, StoreError> {
        let (from, to) = (self.offsets[unit as usize], self.offsets[unit as usize + 1]);
        if from == to {
            return Ok(Vec::new());
        }
        let mut payload = vec![0; (to - from) as usize];
        // A unit is read rarely, and a process may have only some files open.
        let read = File::open(&self.path).and_then(|file| file.read_exact_at(&mut payload, from));
        read.map_err(StoreError::io(&self.path))?;
        let length = self.units.layout.span(unit).len as usize * width(self.longest);
        let (sum, code) = payload.split_at(CHECKSUM.min(payload.len()));
        let depths =
            if sum == checksum(code) { zstd::bulk::decompress(code, length).ok() } else { None };
        depths.filter(|depths| depths.len() == length).ok_or_else(|| {
            let expected = format!("unit {unit} of the depths as it was written");
            wrong(&self.path, expected, "one with another checksum or length".into())
        })
    }

    pub(super) fn at(&self, unit: &[u8], place: u64) -> u16 {
        let width = width(self.longest);
        let bytes = unit.get(place as usize * width..).unwrap_or_default();
        bytes.iter().take(width).rev().fold(0, |depth, &byte| depth << 8 | u16::from(byte))
    }
}

/// The number of decoded units that are kept. Each has at most 64 KiB or 128 KiB, except where rows
/// are very long.
const KEPT: usize = 64;

struct DecodedUnit {
    slice: Slice,
    unit: u64,
    depths: Arc<Vec<u8>>,
}

/// The depths beside a database on disk, opened for look-ups by any number of threads. Files are
/// read when they are needed.
pub struct Depths {
    store: Store,
    records: HashMap<Slice, SliceRecord>,
    files: Mutex<HashMap<Slice, Option<Arc<DepthFile>>>>,
    /// The kept units, the one used last in front.
    units: Mutex<Vec<DecodedUnit>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Depths {
    /// Opens the depths beside the database of `board` in the directory `root`. There need not be
    /// any.
    ///
    /// # Errors
    /// [`StoreError`]: the MANIFEST of the database cannot be read.
    pub fn open(root: impl AsRef<Path>, board: &Board) -> Result<Self, StoreError> {
        let store = Store::new(root.as_ref(), board);
        let records = store.manifest()?.slices.into_iter().map(|r| (r.name.into(), r)).collect();
        Ok(Depths { store, records, files: Mutex::default(), units: Mutex::default() })
    }

    /// The depth in plies of a position with this value, which must be its value in the database.
    /// `None` for a draw, for a side without pieces, and where there is no depth file.
    ///
    /// # Errors
    /// [`StoreError::Depth`] with the path of a file that is damaged or belongs to other values;
    /// [`StoreError::Io`].
    pub fn depth(&self, position: &Position, value: Value) -> Result<Option<u32>, StoreError> {
        if value == Value::Draw || !position.both_sides() {
            return Ok(None);
        }
        let (slice, index) = locate(self.store.board(), position);
        let Some(file) = self.file(slice)? else { return Ok(None) };
        if self.store.board().can_capture(position) {
            return Ok(Some(1));
        }
        let (unit, place) = file.place(index);
        let depths = self.unit(slice, &file, unit)?;
        Ok(Some(file.at(&depths, place).into()))
    }

    /// The longest depth of a slice in plies; `None` where there is no depth file.
    pub fn longest(&self, slice: Slice) -> Result<Option<u32>, StoreError> {
        Ok(self.file(slice)?.map(|file| file.longest.into()))
    }

    /// A position of a slice, Black to move, without a capture, that has its longest depth; `None`
    /// where there is no depth file, or no win and loss. It is the first in the order of indices.
    pub fn longest_position(&self, slice: Slice) -> Result<Option<Position>, StoreError> {
        // If the longest depth is 0, positions that are no wins or losses have a 0 as well.
        let Some(file) = self.file(slice)?.filter(|file| file.longest > 0) else { return Ok(None) };
        let board = self.store.board();
        for unit in 0..file.count() {
            let depths = file.unit(unit)?;
            let (first, len) = file.span(unit);
            // A position that is no win or loss repeats the depth before it, so the first one found
            // is a win or loss.
            let longest = (0..len).find(|&place| file.at(&depths, place) == file.longest);
            let position = longest.and_then(|place| position_at(board, slice, first + place));
            if position.is_some() {
                return Ok(position);
            }
        }
        Ok(None)
    }

    fn file(&self, slice: Slice) -> Result<Option<Arc<DepthFile>>, StoreError> {
        let Some(record) = self.records.get(&slice) else { return Ok(None) };
        if let Some(file) = lock(&self.files).get(&slice) {
            return Ok(file.clone());
        }
        let file = DepthFile::open(&self.store, record)?.map(Arc::new);
        Ok(lock(&self.files).entry(slice).or_insert(file).clone())
    }

    fn unit(&self, slice: Slice, file: &DepthFile, unit: u64) -> Result<Arc<Vec<u8>>, StoreError> {
        let mut units = lock(&self.units);
        let known = units.iter().position(|kept| (kept.slice, kept.unit) == (slice, unit));
        if let Some(known) = known {
            units[..=known].rotate_right(1);
            return Ok(units[0].depths.clone());
        }
        // Other threads may look up meanwhile.
        drop(units);
        let depths = Arc::new(file.unit(unit)?);
        let mut units = lock(&self.units);
        units.truncate(KEPT - 1);
        units.insert(0, DecodedUnit { slice, unit, depths: depths.clone() });
        Ok(depths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildSession, Cover, extend};
    use draughtproof_game::Board;

    /// No slice that is quick to solve has depths that need two bytes, so this one is artificial.
    #[test]
    fn depths_beyond_255() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::new(root.path(), &Board::new(6, 6).unwrap());
        let _lock = store.lock().unwrap();
        extend(&mut BuildSession::new(&store, &Cover::up_to(3), 1 << 30).unwrap(), |_| ()).unwrap();
        let slice = Slice::new(1, 1, 0, 1);
        let indices = slice.indices(store.board());
        for (longest, width) in [(255, 1), (256, 2), (0xfffe, 2)] {
            let depth = |index: u64| (index % (u64::from(longest) + 1)) as u16;
            let table = DepthTable::new(slice, 0, indices);
            (0..indices).filter(|i| i % 3 != 0).for_each(|i| table.set(i, depth(i)));
            table.set(1, longest);
            let record = store.record(slice).unwrap();
            save(&store, &record, &table).unwrap();
            assert!(has_file(&store, &record));
            let file = DepthFile::open(&store, &record).unwrap().unwrap();
            assert_eq!((file.longest, super::width(file.longest)), (longest, width));
            let mut quiet = Quiet::default();
            for unit in 0..file.units.layout.count() {
                let (span, depths) = (file.units.layout.span(unit), file.unit(unit).unwrap());
                let first = file.units.layout.first_index(span);
                file.units.quiet(span, &mut quiet);
                for place in 0..span.len {
                    let is_quiet = quiet.words()[place as usize / 64] >> (place % 64) & 1 == 1;
                    if let Some(depth) = table.get(first + place).filter(|_| is_quiet) {
                        assert_eq!(file.place(first + place), (unit, place));
                        assert_eq!(file.at(&depths, place), depth);
                    }
                }
            }
        }
    }
}
