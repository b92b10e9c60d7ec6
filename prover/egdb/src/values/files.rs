//! Values from the compressed files of a database: parts of slices are decoded when they are
//! needed, and a cache keeps some of them.
//!
//! A bounded cache of decoded parts, shared by threads.
//!
//! The part to replace when the cache is full is chosen by the clock algorithm (Corbató 1968),
//! which keeps recently used parts at the cost of one flag: a list in order of use would cost
//! several cache misses a look-up.
//!
//! A look-up takes no lock. It reads the part's entry, the words in its frame, and the entry again.
//! A thread that takes a frame away changes the entry of its part before any word of the frame, and
//! equal entries do not recur before many others.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::table::{Value, table, try_table, value_of};
use crate::codec::decode::{Scratch, SliceDecoder};
use crate::codec::parts::{Cut, Layout};
use crate::disk::StoreError;
use crate::disk::open_files::{OpenFiles, ReadAt};
use crate::disk::store::Store;
use crate::index::slice::{Slice, SliceArray};
use certificate_spec::cover::Cover;
use certificate_spec::payload::Part;
use certificate_spec::slice::{self, PART_POSITIONS, UNIT_PARTS, Unit};
use rayon::prelude::*;

/// The files of a database, and the cache of decoded parts.
pub(crate) struct Files {
    store: Store,
    /// The file of each slice, by place.
    slices: Vec<SliceFile>,
    places: SliceArray,
    open: OpenFiles,
    cache: Cache,
}

struct SliceFile {
    slice: Slice,
    /// The number of its first part among those of all slices.
    first_part: usize,
    opened: OnceLock<Opened>,
}

struct Opened {
    path: PathBuf,
    decoder: SliceDecoder,
}

/// The place of the value of an index, ordered by slice, part and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The place of the slice in [`Files::slices`].
    slice: usize,
    part: u64,
    /// The place of the position in the part.
    at: u64,
}

/// The effort that a look-up may make for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The look-up only reads memory.
    None,
    /// The look-up may read the head of a file.
    Open,
    /// The look-up may read and decode a part of a file.
    Decode,
}

/// The reason why there is no value.
pub(crate) enum Miss {
    /// The value would have to be decoded.
    NotHere,
    /// A file cannot be read or is damaged.
    Error(Box<StoreError>),
}

impl From<StoreError> for Miss {
    fn from(error: StoreError) -> Self {
        Miss::Error(Box::new(error))
    }
}

impl Files {
    /// The files of the slices of a cover, with a cache of `memory` bytes.
    pub(crate) fn new(store: Store, cover: &Cover, memory: u64) -> Self {
        let places = SliceArray::new(cover);
        let mut first_part = 0;
        let slices = places.slices().map(|slice| {
            let file = SliceFile { slice, first_part, opened: OnceLock::new() };
            if slice.exists(store.board(), cover) {
                first_part += Layout::new(store.board(), slice, Cut::PARTS).count() as usize;
            }
            file
        });
        let slices = slices.collect();
        let cache = Cache::new(first_part, memory);
        Files { store, slices, places, open: OpenFiles::new(), cache }
    }

