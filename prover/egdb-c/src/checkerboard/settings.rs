//! What can be set.

use std::path::PathBuf;
use std::thread::available_parallelism;

/// How an engine is set up. Sizes are in MiB, as the protocol has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The directory of databases: that of the board is `8x8` in it.
    pub database: PathBuf,
    /// Whether one is used.
    pub is_database_used: bool,
    /// Memory for decoded values where no tables are mapped.
    pub database_mib: u64,
    /// Memory for what is remembered of positions.
    pub table_mib: u64,
    /// Threads that search.
    pub threads: usize,
}

impl Settings {
    /// The largest size that is taken, in MiB: 64 GiB.
    pub const MOST_MIB: u64 = 64 << 10;
    /// The most threads that are taken.
    pub const MOST_THREADS: u64 = 256;
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            database: "egdb".into(),
            is_database_used: true,
            database_mib: 256,
            table_mib: 64,
            threads: processors(),
        }
    }
}

/// The processors of this machine.
pub fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}
