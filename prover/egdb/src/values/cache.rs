//! A bounded cache of decoded parts, shared by threads.
//!
//! The part to replace when the cache is full is chosen by the clock algorithm (Corbató 1968),
//! which keeps recently used parts at the cost of one flag: a list in order of use would cost
//! several cache misses a look-up.
//!
//! A look-up takes no lock. It reads the part's entry, the words in its frame, and the entry again.
//! A thread that takes a frame away changes the entry of its part before any word of the frame, and
//! equal entries do not recur before many others.

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Mutex, OnceLock, PoisonError};

use certificate_spec::slice::PART_POSITIONS;
use certificate_spec::value::Value;

use super::pages::{table, try_table};
use super::table::value_of;

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

    /// Whether any positions of a part are cached.
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
