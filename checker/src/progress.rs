//! Progress on standard error, for whatever takes more than two seconds. Nothing that `check`
//! decides depends on anything here.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(2);

struct Phase {
    name: &'static str,
    total: u64,
    begun: Instant,
    shown: Option<Instant>,
}

/// Says how far the present phase of the work has come.
pub struct Progress {
    quiet: bool,
    terminal: bool,
    done: AtomicU64,
    phase: Mutex<Phase>,
}

impl Progress {
    /// Progress on standard error, or none if `quiet`.
    pub fn new(quiet: bool) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let begun = Instant::now();
        let phase = Mutex::new(Phase { name: "", total: 0, begun, shown: None });
        Progress { quiet, terminal, done: AtomicU64::new(0), phase }
    }

    /// Begins a phase of `total` units of work.
    pub(crate) fn begin(&self, name: &'static str, total: u64) {
        self.end();
        if let Ok(mut phase) = self.phase.lock() {
            *phase = Phase { name, total, begun: Instant::now(), shown: None };
            self.done.store(0, Relaxed);
        }
    }

    /// Some more units of work are done.
    pub(crate) fn add(&self, units: u64) {
        if self.quiet {
            return;
        }
        self.done.fetch_add(units, Relaxed);
        // Whoever finds the lock taken goes on with the work: another thread is showing progress.
        if let Ok(mut phase) = self.phase.try_lock()
            && phase.shown.unwrap_or(phase.begun).elapsed() >= EVERY
        {
            self.show(&mut phase);
        }
    }

    /// Ends the phase.
    pub(crate) fn end(&self) {
        if let Ok(mut phase) = self.phase.lock()
            && phase.shown.is_some()
        {
            self.done.store(phase.total, Relaxed);
            self.show(&mut phase);
            phase.shown = None;
            if self.terminal {
                let _ = writeln!(std::io::stderr());
            }
        }
    }

    fn show(&self, phase: &mut Phase) {
        let seconds = phase.begun.elapsed().as_secs().max(1);
        let done = self.done.load(Relaxed);
        let rate = done / seconds;
        let left = phase.total.saturating_sub(done) / rate.max(1);
        let percent = u128::from(done) * 100 / u128::from(phase.total.max(1));
        let text = format!("{}: {percent}%, {rate}/s, {seconds} s, {left} s to go", phase.name);
        // Nowhere to complain if standard error is gone.
        let _ = if self.terminal {
            write!(std::io::stderr(), "\r\x1b[K{text}")
        } else {
            writeln!(std::io::stderr(), "c {text}")
        };
        phase.shown = Some(Instant::now());
    }
}
