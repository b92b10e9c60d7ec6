//! Endgame databases: opening, and values. `include/draughtproof_egdb.h` is made from this file,
//! `files.rs` and `moves.rs`.
//!
//! Every function may be called by several threads at a time with the same database, except
//! [`egdb_close`].

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use draughtproof_c_text::write_message;
use draughtproof_egdb::{Cached, Database, Mode, Value};
use draughtproof_game::{Board, Position, Side};

/// The side to move loses.
pub const EGDB_LOSS: c_int = 0;
/// Neither side can win.
pub const EGDB_DRAW: c_int = 1;
/// The side to move wins.
pub const EGDB_WIN: c_int = 2;
/// The database has no value: for a position that it does not cover (too many pieces, or a side
/// without pieces), or of a slice whose file is missing.
pub const EGDB_UNKNOWN: c_int = 3;
/// For `egdb_open`: values are read and decoded when they are needed, and some of them are kept.
pub const EGDB_CACHED: c_int = 0;
/// For `egdb_open`: all values are in memory of the process, decoded when the database is opened.
pub const EGDB_RESIDENT: c_int = 1;
/// For `egdb_open`: values are in the tables beside the database that `prove db map` makes,
/// mapped into memory and shared by all processes; slices without a table are as with
/// `EGDB_CACHED`. If another program cuts such a file short while it is in use, the process gets
/// SIGBUS.
pub const EGDB_MAPPED: c_int = 2;
/// A file cannot be read or is damaged.
pub const EGDB_ERROR: c_int = -1;
/// The position is not one of the board: pieces overlap or are off the board, a man stands where it
/// would be crowned, or kings are no pieces; or a pointer is null.
pub const EGDB_INVALID: c_int = -2;

/// An open database.
#[allow(non_camel_case_types)]
pub struct egdb_database(pub(crate) Database);

/// A position. Bit n − 1 of a set stands for square n in the standard numbering, in which Black's
/// men move towards higher numbers.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct egdb_position {
    /// The set of Black's pieces.
    pub black: u32,
    /// The set of White's pieces.
    pub white: u32,
    /// The set of the kings of both sides.
    pub kings: u32,
    /// 0 if Black is to move, any other number if White is.
    pub white_to_move: u32,
}

/// The position, if it is one of the board.
pub(crate) fn read(board: &Board, p: egdb_position) -> Option<Position> {
    let turn = if p.white_to_move == 0 { Side::Black } else { Side::White };
    board.position(p.black, p.white, p.kings, turn)
}

/// A value as a number of the C interface.
pub(crate) fn number(value: Option<Value>) -> c_int {
    match value {
        Some(Value::Loss) => EGDB_LOSS,
        Some(Value::Draw) => EGDB_DRAW,
        Some(Value::Win) => EGDB_WIN,
        None => EGDB_UNKNOWN,
    }
}

/// The return value of a function for C: that of `work`, or [`EGDB_ERROR`] and a message if it
/// fails or panics.
///
/// # Safety
/// `error` must be null or have `size` bytes.
pub(crate) unsafe fn guard(
    work: impl FnOnce() -> Result<c_int, String>,
    error: *mut c_char,
    size: usize,
) -> c_int {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err("internal error".into())).unwrap_or_else(|message| {
        // SAFETY: the caller vouches for the buffer.
        unsafe { write_message(&message, error, size) };
        EGDB_ERROR
    })
}

/// The answer of `find` about a position of an open database, or `EGDB_INVALID`.
///
/// # Safety
/// `database` must be null or open, and `error` null or of `size` bytes.
pub(crate) unsafe fn answer(
    database: *const egdb_database,
    position: egdb_position,
    (error, size): (*mut c_char, usize),
    find: impl FnOnce(&Database, &Position) -> Result<c_int, String>,
) -> c_int {
    // SAFETY: the caller vouches for it.
    let Some(egdb_database(database)) = (unsafe { database.as_ref() }) else {
        return EGDB_INVALID;
    };
    let find = || match read(database.board(), position) {
        None => Ok(EGDB_INVALID),
        Some(position) => find(database, &position),
    };
    // SAFETY: the caller vouches for the buffer.
    unsafe { guard(find, error, size) }
}

/// The path in a C string.
///
/// # Safety
/// `path` must be null or end with a zero.
pub(crate) unsafe fn directory<'a>(path: *const c_char) -> Result<&'a str, String> {
    if path.is_null() {
        return Err("directory: expected a path, found null".to_string());
    }
    // SAFETY: the caller vouches for the string.
    let path = unsafe { CStr::from_ptr(path) };
    path.to_str().map_err(|_| "directory: expected UTF-8".to_string())
}

