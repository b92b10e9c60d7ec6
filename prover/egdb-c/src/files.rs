//! The databases in a directory, and the verification of their files.

use std::ffi::{c_char, c_int, c_void};

use draughtproof_c_text::write_message;
use draughtproof_egdb::{Store, StoreError};

use crate::database::{board, directory, guard};

/// From `egdb_verify`: the caller has stopped it.
pub const EGDB_STOPPED: c_int = -4;
/// The bytes of the text of a cover in `egdb_identity`, its zero included.
pub const EGDB_COVER_SIZE: usize = 64;
/// The bytes of the text of a root in `egdb_identity`, its zero included.
pub const EGDB_ROOT_SIZE: usize = 65;

/// The identity of a database.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct egdb_identity {
    /// The number of rows of its board.
    pub rows: u32,
    /// The number of columns of its board.
    pub columns: u32,
    /// The largest number of pieces that it covers.
    pub pieces: u32,
    /// The number of its slices, each of which is a file.
    pub slices: u32,
    /// The bytes of these files together.
    pub bytes: u64,
    /// The text of its cover, as from `egdb_cover`.
    pub cover: [c_char; EGDB_COVER_SIZE],
    /// Its root: a hash over the list of all files, in hexadecimal digits.
    pub root: [c_char; EGDB_ROOT_SIZE],
}

/// A callback of `egdb_verify` with the number of verified bytes and that of all bytes; it returns
/// 0 to go on.
#[allow(non_camel_case_types)]
pub type egdb_progress =
    Option<unsafe extern "C" fn(context: *mut c_void, done: u64, total: u64) -> c_int>;

/// Identifies the database of the board rows x columns in a directory, without opening it or
/// reading more than its list of files. Returns 1 if there is one, 0 if there is none, or
/// `EGDB_ERROR` and a message. If rows and columns are 0, the database of the largest board is
/// identified. `identity` may be null.
///
/// # Safety
/// `path` must be a string that ends with a zero, `identity` null or a place for one, and `error`
/// null or of `error_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_identify(
    path: *const c_char,
    rows: u32,
    columns: u32,
    identity: *mut egdb_identity,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let identify = || {
        // SAFETY: the caller vouches for the string.
        let directory = unsafe { directory(path) }?;
        let boards = match (rows, columns) {
            (0, 0) => all_boards(),
            _ => vec![(rows, columns)],
        };
        for (rows, columns) in boards {
            let store = Store::new(directory.as_ref(), &board(rows, columns)?);
            let manifest = match store.manifest() {
                Err(StoreError::Missing { .. }) => continue,
                manifest => manifest.map_err(|e| e.to_string())?,
            };
            let mut found = egdb_identity {
                rows,
                columns,
                pieces: manifest.cover.most_pieces().into(),
                slices: u32::try_from(manifest.slices.len()).unwrap_or(u32::MAX),
                bytes: manifest.slices.iter().map(|slice| slice.length).sum(),
                cover: [0; EGDB_COVER_SIZE],
                root: [0; EGDB_ROOT_SIZE],
            };
            let cover = manifest.cover.to_string();
            let root = manifest.root().to_string();
            // SAFETY: the arrays have as many bytes.
            unsafe {
                write_message(&cover, found.cover.as_mut_ptr(), found.cover.len());
                write_message(&root, found.root.as_mut_ptr(), found.root.len());
            }
            if !identity.is_null() {
                // SAFETY: the caller vouches for it.
                unsafe { identity.write(found) };
            }
            return Ok(1);
        }
        Ok(0)
    };
    // SAFETY: the caller vouches for the buffer.
    unsafe { guard(identify, error, error_size) }
}

/// Verifies that the files of the database of the board rows x columns are undamaged: all of them
/// are read, and their lengths and hashes compared with those in its list, whose own hash is the
/// root. `progress` (may be null) is called with `context` after each file. Returns 0,
/// `EGDB_STOPPED`, or `EGDB_ERROR` and a message that names the first file that differs. Depths and
/// mapped tables are not verified here, but when they are read.
///
/// # Safety
/// `path` must be a string that ends with a zero, `progress` null or such a function, and `error`
/// null or of `error_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_verify(
    path: *const c_char,
    rows: u32,
    columns: u32,
    progress: egdb_progress,
    context: *mut c_void,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let verify = || {
        // SAFETY: the caller vouches for the string.
        let directory = unsafe { directory(path) }?;
        let store = Store::new(directory.as_ref(), &board(rows, columns)?);
        let slices = store.manifest().map_err(|e| e.to_string())?.slices;
        let total = slices.iter().map(|slice| slice.length).sum();
        let mut done = 0;
        for slice in &slices {
            store.verify_slice(slice).map_err(|e| e.to_string())?;
            done += slice.length;
            // SAFETY: the caller vouches for the function.
            let answer = progress.map_or(0, |progress| unsafe { progress(context, done, total) });
            if answer != 0 {
                return Ok(EGDB_STOPPED);
            }
        }
        Ok(0)
    };
    // SAFETY: the caller vouches for the buffer.
    unsafe { guard(verify, error, error_size) }
}

/// The numbers of rows and columns of all boards, the largest first.
fn all_boards() -> Vec<(u32, u32)> {
    let sizes = (1..=8).flat_map(|rows| (1..=8).map(move |columns| (rows, columns)));
    let mut boards: Vec<_> =
        sizes.filter(|&(rows, columns)| board(rows, columns).is_ok()).collect();
    boards.sort_by_key(|&(rows, columns)| std::cmp::Reverse((rows * columns, rows)));
    boards
}
