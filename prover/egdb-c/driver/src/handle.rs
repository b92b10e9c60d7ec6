//! An open database, and the functions in its handle.

use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use draughtproof_egdb::{Cached, Database, Store, StoreError, Value};
use draughtproof_game::{Board, Position, Side};

/// The database was opened for fewer pieces.
const EGDB_SUBDB_UNAVAILABLE: c_int = -2;
/// A file would have to be read for the value.
const EGDB_NOT_IN_CACHE: c_int = -1;
/// No value.
const EGDB_UNKNOWN: c_int = 0;
/// The side to move wins.
const EGDB_WIN: c_int = 1;
/// The side to move loses.
const EGDB_LOSS: c_int = 2;
/// Neither side can win.
const EGDB_DRAW: c_int = 3;

/// The handle of an open database: the functions that a program calls.
#[repr(C)]
pub struct Driver {
    lookup: unsafe extern "C" fn(*mut Driver, *const u32, c_int, c_int) -> c_int,
    reset_stats: unsafe extern "C" fn(*mut Driver),
    get_stats: unsafe extern "C" fn(*mut Driver) -> *const Stats,
    verify: unsafe extern "C" fn(*mut Driver) -> c_int,
    close: unsafe extern "C" fn(*mut Driver) -> c_int,
    /// The header has it as `internal_data`.
    open: Box<Open>,
}

impl Driver {
    /// The handle of a database.
    pub(crate) fn new(open: Open) -> Self {
        Driver { lookup, reset_stats, get_stats, verify, close, open: Box::new(open) }
    }
}

/// A program's function for messages.
#[derive(Clone, Copy)]
pub(crate) struct Messages(pub(crate) Option<unsafe extern "C" fn(*mut c_char)>);

impl Messages {
    /// Passes a line.
    pub(crate) fn say(self, line: &str) {
        let Some(function) = self.0 else { return };
        let mut text = format!("{line}\n\0").into_bytes();
        // SAFETY: the caller of `egdb_open` vouches for the function.
        unsafe { function(text.as_mut_ptr().cast()) };
    }
}

/// The counts of look-ups, with the layout of the header.
#[repr(C)]
#[derive(Default)]
pub struct Stats {
    hits: AtomicU32,
    loads: AtomicU32,
    preloaded: AtomicU32,
    requests: AtomicU32,
    returns: AtomicU32,
    not_present: AtomicU32,
}

fn count(counter: &AtomicU32) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// An open database.
pub(crate) struct Open {
    database: Database,
    directory: PathBuf,
    bitboards: Bitboards,
    /// The most pieces of a position that is looked up.
    pieces: u32,
    messages: Messages,
    stats: Stats,
}

impl Open {
    pub(crate) fn new(
        database: Database,
        directory: PathBuf,
        bitboards: Bitboards,
        pieces: u32,
        messages: Messages,
    ) -> Self {
        Open { database, directory, bitboards, pieces, messages, stats: Stats::default() }
    }

    /// Looks a position up, and counts it.
    ///
    /// # Safety
    /// `words` must be a position in the form that this was opened for.
    unsafe fn look_up(&self, words: *const u32, color: c_int, is_cached_only: bool) -> c_int {
        count(&self.stats.requests);
        // SAFETY: the caller vouches for the words.
        let position = unsafe { self.bitboards.read(self.database.board(), words, color) };
        let Some(position) = position else { return EGDB_UNKNOWN };
        if position.pieces() > self.pieces {
            count(&self.stats.not_present);
            return EGDB_SUBDB_UNAVAILABLE;
        }
        let value = match self.value(&position, is_cached_only) {
            Ok(Cached::Value(value)) => value,
            Ok(Cached::NotCached) => return EGDB_NOT_IN_CACHE,
            Ok(Cached::Unknown) => {
                count(&self.stats.not_present);
                return EGDB_UNKNOWN;
            }
            Err(error) => {
                self.messages.say(&error.to_string());
                return EGDB_UNKNOWN;
            }
        };
        count(&self.stats.returns);
        match value {
            Value::Win => EGDB_WIN,
            Value::Loss => EGDB_LOSS,
            Value::Draw => EGDB_DRAW,
        }
    }

    fn value(&self, position: &Position, is_cached_only: bool) -> Result<Cached, StoreError> {
        let cached = self.database.probe_cached(position)?;
        if matches!(cached, Cached::Value(_)) {
            count(&self.stats.hits);
        }
        if is_cached_only || cached != Cached::NotCached {
            return Ok(cached);
        }
        count(&self.stats.loads);
        Ok(self.database.probe(position)?.map_or(Cached::Unknown, Cached::Value))
    }

    /// Whether all files are undamaged; reports those that are not.
    fn verify(&self) -> Result<bool, StoreError> {
        let store = Store::new(&self.directory, self.database.board());
        let mut is_whole = true;
        for slice in &store.manifest()?.slices {
            if let Err(error) = store.verify_slice(slice) {
                self.messages.say(&error.to_string());
                is_whole = false;
            }
        }
        Ok(is_whole)
    }
}

