//! Options for the place of a database's values while a command looks positions up.

use super::{MachineOptions, parse_size};
use clap::{Args, ValueEnum};
use draughtproof_proof::prepare_database::{Holding, Room};
use draughtproof_proof::progress::print_line;

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