/// The board with these numbers of rows and columns.
pub(crate) fn board(rows: u32, columns: u32) -> Result<Board, String> {
    let size = u8::try_from(rows).ok().zip(u8::try_from(columns).ok());
    let board = size.and_then(|(rows, columns)| Board::new(rows, columns));
    board.ok_or_else(|| format!("board: {rows}x{columns} is none"))
}

/// Opens the database of the board rows x columns in a directory. `mode` is the place of the
/// values: `EGDB_CACHED` (0), `EGDB_RESIDENT` (1) or `EGDB_MAPPED` (2). Of cached values at most
/// `memory` bytes are kept; resident values must not take more. On failure it returns null and
/// writes a message into `error` (of `error_size` bytes; may be null).
///
/// # Safety
/// `path` must be a string that ends with a zero, and `error` null or of `error_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_open(
    path: *const c_char,
    rows: u32,
    columns: u32,
    memory: u64,
    mode: c_int,
    error: *mut c_char,
    error_size: usize,
) -> *mut egdb_database {
    let open = || {
        // SAFETY: the caller vouches for the string.
        let directory = unsafe { directory(path) }?;
        let board = board(rows, columns)?;
        let mode = match mode {
            EGDB_CACHED => Mode::Cached(memory),
            EGDB_RESIDENT => Mode::Resident(memory),
            EGDB_MAPPED => Mode::Mapped(memory),
            other => return Err(format!("mode: expected 0 to 2, found {other}")),
        };
        Database::open(directory, &board, mode).map_err(|e| e.to_string())
    };
    match catch_unwind(open).unwrap_or_else(|_| Err("internal error".into())) {
        Ok(database) => Box::into_raw(Box::new(egdb_database(database))),
        Err(message) => {
            // SAFETY: the caller vouches for the buffer.
            unsafe { write_message(&message, error, error_size) };
            std::ptr::null_mut()
        }
    }
}

/// Closes a database; null is ignored.
///
/// # Safety
/// `database` must come from `egdb_open` and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_close(database: *mut egdb_database) {
    if !database.is_null() {
        // SAFETY: it was made by Box::into_raw, and the caller gives it back.
        drop(unsafe { Box::from_raw(database) });
    }
}

/// Writes the cover of a database, and a zero, into `size` bytes (`text` may be null): `6` means
/// all positions with at most 6 pieces, `7,8:4` also those with at most 8 of which neither side has
/// more than 4. Returns the length of the whole text, which is cut off if it does not fit.
///
/// # Safety
/// `database` must be open, and `text` null or of `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_cover(
    database: *const egdb_database,
    text: *mut c_char,
    size: usize,
) -> c_int {
    // SAFETY: the caller vouches for it.
    let Some(egdb_database(database)) = (unsafe { database.as_ref() }) else {
        return EGDB_INVALID;
    };
    let cover = database.cover().to_string();
    // SAFETY: the caller vouches for the buffer.
    unsafe { write_message(&cover, text, size) };
    c_int::try_from(cover.len()).unwrap_or(c_int::MAX)
}

/// The largest number of pieces of a covered position: no position with more has a value.
///
/// # Safety
/// `database` must be open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_pieces(database: *const egdb_database) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe { database.as_ref() }
        .map_or(EGDB_INVALID, |database| database.0.cover().most_pieces().into())
}

/// Looks up `count` positions; writes a value, `EGDB_UNKNOWN` or `EGDB_INVALID` for each. Parts of
/// files that must be read are read once each, by all processors, so this is how to look up many
/// positions for the first time. Returns 0, or `EGDB_ERROR` and a message.
///
/// # Safety
/// `database` must be open, `positions` and `values` of `count` elements, and `error` null or of
/// `error_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_probe_batch(
    database: *const egdb_database,
    positions: *const egdb_position,
    count: usize,
    values: *mut c_int,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    if database.is_null() || (count > 0 && (positions.is_null() || values.is_null())) {
        return EGDB_INVALID;
    }
    if count == 0 {
        return 0;
    }
    // SAFETY: not null, and the caller vouches for the rest.
    let (database, positions, values) = unsafe {
        (
            &(*database).0,
            std::slice::from_raw_parts(positions, count),
            std::slice::from_raw_parts_mut(values, count),
        )
    };
    let probe = || {
        let board = database.board();
        let read: Vec<Option<Position>> = positions.iter().map(|&p| read(board, p)).collect();
        let valid: Vec<Position> = read.iter().copied().flatten().collect();
        let mut found = database.probe_batch(&valid).map_err(|e| e.to_string())?.into_iter();
        for (value, position) in values.iter_mut().zip(read) {
            *value = position.map_or(EGDB_INVALID, |_| number(found.next().flatten()));
        }
        Ok(0)
    };
    // SAFETY: the caller vouches for the buffer.
    unsafe { guard(probe, error, error_size) }
}

