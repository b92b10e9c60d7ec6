//! Progress on standard error, for whatever takes more than two seconds.

use checker::Progress;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(2);

#[derive(Debug)]
struct Phase {
    name: &'static str,
    total: u64,
    begun: Instant,
    shown: Instant,
}

/// Says how far the present phase of the work has come.
#[derive(Debug)]
pub(crate) struct Shown {
    done: AtomicU64,
    phase: Mutex<Phase>,
}

impl Shown {
    pub(crate) fn new() -> Shown {
        let now = Instant::now();
        let phase = Mutex::new(Phase { name: "", total: 0, begun: now, shown: now });
        Shown { done: AtomicU64::new(0), phase }
    }
}

impl Progress for Shown {
    fn begin(&self, name: &'static str, total: u64) {
        if let Ok(mut phase) = self.phase.lock() {
            let now = Instant::now();
            *phase = Phase { name, total, begun: now, shown: now };
            self.done.store(0, Relaxed);
        }
    }

    fn add(&self, units: u64) {
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

    fn show(&self, line: &str) {
        let _ = writeln!(std::io::stderr(), "c {line}");
    }
}
