//! Progress on standard error, for whatever takes more than two seconds. Nothing that `check`
//! decides depends on anything here.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(2);

struct Phase {
    name: &'static str,
    total: u64,
    begun: Instant,
    shown: Instant,
}

/// Says how far the present phase of the work has come.
pub struct Progress {
    quiet: bool,
    done: AtomicU64,
    phase: Mutex<Phase>,
}

impl Progress {
    /// Progress on standard error, or none if `quiet`.
    pub fn new(quiet: bool) -> Progress {
        let now = Instant::now();
        let phase = Mutex::new(Phase { name: "", total: 0, begun: now, shown: now });
        Progress { quiet, done: AtomicU64::new(0), phase }
    }

    /// Begins a phase of `total` units of work.
    pub(crate) fn begin(&self, name: &'static str, total: u64) {
        if let Ok(mut phase) = self.phase.lock() {
            let now = Instant::now();
            *phase = Phase { name, total, begun: now, shown: now };
            self.done.store(0, Relaxed);
        }
    }

    /// Shows a line of the certificate, which its decoder has found to be printable.
    pub(crate) fn show(&self, line: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "c {line}");
        }
    }

    /// Some more units of work are done.
    pub(crate) fn add(&self, units: u64) {
        if self.quiet {
            return;
        }
        let done = self.done.fetch_add(units, Relaxed).saturating_add(units);
        // Whoever finds the lock taken goes on with the work: another thread is showing progress.
        if let Ok(mut phase) = self.phase.try_lock()
            && phase.shown.elapsed() >= EVERY
        {
            phase.shown = Instant::now();
            let Phase { name, total, begun, .. } = *phase;
            let rate = (done / begun.elapsed().as_secs().max(1)).max(1);
            let left = total.saturating_sub(done) / rate;
            let text = format!("c {name}: {done} of {total}, {rate}/s, {left} s to go");
            // Nowhere to complain if standard error is gone.
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }
}
