//! Texts of C, which are bytes up to a zero.

use std::ffi::c_char;

/// Writes a message and a zero into `size` bytes, cut off if need be.
///
/// # Safety
/// `out` must be null or have `size` bytes.
pub unsafe fn write_message(message: &str, out: *mut c_char, size: usize) {
    if out.is_null() || size == 0 {
        return;
    }
    let lengths = 0..size.min(message.len() + 1);
    let length = lengths.rev().find(|&length| message.is_char_boundary(length)).unwrap_or(0);
    // SAFETY: length < size, and the caller vouches for size. The zero is written first, since
    // threads of CheckerBoard read the text meanwhile.
    unsafe {
        out.add(length).write_volatile(0);
        std::ptr::copy_nonoverlapping(message.as_ptr().cast(), out, length);
    }
}

/// Reads the bytes up to the first zero, and not beyond it; `None` if there is none among the first
/// `most`.
///
/// # Safety
/// `text` must have `most` bytes, or a zero before.
pub unsafe fn read_bytes(text: *const c_char, most: usize) -> Option<Vec<u8>> {
    let text = text.cast::<u8>();
    let mut bytes = Vec::new();
    for n in 0..most {
        // SAFETY: there was no zero yet, and the caller vouches for the bytes up to it.
        let byte = unsafe { *text.add(n) };
        if byte == 0 {
            return Some(bytes);
        }
        bytes.push(byte);
    }
    None
}