    /// Opens the file of a slice; `None` if there is none.
    fn open<'a>(&self, file: &'a SliceFile) -> Result<Option<&'a Opened>, StoreError> {
        if let Some(opened) = file.opened.get() {
            return Ok(Some(opened));
        }
        let open = |path: &Path| self.open.get(self.places.place(file.slice), path);
        let Some((opened, _)) = Opened::new(&self.store, file.slice, open)? else {
            return Ok(None);
        };
        let decoder = &opened.decoder;
        // Constant units are entered into the cache, so that no look-up has to read the directory
        // first.
        for unit in 0..decoder.units() {
            if let Unit::Constant(value) = decoder.unit(unit) {
                let first = unit * UNIT_PARTS;
                let parts = first..(first + UNIT_PARTS).min(decoder.layout().count());
                parts.for_each(|part| self.cache.set_constant(file.part(part), value));
            }
        }
        Ok(Some(file.opened.get_or_init(|| opened)))
    }

    /// The value of a quiet position, by slice and index; `None` if there is no file. A value that
    /// is not cached is decoded if `effort` allows it; otherwise the result is [`Miss::NotHere`].
    pub(crate) fn probe(
        &self,
        slice: Slice,
        index: u64,
        effort: Effort,
    ) -> Result<Option<Value>, Miss> {
        let file = &self.slices[self.places.place(slice)];
        let opened = match effort {
            Effort::None => Some(file.opened.get().ok_or(Miss::NotHere)?),
            Effort::Open | Effort::Decode => self.open(file)?,
        };
        let Some(opened) = opened else { return Ok(None) };
        let (part, place) = opened.decoder.layout().locate(index);
        if let Some(value) = self.cache.get(file.part(part), place) {
            return Ok(Some(value));
        }
        if effort != Effort::Decode {
            return Err(Miss::NotHere);
        }
        let wanted = |number| (number == part).then(|| self.end(file, part, place));
        let unit = part / UNIT_PARTS;
        Ok(self.read(file, opened, unit, wanted, place, &mut Scratch::default())?)
    }

    /// The place of the value of a quiet position, if it would have to be decoded.
    pub(crate) fn missing(&self, slice: Slice, index: u64) -> Result<Option<Place>, StoreError> {
        let place = self.places.place(slice);
        let Some(opened) = self.open(&self.slices[place])? else { return Ok(None) };
        let (part, at) = opened.decoder.layout().locate(index);
        let is_here = self.cache.get(self.slices[place].part(part), at).is_some();
        Ok((!is_here).then_some(Place { slice: place, part, at }))
    }

    /// Decodes the values at these places, each part once.
    pub(crate) fn prefetch(&self, mut wanted: Vec<Place>) -> Result<(), StoreError> {
        wanted.sort_unstable();
        let units: Vec<&[Place]> = wanted
            .chunk_by(|a, b| a.slice == b.slice && a.part / UNIT_PARTS == b.part / UNIT_PARTS)
            .collect();
        units.into_par_iter().try_for_each_init(Scratch::default, |scratch, parts| {
            let file = &self.slices[parts[0].slice];
            let Some(opened) = file.opened.get() else { return Ok(()) };
            let unit = parts[0].part / UNIT_PARTS;
            // A part is decoded up to the last wanted place, or completely if several places are
            // wanted.
            let wanted = |number| {
                let first = parts.partition_point(|place| place.part < number);
                let end = parts.partition_point(|place| place.part <= number);
                match end - first {
                    0 => None,
                    1 | 2 => Some(self.end(file, number, parts[end - 1].at)),
                    _ => Some(u64::MAX),
                }
            };
            self.read(file, opened, unit, wanted, 0, scratch).map(|_| ())
        })
    }

    /// The place up to which a part is decoded for a look-up: the end, if some of the part is
    /// cached already, since the part is then used often.
    fn end(&self, file: &SliceFile, part: u64, place: u64) -> u64 {
        if self.cache.contains(file.part(part)) { u64::MAX } else { (place / 64 + 1) * 64 }
    }

    /// Reads a unit, decodes and caches those of its parts that are wanted, up to the place that
    /// `wanted` returns (a multiple of 64, or the end), and returns the value at a place of the
    /// last of them.
    fn read(
        &self,
        file: &SliceFile,
        opened: &Opened,
        unit: u64,
        wanted: impl Fn(u64) -> Option<u64>,
        place: u64,
        scratch: &mut Scratch,
    ) -> Result<Option<Value>, StoreError> {
        let there = self.open.get(self.places.place(file.slice), &opened.path);
        let payload = opened.payload(unit, there)?;
        let damaged = || self.store.damaged(&opened.path, unit);
        let mut last = None;
        for (number, part) in opened.decoder.parts(unit, &payload).ok_or_else(damaged)? {
            let end = wanted(number);
            match part {
                Part::Constant(value) => {
                    self.cache.set_constant(file.part(number), value);
                    last = if end.is_some() { Some(value) } else { last };
                }
                Part::Coded(_) => {
                    let Some(end) = end else { continue };
                    if !opened.decoder.decode(number, part, end, scratch) {
                        return Err(damaged());
                    }
                    let Scratch { win, loss, .. } = scratch;
                    last = value_in(win, loss, place);
                    // The words behind this place are not decoded.
                    let known = (end / 64).min(win.len() as u64) as usize;
                    self.cache.insert(file.part(number), &win[..known], &loss[..known]);
                }
            }
        }
        Ok(last)
    }
}

