//! Times of a build as they would be if no other program had used the processors.

use std::fs;
use std::time::Instant;

/// Measures how long work takes, without the time in which other programs had the processors.
pub(super) struct Stopwatch {
    start: Instant,
    threads: Threads,
}

impl Stopwatch {
    pub(super) fn start() -> Stopwatch {
        Stopwatch { start: Instant::now(), threads: Threads::now() }
    }

    /// The seconds since the start, times the share of its runnable time in which this program did
    /// run. Where the system does not say that share, other programs count.
    pub(super) fn seconds(&self) -> f64 {
        let passed = self.start.elapsed().as_secs_f64();
        let now = Threads::now();
        let ran = now.ran.saturating_sub(self.threads.ran) as f64;
        let waited = now.waited.saturating_sub(self.threads.waited) as f64;
        if ran > 0.0 { passed * ran / (ran + waited) } else { passed }
    }
}

/// The times that all threads of this program have spent so far, in nanoseconds.
#[derive(Default)]
struct Threads {
    /// Running.
    ran: u64,
    /// Ready to run, while other threads had the processors.
    waited: u64,
}

impl Threads {
    /// As Linux says it (`Documentation/scheduler/sched-stats.rst`); zeros elsewhere.
    fn now() -> Threads {
        let mut all = Threads::default();
        for task in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let mut numbers = text.split_whitespace().map_while(|word| word.parse::<u64>().ok());
            all.ran += numbers.next().unwrap_or(0);
            all.waited += numbers.next().unwrap_or(0);
        }
        all
    }
}
