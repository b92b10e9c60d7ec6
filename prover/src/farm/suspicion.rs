//! Whose results are read: nobody is trusted, and who was wrong three times is not asked again.

use std::collections::HashMap;

/// So many wrong results, and no more are read.
pub const MOST_WRONG: u32 = 3;

/// Wrong results by worker.
#[derive(Debug, Default)]
pub struct Suspicion {
    wrong: HashMap<String, u32>,
}

impl Suspicion {
    /// Counts a wrong result; returns how many there are now of this worker.
    pub fn count(&mut self, worker: &str) -> u32 {
        // Names cost nothing where permissions do not bind them, memory does.
        const MOST_NAMES: usize = 10_000;
        if self.wrong.len() >= MOST_NAMES && !self.wrong.contains_key(worker) {
            return MOST_WRONG;
        }
        let wrong = self.wrong.entry(worker.to_owned()).or_default();
        *wrong += 1;
        *wrong
    }

    /// Whether results of a worker are no longer read.
    pub fn is_refused(&self, worker: &str) -> bool {
        self.wrong.get(worker).is_some_and(|&wrong| wrong >= MOST_WRONG)
    }

    /// The workers whose results are no longer read, at most so many, in order of their names.
    pub fn refused(&self, most: usize) -> Vec<String> {
        let refused = self.wrong.iter().filter(|(_, wrong)| **wrong >= MOST_WRONG);
        let mut names: Vec<String> = refused.map(|(name, _)| name.clone()).collect();
        names.sort();
        names.truncate(most);
        names
    }

    /// Wrong results of a worker.
    pub fn wrong(&self, worker: &str) -> u32 {
        self.wrong.get(worker).copied().unwrap_or(0)
    }

    /// All wrong results.
    pub fn total(&self) -> u64 {
        self.wrong.values().map(|&wrong| u64::from(wrong)).sum()
    }
}