/// The value of a position for the side to move, `EGDB_UNKNOWN`, `EGDB_INVALID`, or `EGDB_ERROR`
/// and a message.
///
/// # Safety
/// As for `egdb_probe_batch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_probe(
    database: *const egdb_database,
    position: egdb_position,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let probe = |database: &Database, position: &Position| {
        database.probe(position).map(number).map_err(|e| e.to_string())
    };
    // SAFETY: the caller vouches for it.
    unsafe { answer(database, position, (error, error_size), probe) }
}

/// From `egdb_probe_cached`: a file would have to be read for the value.
pub const EGDB_NOT_CACHED: c_int = 4;
/// From `egdb_depth`, and in `egdb_move`: there is no depth, because the position is drawn or
/// unknown, or no depths are stored (`prove db --depth`).
pub const EGDB_NO_DEPTH: c_int = -3;

/// Like `egdb_probe`, but reads no file and decodes nothing: if the value is not in memory, it
/// returns `EGDB_NOT_CACHED`. This is for a search that looks many positions up and cannot wait.
///
/// # Safety
/// As for `egdb_probe`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_probe_cached(
    database: *const egdb_database,
    position: egdb_position,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let probe = |database: &Database, position: &Position| match database.probe_cached(position) {
        Ok(Cached::Value(value)) => Ok(number(Some(value))),
        Ok(Cached::Unknown) => Ok(EGDB_UNKNOWN),
        Ok(Cached::NotCached) => Ok(EGDB_NOT_CACHED),
        Err(error) => Err(error.to_string()),
    };
    // SAFETY: the caller vouches for it.
    unsafe { answer(database, position, (error, error_size), probe) }
}

/// The bounds of the value of a position, inclusively, for the side to move: writes `EGDB_LOSS`,
/// `EGDB_DRAW` or `EGDB_WIN` into `lower` and `upper`, which are equal where the value is known.
/// If the database does not cover the position, the bounds follow from the rules and the values
/// of its moves; `EGDB_LOSS` and `EGDB_WIN` mean that nothing is known. Returns 0, `EGDB_INVALID`,
/// or `EGDB_ERROR` and a message.
///
/// # Safety
/// As for `egdb_probe`; `lower` and `upper` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_bounds(
    database: *const egdb_database,
    position: egdb_position,
    lower: *mut c_int,
    upper: *mut c_int,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let find = |database: &Database, position: &Position| {
        let bounds = database.bounds(position).map_err(|e| e.to_string())?;
        for (out, value) in [(lower, bounds.lower), (upper, bounds.upper)] {
            if !out.is_null() {
                // SAFETY: the caller vouches for it.
                unsafe { out.write(number(Some(value))) };
            }
        }
        Ok(0)
    };
    // SAFETY: the caller vouches for it.
    unsafe { answer(database, position, (error, error_size), find) }
}

/// The depth of a won or lost position: the plies until the next capture, crowning or move of a man
/// that keeps the value, that move included, when the winner hurries and the loser delays; 0 for a
/// loss without a move. Otherwise `EGDB_NO_DEPTH`, `EGDB_INVALID`, or `EGDB_ERROR` and a message.
///
/// # Safety
/// As for `egdb_probe`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_depth(
    database: *const egdb_database,
    position: egdb_position,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let find = |database: &Database, position: &Position| plies_number(database.depth(position));
    // SAFETY: the caller vouches for it.
    unsafe { answer(database, position, (error, error_size), find) }
}

/// The plies from a won or lost position to the end of the game if the winner hurries to each next
/// capture, crowning or move of a man, and the loser delays it. The shortest win can be shorter.
/// Otherwise as `egdb_depth`.
///
/// # Safety
/// As for `egdb_probe`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_plies(
    database: *const egdb_database,
    position: egdb_position,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let find = |database: &Database, position: &Position| plies_number(database.plies(position));
    // SAFETY: the caller vouches for it.
    unsafe { answer(database, position, (error, error_size), find) }
}

/// The plies that were found, in C, or a message.
fn plies_number(found: Result<Option<u32>, impl ToString>) -> Result<c_int, String> {
    found.map(depth_number).map_err(|error| error.to_string())
}

/// A depth in C; `EGDB_NO_DEPTH` if there is none.
pub(crate) fn depth_number(depth: Option<u32>) -> c_int {
    depth.and_then(|plies| c_int::try_from(plies).ok()).unwrap_or(EGDB_NO_DEPTH)
}