impl Opened {
    /// Opens the file of a slice by `open` and reads its head; `None` if there is none.
    fn new<F: Deref<Target = File>>(
        store: &Store,
        slice: Slice,
        open: impl FnOnce(&Path) -> io::Result<F>,
    ) -> Result<Option<(Self, F)>, StoreError> {
        let path = store.slice_path(slice);
        let io_error = |source| StoreError::Io { path: path.clone(), source };
        let file = match open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(io_error)?,
        };
        let length = file.metadata().map_err(io_error)?.len();
        let mut head = vec![0; length.min(slice::START as u64) as usize];
        file.read_exact_at(&mut head, 0).map_err(io_error)?;
        let wire = |source| store.wire(&path, source);
        let whole = slice::head_length(&head).map_err(wire)?.min(length);
        head.resize(whole as usize, 0);
        file.read_exact_at(&mut head, 0).map_err(io_error)?;
        let decoder = SliceDecoder::new(store.board(), slice, &head, length).map_err(wire)?;
        Ok(Some((Opened { path, decoder }, file)))
    }

    /// The payload of a unit, from the file; empty if all its values are equal.
    fn payload(
        &self,
        unit: u64,
        file: io::Result<impl Deref<Target = File>>,
    ) -> Result<Vec<u8>, StoreError> {
        let Unit::Coded { offset, length } = self.decoder.unit(unit) else { return Ok(Vec::new()) };
        let mut payload = vec![0; length as usize];
        let read = file.and_then(|file| file.read_exact_at(&mut payload, offset));
        read.map_err(StoreError::io(&self.path))?;
        Ok(payload)
    }
}

/// The numbers of wins and losses among the quiet positions of a slice, from its file, of which one
/// unit for each thread is in memory; `None` if there is no such file.
///
/// # Errors
/// [`StoreError`] when it cannot be read or is damaged.
pub(crate) fn count_quiet(store: &Store, slice: Slice) -> Result<Option<[u64; 2]>, StoreError> {
    let open = |path: &Path| File::open(path).map(Box::new);
    let Some((opened, file)) = Opened::new(store, slice, open)? else { return Ok(None) };
    let decoder = &opened.decoder;
    let count = |scratch: &mut Scratch, unit: u64| {
        let (payload, mut counts) = (opened.payload(unit, Ok(&*file))?, [0; 2]);
        let damaged = || store.damaged(&opened.path, unit);
        for (number, part) in decoder.parts(unit, &payload).ok_or_else(damaged)? {
            if part == Part::Constant(Value::Draw) {
                continue;
            }
            if !decoder.decode(number, part, u64::MAX, scratch) {
                return Err(damaged());
            }
            counts = [counts[0] + ones(&scratch.win), counts[1] + ones(&scratch.loss)];
        }
        Ok(counts)
    };
    let units = (0..decoder.units()).into_par_iter();
    let units = units.map_init(Scratch::default, count);
    let add = |[a, b]: [u64; 2], [c, d]: [u64; 2]| Ok([a + c, b + d]);
    Ok(Some(units.try_reduce(|| [0; 2], add)?))
}

