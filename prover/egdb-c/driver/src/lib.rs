//! The interface of KingsRow's database driver for English checkers over a database of 8x8:
//! programs written for that driver find its functions here. The header is `include/egdb.h`, which
//! describes each of them. No panic leaves the library.
//!
//! It is a library of its own, because the C library has another function `egdb_open`.

mod handle;

pub use handle::Driver;

use std::ffi::{CStr, c_char, c_int};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use draughtproof_egdb::{Database, Mode, Store};
use draughtproof_game::Board;
use handle::{Bitboards, Messages, Open};

/// The kind that our databases are said to be. Of this kind, programs look positions with up to 5
/// pieces a side up, and of the others fewer.
const EGDB_KINGSROW32_WLD_TUN: c_int = 9;

/// Opens a database; returns null on failure.
///
/// # Safety
/// `directory` must be null or a string that ends with a zero, and `messages` null or such a
/// function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_open(
    bitboard_type: c_int,
    pieces: c_int,
    cache_mb: c_int,
    directory: *const c_char,
    messages: Option<unsafe extern "C" fn(*mut c_char)>,
) -> *mut Driver {
    let messages = Messages(messages);
    let opened = catch_unwind(|| {
        let bitboards = Bitboards::new(bitboard_type)?;
        // SAFETY: the caller vouches for the string.
        let directory = unsafe { path(directory) }?;
        open(directory, bitboards, pieces, cache_mb, messages)
    });
    match opened.unwrap_or_else(|_| Err("internal error".into())) {
        Ok(open) => Box::into_raw(Box::new(Driver::new(open))),
        Err(message) => {
            messages.say(&message);
            std::ptr::null_mut()
        }
    }
}

fn open(
    directory: PathBuf,
    bitboards: Bitboards,
    pieces: c_int,
    cache_mb: c_int,
    messages: Messages,
) -> Result<Open, String> {
    let memory = u64::try_from(cache_mb).unwrap_or(0) << 20;
    let database =
        Database::open(&directory, &board()?, Mode::Mapped(memory)).map_err(|e| e.to_string())?;
    let most = u32::from(database.cover().most_pieces());
    let pieces = u32::try_from(pieces).ok().filter(|pieces| (1..=most).contains(pieces));
    let pieces = pieces.ok_or_else(|| format!("pieces: expected 1 to {most}"))?;
    messages.say(&format!("database of 8x8 opened, pieces {}", database.cover()));
    Ok(Open::new(database, directory, bitboards, pieces, messages))
}

/// Identifies the database in a directory; returns 0 if there is one.
///
/// # Safety
/// `directory` must be null or a string that ends with a zero, and the other pointers null or places
/// for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_identify(
    directory: *const c_char,
    egdb_type: *mut c_int,
    max_pieces: *mut c_int,
) -> c_int {
    // SAFETY: the caller vouches for the string.
    let found = catch_unwind(|| most_pieces(&unsafe { path(directory) }?));
    let Ok(Ok(pieces)) = found else { return 1 };
    for (out, number) in [(egdb_type, EGDB_KINGSROW32_WLD_TUN), (max_pieces, pieces)] {
        if !out.is_null() {
            // SAFETY: the caller vouches for it.
            unsafe { out.write(number) };
        }
    }
    0
}

fn most_pieces(directory: &Path) -> Result<c_int, String> {
    let manifest = Store::new(directory, &board()?).manifest().map_err(|e| e.to_string())?;
    Ok(manifest.cover.most_pieces().into())
}

fn board() -> Result<Board, String> {
    Board::new(8, 8).ok_or_else(|| "internal error".into())
}

/// The path in a C string.
///
/// # Safety
/// `path` must be null or end with a zero.
unsafe fn path(path: *const c_char) -> Result<PathBuf, String> {
    if path.is_null() {
        return Err("directory: expected a path, found null".into());
    }
    // SAFETY: the caller vouches for the string.
    let path = unsafe { CStr::from_ptr(path) };
    path.to_str().map(PathBuf::from).map_err(|_| "directory: expected UTF-8".into())
}
