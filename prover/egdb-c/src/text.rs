//! Texts of C, which are bytes up to a zero, and the reporting of errors.

use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::database::EGDB_ERROR;

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

/// Writes a message and a zero into `size` bytes, cut off if need be.
///
/// # Safety
/// `out` must be null or have `size` bytes.
pub(crate) unsafe fn write_message(message: &str, out: *mut c_char, size: usize) {
    if out.is_null() || size == 0 {
        return;
    }
    let lengths = 0..size.min(message.len() + 1);
    let length = lengths.rev().find(|&length| message.is_char_boundary(length)).unwrap_or(0);
    // SAFETY: length < size, and the caller vouches for size.
    unsafe {
        std::ptr::copy_nonoverlapping(message.as_ptr().cast(), out, length);
        out.add(length).write(0);
    }
}
