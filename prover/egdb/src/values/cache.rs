//! A bounded cache of decoded units, shared by threads.
//!
//! Which unit goes when memory is short is decided by a clock (Corbató 1968), which keeps those used of
//! late at the price of one flag: a list in order of use would cost several cache misses a look-up.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use certificate_spec::slice::{UNIT, Value};

use super::table::value_of;

/// Decoded values: win and loss bits of 64 positions.
pub(crate) type Groups = Vec<[u64; 2]>;

/// The bytes of a unit of the usual size.
const FRAME: u64 = UNIT / 4;

/// A place for a unit.
#[derive(Default)]
struct Frame {
    /// The unit's number among all, and its values.
    unit: RwLock<Option<(usize, Groups)>>,
    used: AtomicBool,
}

/// The clock's hand, and what is kept.
struct Hand {
    frame: usize,
    bytes: u64,
}

/// Units, found by number.
pub(crate) struct Cache {
    /// The frame of each unit, plus one; zero if it is not here.
    places: Vec<AtomicU32>,
    frames: Vec<Frame>,
    hand: Mutex<Hand>,
    limit: u64,
}

/// The value at a place of a unit.
fn value_at(groups: &Groups, place: u64) -> Value {
    let [win, loss] = groups[(place / 64) as usize];
    value_of(win, loss, place % 64)
}

impl Cache {
    /// Room for `limit` bytes (at least one unit) of so many units.
    pub(crate) fn new(units: usize, limit: u64) -> Self {
        // Small units could need more frames than this; then the frames are the limit.
        let frames = (limit / FRAME).clamp(1, units.max(1) as u64);
        Cache {
            places: (0..units).map(|_| AtomicU32::new(0)).collect(),
            frames: (0..frames).map(|_| Frame::default()).collect(),
            hand: Mutex::new(Hand { frame: 0, bytes: 0 }),
            limit,
        }
    }

    /// The value at a place of a unit, if the unit is here.
    #[inline]
    pub(crate) fn get(&self, unit: usize, place: u64) -> Option<Value> {
        let frame = self.places[unit].load(Ordering::Acquire).checked_sub(1)?;
        let frame = &self.frames[frame as usize];
        let there = frame.unit.read().unwrap_or_else(PoisonError::into_inner);
        // The frame may have been given away meanwhile.
        let (_, groups) = there.as_ref().filter(|(there, _)| *there == unit)?;
        if !frame.used.load(Ordering::Relaxed) {
            frame.used.store(true, Ordering::Relaxed);
        }
        Some(value_at(groups, place))
    }

    /// Whether a unit is here.
    pub(crate) fn contains(&self, unit: usize) -> bool {
        self.places[unit].load(Ordering::Acquire) != 0
    }

    /// Keeps a unit; returns the value at one of its places.
    pub(crate) fn insert(&self, unit: usize, groups: Groups, place: u64) -> Value {
        let value = value_at(&groups, place);
        let size = |groups: &Groups| 16 * groups.len() as u64;
        let mut hand = self.hand.lock().unwrap_or_else(PoisonError::into_inner);
        if self.contains(unit) {
            // Another thread was faster.
            return value;
        }
        // Every frame is passed at most twice before one is found and everything is thrown out.
        for _ in 0..2 * self.frames.len() + 1 {
            let at = hand.frame;
            hand.frame = (at + 1) % self.frames.len();
            let frame = &self.frames[at];
            if frame.used.swap(false, Ordering::Relaxed) {
                continue;
            }
            let mut there = frame.unit.write().unwrap_or_else(PoisonError::into_inner);
            if let Some((old, old_groups)) = there.take() {
                self.places[old].store(0, Ordering::Release);
                hand.bytes -= size(&old_groups);
            }
            if hand.bytes + size(&groups) <= self.limit.max(size(&groups)) {
                hand.bytes += size(&groups);
                *there = Some((unit, groups));
                self.places[unit].store(at as u32 + 1, Ordering::Release);
                break;
            }
        }
        value
    }
}