/// The number of bits that are set.
pub(crate) fn ones(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

impl SliceFile {
    /// The number of a part of this slice among those of all slices.
    fn part(&self, part: u64) -> usize {
        self.first_part + part as usize
    }
}

/// The value at a place, if these words reach it.
fn value_in(win: &[u64], loss: &[u64], place: u64) -> Option<Value> {
    let at = (place / 64) as usize;
    Some(value_of(*win.get(at)?, *loss.get(at)?, place % 64))
}

/// The number of words of a frame: alternating win and loss words of 64 positions.
const WORDS: usize = 2 * (PART_POSITIONS / 64) as usize;
/// The number of frames that are allocated together.
const CHUNK: usize = 8192;

/// The bit of an entry that says whether its part was used since the clock's hand passed.
const USED: u64 = 1;
/// The positions of the other fields of an entry: the number of groups of 64 positions that are
/// cached, the number of the frame plus one, and a turn number that distinguishes the current
/// content from earlier content.
const GROUPS: u32 = 1;
const FRAME: u32 = 8;
const TURN: u32 = 40;
/// Frame numbers from here on stand for constant parts: the difference is the value of all
/// positions.
const CONSTANT: u32 = u32::MAX - 2;

/// The owners of the frames, and the clock's hand.
struct Hand {
    /// The part in each frame that was given out.
    owners: Vec<u32>,
    /// The number of frames for which there is memory.
    most: usize,
    frame: usize,
    turn: u64,
}

/// The cached parts, found by number.
pub(crate) struct Cache {
    /// The entry of each part; its frame is zero if the part is not cached.
    entries: Vec<AtomicU64>,
    chunks: Vec<OnceLock<Vec<AtomicU64>>>,
    frames: usize,
    hand: Mutex<Hand>,
}

impl Cache {
    /// A cache of at most `limit` bytes (at least one part), of parts numbered below `parts`.
    pub(crate) fn new(parts: usize, limit: u64) -> Self {
        let frames = (limit / (8 * WORDS as u64)).clamp(1, parts.max(1) as u64) as usize;
        let entries = table(parts, || AtomicU64::new(0));
        Cache {
            entries,
            chunks: (0..frames.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect(),
            frames,
            hand: Mutex::new(Hand { owners: Vec::new(), most: frames, frame: 0, turn: 0 }),
        }
    }

    /// The value at a place of a part, if it is cached.
    #[inline]
    pub(crate) fn get(&self, part: usize, place: u64) -> Option<Value> {
        let entry = self.entries[part].load(Ordering::Acquire);
        let frame = (entry >> FRAME) as u32;
        if frame >= CONSTANT {
            return Value::from_number(frame - CONSTANT);
        }
        let frame = frame.checked_sub(1)? as usize;
        if place / 64 >= entry >> GROUPS & 0x7f {
            return None;
        }
        let chunk = self.chunks[frame / CHUNK].get()?;
        let group = frame % CHUNK * WORDS + 2 * (place / 64) as usize;
        let [win, loss] = [0, 1].map(|plane| chunk[group + plane].load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        // The frame may have been given to another part meanwhile.
        if (self.entries[part].load(Ordering::Relaxed) ^ entry) & !USED != 0 {
            return None;
        }
        if entry & USED == 0 {
            // If the part is replaced before this, its entry still says that it is not cached.
            self.entries[part].fetch_or(USED, Ordering::Relaxed);
        }
        Some(value_of(win, loss, place % 64))
    }

    pub(crate) fn contains(&self, part: usize) -> bool {
        (self.entries[part].load(Ordering::Relaxed) >> FRAME) as u32 != 0
    }

    /// Records that all values of a part are this one.
    pub(crate) fn set_constant(&self, part: usize, value: Value) {
        let frame = u64::from(CONSTANT + value as u32);
        self.entries[part].store(frame << FRAME, Ordering::Release);
    }

    /// Allocates the next frames if all others were given out. If there is no memory for them, the
    /// cache stays as small as it is.
    fn add_chunk(&self, hand: &mut Hand) {
        let (given, number) = (hand.owners.len(), hand.owners.len() / CHUNK);
        if given == hand.most || self.chunks[number].get().is_some() {
            return;
        }
        let frames = CHUNK.min(self.frames - number * CHUNK);
        match try_table(frames * WORDS, || AtomicU64::new(0)) {
            Ok(words) => drop(self.chunks[number].set(words)),
            Err(_) => hand.most = given,
        }
    }

    /// Caches win and loss words of a part, which may be only the first words of it.
    pub(crate) fn insert(&self, part: usize, win: &[u64], loss: &[u64]) {
        let groups = win.len().min(WORDS / 2);
        let mut hand = self.hand.lock().unwrap_or_else(PoisonError::into_inner);
        self.add_chunk(&mut hand);
        let Hand { owners, most, frame: next, turn } = &mut *hand;
        let before = self.entries[part].load(Ordering::Relaxed);
        let frame = match ((before >> FRAME) as u32).checked_sub(1) {
            // Another thread has cached at least as many words.
            Some(_) if before >> GROUPS & 0x7f >= groups as u64 => return,
            Some(frame) => frame as usize,
            None if owners.len() < *most => {
                owners.push(part as u32);
                owners.len() - 1
            }
            None if owners.is_empty() => return,
            // The hand passes each frame at most once before it finds one, except for the effect of
            // other threads.
            None => loop {
                let at = *next;
                *next = (at + 1) % *most;
                let old = &self.entries[owners[at] as usize];
                if old.fetch_and(!USED, Ordering::Relaxed) & USED == 0 {
                    break at;
                }
            },
        };
        self.entries[owners[frame] as usize].store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        owners[frame] = part as u32;
        let Some(chunk) = self.chunks[frame / CHUNK].get() else { return };
        let words = &chunk[frame % CHUNK * WORDS..][..2 * groups];
        for (words, (&win, &loss)) in words.chunks_exact(2).zip(win.iter().zip(loss)) {
            words[0].store(win, Ordering::Relaxed);
            words[1].store(loss, Ordering::Relaxed);
        }
        *turn += 1;
        let entry = *turn << TURN | (frame as u64 + 1) << FRAME | (groups as u64) << GROUPS;
        self.entries[part].store(entry, Ordering::Release);
    }
}
