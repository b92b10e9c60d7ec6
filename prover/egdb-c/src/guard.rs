//! The reporting of errors to programs in C.

use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use draughtproof_c_text::write_message;

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
