//! Standard output. The program may exit with status 0 only after its text has been written. Where
//! the system limits the size of files, a write beyond the limit fails with an error; without the
//! change below a signal would end the program without a text.
//!
//! Two habits of Rust's library would break this rule, and are worked around. The library's
//! standard output takes a descriptor that cannot be written to for success. And where standard
//! output was closed when the program was started, the library opens a null device in its place
//! before `main`; so this file has to find out before that whether it was open.
#![expect(unsafe_code)]

use std::fs::File;
use std::io::{Error, Result, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

// SAFETY: the system's start-up code calls the functions in this section once, on one thread, as C
// functions; `begin` is one, and needs nothing of the library that is not initialised yet.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = begin;

extern "C" fn begin() {
    // SAFETY: F_GETFD takes any number for a descriptor, has no further argument, and changes
    // nothing.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    WAS_CLOSED.store(flags == -1, Ordering::Relaxed);
    // SAFETY: both are constants of the system, and no handler is set.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Prints `text`.
///
/// # Errors
/// The text could not be written.
pub(crate) fn write(text: &str) -> Result<()> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        return Err(Error::from_raw_os_error(libc::EBADF));
    }
    File::from(std::io::stdout().as_fd().try_clone_to_owned()?).write_all(text.as_bytes())
}
