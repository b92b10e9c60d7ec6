//! How to check.

use checker_aid::Progress;
use std::path::PathBuf;
use std::sync::Arc;

/// How well the values of a database are checked (`SPEC.md` §8.5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Level {
    /// Derive all values again from the rules, and compare.
    #[default]
    Exact,
    /// Only check that each value follows from its successors': enough for claims of not losing.
    Consistent,
}

impl Level {
    /// What verdicts call it.
    pub fn word(self) -> &'static str {
        if self == Level::Exact { "exact" } else { "consistent" }
    }
}

/// How to check.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder of databases.
    pub db: PathBuf,
    /// How well to check values of the database.
    pub level: Level,
    /// The most bytes that tables of values may take.
    pub memory: u64,
    /// The number of threads; without it as many as the machine has.
    pub threads: Option<usize>,
    /// Where to say how far the check has come.
    pub progress: Arc<Progress>,
}

impl Options {
    /// The level exact, all memory, all threads, silent.
    pub fn new(db: impl Into<PathBuf>) -> Options {
        let (level, threads, progress) = Default::default();
        Options { db: db.into(), level, memory: u64::MAX, threads, progress }
    }
}
