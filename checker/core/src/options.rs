//! The options of a check.

use checker_aid::Progress;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;

/// The strength of a check of a database's values (`SPEC.md` §8.5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Level {
    /// Derive all values again from the rules, and compare.
    #[default]
    Exact,
    /// Only check that each value follows from its successors': enough for claims of not losing.
    Consistent,
}

impl Level {
    /// The word for the level in verdicts.
    pub fn word(self) -> &'static str {
        if self == Level::Exact { "exact" } else { "consistent" }
    }
}

/// The options of a check.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder of databases.
    pub db: PathBuf,
    /// The level at which values of the database are checked.
    pub level: Level,
    /// The most bytes that tables of values may take in memory. Where they take more, they are in a
    /// file.
    pub memory: u64,
    /// The folder for that file, which has no name.
    pub scratch: PathBuf,
    /// The number of threads; without it as many as the machine has.
    pub threads: Option<usize>,
    /// The receiver of the check's progress.
    pub progress: Arc<Progress>,
}

impl Options {
    /// The level exact, all memory, all threads, silent.
    pub fn new(db: impl Into<PathBuf>) -> Options {
        let (level, threads, progress) = Default::default();
        let (memory, scratch) = (u64::MAX, env::temp_dir());
        Options { db: db.into(), level, memory, scratch, threads, progress }
    }
}
