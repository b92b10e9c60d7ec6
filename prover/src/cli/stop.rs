//! Ctrl-C and similar signals.

use std::sync::Arc;
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
    stop_also(|| {})
}

/// Like [`stop_when_asked`]; the first signal also sets the flag that ends a search.
pub(super) fn stop_search_when_asked(search: Arc<AtomicBool>) -> Result<(), Failure> {
    stop_also(move || search.store(true, Ordering::Relaxed))
}

fn stop_also(also: impl Fn() + Send + 'static) -> Result<(), Failure> {
    let handled = ctrlc::set_handler(move || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        also();
    });
    match handled {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(e) => Err(Failure::Resource(format!("cannot handle signals: {e}"))),
    }
}
