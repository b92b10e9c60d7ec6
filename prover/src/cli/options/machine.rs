//! Options for threads, memory and progress output, and for the place of a database's values.

use super::parse_size;
use crate::cli::failure::Failure;
use crate::cli::output::QuietOption;
use crate::egdb::limits::free_memory;
use crate::egdb::numbers::{counted, size_down, size_up};
use clap::{Args, ValueEnum};
use draughtproof_proof::heuristic::Limits;
use draughtproof_proof::prepare_database::{Holding, Room};
use draughtproof_proof::progress::{Progress, print_line};
use draughtproof_proof::search::Search;
use std::time::Duration;

/// The resources of the machine that a command may use.
#[derive(Args, Debug)]
pub(crate) struct MachineOptions {
    /// Threads [default: one for each core]. Only what `engine` and `book` find depends on it
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Memory to use at the most, such as 512MiB or 4GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    #[command(flatten)]
    pub(crate) quiet: QuietOption,
}

impl MachineOptions {
    pub(crate) fn progress(&self) -> Progress {
        self.quiet.progress()
    }

    /// Sets the number of threads of this process.
    pub(crate) fn start(&self) -> Result<(), Failure> {
        if self.threads == Some(0) {
            return Err(Failure::Input("--threads: expected at least 1, found 0".into()));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0));
        pool.build_global().map_err(|e| Failure::Resource(format!("cannot start threads: {e}")))
    }

    /// The number of workers of a proof.
    pub(crate) fn workers(&self) -> usize {
        rayon::current_num_threads()
    }

    /// These options without progress output.
    pub(crate) fn silent(self) -> Self {
        MachineOptions { quiet: QuietOption { quiet: true }, ..self }
    }

    /// The bytes of memory that may be used.
    pub(crate) fn memory(&self) -> u64 {
        let free = || free_memory().map(|bytes| bytes / 4 * 3);
        self.memory.or_else(free).unwrap_or(4 << 30)
    }
}

/// The option for the transposition tables of searches.
#[derive(Args, Debug)]
pub(crate) struct TableOption {
    /// Memory of the table of a search, such as 512MiB or 4GiB, and half as much again while it
    /// grows. When it is full the search goes on and forgets what took the least work
    #[arg(long = "leaf-table", value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    pub(crate) bytes: u64,
}

impl TableOption {
    /// Checks that `tables` transposition tables, of searches of `nodes` nodes each, fit into
    /// `memory` bytes. `fewer` is the command's own option that lowers the need, for the error
    /// message.
    pub(crate) fn check(
        &self,
        nodes: u64,
        tables: u64,
        memory: u64,
        fewer: &str,
    ) -> Result<(), Failure> {
        let each = self.bytes.min(Search::most_bytes(nodes));
        let needed = (each + each / 2).saturating_mul(tables);
        if needed <= memory {
            return Ok(());
        }
        Err(Failure::Resource(format!(
            "{} with tables of {} need {}; expected at most {}: use a smaller \
             --leaf-table, fewer {fewer} or more --memory",
            counted(tables, "search"),
            size_up(each),
            size_up(needed),
            size_down(memory)
        )))
    }
}

/// Bounds on the search of one position.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct LimitOptions {
    /// Search each position no deeper than D moves
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=Limits::DEPTH as i64))]
    depth: Option<u32>,
    /// Search no more than N nodes for each position
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Search no longer than S seconds for each position
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    time: Option<Duration>,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| "expected a number of seconds".into())
}

impl LimitOptions {
    /// The given bounds, or `usual` if none is given.
    pub(crate) fn limits(self, usual: Limits) -> Limits {
        if self.depth.is_none() && self.nodes.is_none() && self.time.is_none() {
            return usual;
        }
        Limits {
            depth: self.depth.unwrap_or(Limits::DEPTH),
            nodes: self.nodes.unwrap_or(u64::MAX),
            time: self.time,
        }
    }
}

/// The place of the values.
#[derive(ValueEnum, Debug, Clone, Copy)]
enum ValuesOption {
    /// In memory of this process, decoded when it begins
    Resident,
    /// In files beside the database that all processes share; made once, opened in a moment
    Mapped,
    /// Decoded from the compressed files when they are needed
    Cached,
}

impl From<ValuesOption> for Holding {
    fn from(option: ValuesOption) -> Self {
        match option {
            ValuesOption::Resident => Holding::Resident,
            ValuesOption::Mapped => Holding::Mapped,
            ValuesOption::Cached => Holding::Cached,
        }
    }
}

/// The options for the place of the values, and for the disk that it may take.
#[derive(Args, Debug, Default)]
pub(crate) struct ValuesOptions {
    /// The place of the database's values [default: resident up to 64 MiB, else mapped]
    #[arg(long, value_enum)]
    values: Option<ValuesOption>,
    #[command(flatten)]
    space: MapSpace,
}

/// The option for the disk that mapped tables may take.
#[derive(Args, Debug, Default)]
pub(crate) struct MapSpace {
    /// Disk for mapped tables, such as 20GiB; slices for which there is no room are cached
    /// [default: 32GiB, at most half of what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    map_space: Option<u64>,
}

impl ValuesOptions {
    pub(crate) fn room(&self, machine: &MachineOptions) -> Room {
        Room { holding: self.values.map(Into::into), ..self.space.room(machine) }
    }

    /// The room for look-ups of single positions, for which no tables are made.
    pub(super) fn room_as_there(&self, machine: &MachineOptions) -> Room {
        let room = self.room(machine);
        Room { holding: room.holding.or(Some(Holding::MappedIfThere)), ..room }
    }
}

impl MapSpace {
    pub(crate) fn room(&self, machine: &MachineOptions) -> Room {
        Room { memory: machine.memory(), holding: None, map_space: self.map_space }
    }
}

/// Systems other than Unix do not let a mapped file be cut short.
#[cfg(not(unix))]
pub(crate) fn say_when_a_file_is_cut() {}

/// Installs a handler that prints a message and exits with status 3 where the operating system
/// would end the program without a message: when another program has cut a mapped file short, or
/// when the disk fails to read it.
#[cfg(unix)]
pub(crate) fn say_when_a_file_is_cut() {
    /// The exit status when files cannot be read.
    const FAILED: i32 = 3;
    const TEXT: &[u8] = b"prove: a table of the database was cut short or cannot be read; \
        run the same command again, or `prove db unmap` first\n";
    let say = || {
        // A signal handler may make no other calls than these.
        let _ = rustix::io::write(rustix::stdio::stderr(), TEXT);
        signal_hook::low_level::exit(FAILED);
    };
    // SAFETY: the handler makes two system calls that are safe in signal handlers, and ends.
    let registered = unsafe { signal_hook::low_level::register(signal_hook::consts::SIGBUS, say) };
    if let Err(error) = registered {
        print_line(&format!("prove: cannot handle SIGBUS: {error}"));
    }
}
