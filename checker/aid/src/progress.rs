//! How far a check has come, said every two seconds. Nothing that is decided depends on it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(2);

/// What a check is busy with.
#[derive(Debug)]
struct Phase {
    name: &'static str,
    total: u64,
    begun: Instant,
    shown: Instant,
}

/// Says how far the present phase of a check has come. By default nobody is told.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    phase: Mutex<Option<Phase>>,
    print: Option<fn(&str)>,
}

impl Progress {
    /// Hands lines of text to a function.
    pub fn new(print: fn(&str)) -> Progress {
        Progress { print: Some(print), ..Progress::default() }
    }

    /// A phase of so many units of work begins.
    pub fn begin(&self, name: &'static str, total: u64) {
        if let Ok(mut phase) = self.phase.lock() {
            let now = Instant::now();
            *phase = Some(Phase { name, total, begun: now, shown: now });
            self.done.store(0, Relaxed);
        }
    }

    /// Some more units of work are done.
    pub fn add(&self, units: u64) {
        let Some(print) = self.print else { return };
        let done = self.done.fetch_add(units, Relaxed).saturating_add(units);
        // Whoever finds the lock taken goes on with the work: another thread is showing progress.
        if let Ok(mut phase) = self.phase.try_lock()
            && let Some(Phase { name, total, begun, shown }) = &mut *phase
            && shown.elapsed() >= INTERVAL
        {
            *shown = Instant::now();
            let rate = (done / begun.elapsed().as_secs().max(1)).max(1);
            let left = total.saturating_sub(done) / rate;
            print(&format!("{name}: {done} of {total}, {rate}/s, {left} s to go"));
        }
    }

    /// Whether nobody is told.
    pub fn is_silent(&self) -> bool {
        self.print.is_none()
    }

    /// Shows a line of text.
    pub fn show(&self, line: &str) {
        if let Some(print) = self.print {
            print(line);
        }
    }
}
