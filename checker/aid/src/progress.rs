//! The progress of a check, shown every two seconds. No decision depends on it.

use crate::numbers::{grouped, time};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(2);

/// The phase that a check is in, with its total of units and when it began and was last shown.
#[derive(Debug)]
struct Phase {
    name: &'static str,
    total: u64,
    begun: Instant,
    shown: Instant,
}

/// Reports how far the present phase of a check has come. The default reports nothing.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    phase: Mutex<Option<Phase>>,
    print: Option<fn(&str)>,
}

impl Progress {
    /// Reports by passing lines of text to `print`.
    pub fn new(print: fn(&str)) -> Progress {
        Progress { print: Some(print), ..Progress::default() }
    }

    /// Begins a phase of `total` units of work.
    pub fn begin(&self, name: &'static str, total: u64) {
        if let Ok(mut phase) = self.phase.lock() {
            let now = Instant::now();
            *phase = Some(Phase { name, total, begun: now, shown: now });
            self.done.store(0, Relaxed);
        }
    }

    /// Counts more units of work as done.
    pub fn add(&self, units: u64) {
        let Some(print) = self.print else { return };
        let done = self.done.fetch_add(units, Relaxed).saturating_add(units);
        // A thread that finds the lock taken goes on with its work: another thread is reporting.
        if let Ok(mut phase) = self.phase.try_lock()
            && let Some(Phase { name, total, begun, shown }) = &mut *phase
            && shown.elapsed() >= INTERVAL
        {
            *shown = Instant::now();
            print(&describe(name, done, *total, begun.elapsed().as_secs()));
        }
    }

    /// Reports a line of text.
    pub fn show(&self, line: &str) {
        if let Some(print) = self.print {
            print(line);
        }
    }
}

/// Describes the progress of a phase after this many seconds. A total of 0 is unknown, so that no
/// end can be forecast.
fn describe(name: &str, done: u64, total: u64, seconds: u64) -> String {
    let rate = grouped(done / seconds.max(1));
    let [so_far, all] = [done, total].map(grouped);
    if total == 0 {
        return format!("{name}: {so_far} so far, {rate}/s");
    }
    if done == 0 {
        return format!("{name}: 0 of {all}");
    }
    let left = u128::from(total.saturating_sub(done)) * u128::from(seconds) / u128::from(done);
    let left = time(u64::try_from(left).unwrap_or(u64::MAX));
    format!("{name}: {so_far} of {all}, {rate}/s, {left} to go")
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn a_phase_without_a_known_total_has_no_end() {
        assert_eq!(describe("reading", 30, 90, 3), "reading: 30 of 90, 10/s, 6 s to go");
        assert_eq!(describe("checking blocks", 30, 0, 3), "checking blocks: 30 so far, 10/s");
        assert_eq!(describe("reading", 0, 90, 0), "reading: 0 of 90");
        assert_eq!(describe("decoding", 3, 9, 30), "decoding: 3 of 9, 0/s, 1 min 0 s to go");
    }
}
