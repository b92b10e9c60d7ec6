//! Counts of the wrong results of each worker. No worker is trusted, and the results of a worker
//! with three wrong ones are no longer read.

use std::collections::HashMap;

/// The number of wrong results after which no more results of a worker are read.
pub(super) const MOST_WRONG: u32 = 3;

/// The number of wrong results of each worker.
#[derive(Debug, Default)]
pub(super) struct WrongResults {
    wrong: HashMap<String, u32>,
}

impl WrongResults {
    /// Counts a wrong result; returns the number of wrong results of this worker.
    pub(super) fn count(&mut self, worker: &str) -> u32 {
        // The number of names is bounded: where permissions do not bind them, a client may invent
        // any number of names, and each takes memory.
        const MOST_NAMES: usize = 10_000;
        if self.wrong.len() >= MOST_NAMES && !self.wrong.contains_key(worker) {
            return MOST_WRONG;
        }
        let wrong = self.wrong.entry(worker.to_owned()).or_default();
        *wrong += 1;
        *wrong
    }

    /// Whether results of a worker are no longer read.
    pub(super) fn is_refused(&self, worker: &str) -> bool {
        self.wrong.get(worker).is_some_and(|&wrong| wrong >= MOST_WRONG)
    }

    /// The names of at most `most` workers whose results are no longer read, in ascending order.
    pub(super) fn refused(&self, most: usize) -> Vec<String> {
        let refused = self.wrong.iter().filter(|(_, wrong)| **wrong >= MOST_WRONG);
        let mut names: Vec<String> = refused.map(|(name, _)| name.clone()).collect();
        names.sort();
        names.truncate(most);
        names
    }

    /// The number of wrong results of a worker.
    pub(super) fn wrong(&self, worker: &str) -> u32 {
        self.wrong.get(worker).copied().unwrap_or(0)
    }

    /// The number of wrong results of all workers.
    pub(super) fn total(&self) -> u64 {
        self.wrong.values().map(|&wrong| u64::from(wrong)).sum()
    }
}