/// The value of a position.
///
/// # Safety
/// `driver` must be null or open, and `position` null or a position in the form that it was opened
/// for.
unsafe extern "C" fn lookup(
    driver: *mut Driver,
    position: *const u32,
    color: c_int,
    cl: c_int,
) -> c_int {
    // SAFETY: the caller vouches for it.
    let Some(driver) = (unsafe { driver.as_ref() }) else { return EGDB_UNKNOWN };
    if position.is_null() {
        return EGDB_UNKNOWN;
    }
    // SAFETY: the caller vouches for the position.
    let look_up = || unsafe { driver.open.look_up(position, color, cl != 0) };
    catch_unwind(AssertUnwindSafe(look_up)).unwrap_or(EGDB_UNKNOWN)
}

/// Sets all counts to 0.
///
/// # Safety
/// `driver` must be null or open.
unsafe extern "C" fn reset_stats(driver: *mut Driver) {
    // SAFETY: the caller vouches for it.
    let Some(driver) = (unsafe { driver.as_ref() }) else { return };
    let Stats { hits, loads, preloaded, requests, returns, not_present } = &driver.open.stats;
    for counter in [hits, loads, preloaded, requests, returns, not_present] {
        counter.store(0, Ordering::Relaxed);
    }
}

/// The counts.
///
/// # Safety
/// `driver` must be null or open.
unsafe extern "C" fn get_stats(driver: *mut Driver) -> *const Stats {
    // SAFETY: the caller vouches for it.
    unsafe { driver.as_ref() }.map_or(std::ptr::null(), |driver| &raw const driver.open.stats)
}

/// Verifies all files; returns 0 if they are undamaged.
///
/// # Safety
/// `driver` must be null or open.
unsafe extern "C" fn verify(driver: *mut Driver) -> c_int {
    // SAFETY: the caller vouches for it.
    let Some(driver) = (unsafe { driver.as_ref() }) else { return 1 };
    match catch_unwind(AssertUnwindSafe(|| driver.open.verify())) {
        Ok(Ok(is_whole)) => c_int::from(!is_whole),
        Ok(Err(error)) => {
            driver.open.messages.say(&error.to_string());
            1
        }
        Err(_) => {
            driver.open.messages.say("internal error");
            1
        }
    }
}

/// Closes a database.
///
/// # Safety
/// `driver` must be null, or open and not be used again.
unsafe extern "C" fn close(driver: *mut Driver) -> c_int {
    if driver.is_null() {
        return 1;
    }
    // SAFETY: it was made by `Box::into_raw`, and the caller gives it back.
    drop(unsafe { Box::from_raw(driver) });
    0
}

/// The form of the positions that are looked up.
#[derive(Clone, Copy)]
pub(crate) enum Bitboards {
    /// Black, white and kings; bit n − 1 stands for square n.
    Normal,
    /// Men and kings of Black, men and kings of White; the squares of each row are the other way
    /// round.
    RowReversed,
}

impl Bitboards {
    /// The form with this number in the interface.
    pub(crate) fn new(number: c_int) -> Result<Self, String> {
        match number {
            0 => Ok(Bitboards::Normal),
            1 => Ok(Bitboards::RowReversed),
            _ => Err(format!("bitboard type: expected 0 or 1, found {number}")),
        }
    }

    /// Reads a position; `None` if it is not one of the board, or the side to move has no such
    /// number.
    ///
    /// # Safety
    /// `words` must point to the words of this form.
    pub(crate) unsafe fn read(
        self,
        board: &Board,
        words: *const u32,
        color: c_int,
    ) -> Option<Position> {
        let turn = match color {
            0 => Side::Black,
            1 => Side::White,
            _ => return None,
        };
        match self {
            Bitboards::Normal => {
                // SAFETY: the caller vouches for the words.
                let [black, white, kings] = unsafe { words.cast::<[u32; 3]>().read() };
                board.position(black, white, kings, turn)
            }
            Bitboards::RowReversed => {
                // SAFETY: as above.
                let words = unsafe { words.cast::<[u32; 4]>().read() };
                let [black_men, black_kings, white_men, white_kings] = words.map(reverse_rows);
                if black_men & black_kings != 0 || white_men & white_kings != 0 {
                    return None;
                }
                let kings = black_kings | white_kings;
                board.position(black_men | black_kings, white_men | white_kings, kings, turn)
            }
        }
    }
}

/// The set with the four squares of each row the other way round.
fn reverse_rows(set: u32) -> u32 {
    let pairs = (set & 0x5555_5555) << 1 | (set >> 1) & 0x5555_5555;
    (pairs & 0x3333_3333) << 2 | (pairs >> 2) & 0x3333_3333
}
