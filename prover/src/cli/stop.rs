//! Ctrl-C and similar signals.

use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::Failure;

/// Set when this program is to end.
static STOP: AtomicBool = AtomicBool::new(false);

/// Whether this program is to end.
pub(super) fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Makes the first Ctrl-C or similar signal end the work at the next poll, and the second one the
/// process.
pub(super) fn stop_when_asked() -> Result<(), Failure> {
    let stop = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    match ctrlc::set_handler(stop) {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(e) => Err(Failure::Resource(format!("cannot handle signals: {e}"))),
    }
}
