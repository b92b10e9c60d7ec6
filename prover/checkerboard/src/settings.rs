//! The settings of an engine.

use std::path::PathBuf;
use std::thread::available_parallelism;

/// The settings of an engine. Sizes are in MiB, as in the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The directory of databases; the database of the board is its subdirectory `8x8`.
    pub database: PathBuf,
    pub is_database_used: bool,
    /// The memory for decoded values of slices without a mapped table, in MiB.
    pub database_mib: u64,
    /// The memory of the transposition table, in MiB.
    pub table_mib: u64,
    /// The number of threads that search.
    pub threads: usize,
}

impl Settings {
    /// The largest accepted size, in MiB: 64 GiB.
    pub const MOST_MIB: u64 = 64 << 10;
    /// The largest accepted number of threads.
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

/// The number of processors of this machine.
pub fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}
