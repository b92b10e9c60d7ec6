//! `prove engine`.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{
    LimitOptions, MachineOptions, SourceOptions, StoredOptions, ValuesOptions, parse_size,
};
use crate::egdb::Values;
use crate::egdb::numbers::{size_down, size_up};
use clap::Args;
use draughtproof_play::engine::{self, Opened, Parameters, Setup};
use draughtproof_proof::heuristic::Limits;

#[derive(Args, Debug)]
#[command(after_help = notes("engine"))]
pub(crate) struct Options {
    #[command(flatten)]
    sources: SourceOptions,
    /// Play openings by this book, as `prove book` makes it
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Memory of the table in which a search remembers positions, such as 64MiB or 1GiB
    #[arg(long, value_name = "SIZE", default_value = "128MiB", value_parser = parse_size)]
    hash: u64,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

/// The default time for a move.
const TIME: Duration = Duration::from_secs(5);

pub(crate) fn run(options: Options) -> Result<(), Failure> {
    let Options { sources, book, hash, limits, machine } = options;
    // Programs that speak this protocol play checkers, whatever databases are there.
    sources.stored.checkers();
    let used = sources.read()?;
    let (stored, values) = (used.stored, sources.values);
    stored.check_named()?;
    machine.start()?;
    // Clients of the engine read standard error together with standard output.
    let machine = machine.silent();
    let memory = machine.memory();
    // A program with a board shows its user the lines of the protocol, and nothing else.
    let fault = (hash > memory).then(|| {
        let (most, found) = (size_down(memory), size_up(hash));
        format!("--hash: expected at most {most}, found {found}; the table has {most}")
    });
    let parameters = Parameters {
        threads: machine.workers(),
        hash: hash.min(memory),
        most_hash: memory,
        database: stored.folder().into(),
        book: book.unwrap_or_default(),
        ponder: false,
    };
    let open = |parameters: &Parameters| {
        open(&stored, &values, &machine, parameters).map_err(|e| e.to_string())
    };
    let limits = limits.limits(Limits { time: Some(TIME), ..Limits::default() });
    let game = stored.game().clone();
    let setup = Setup { game, parameters, limits, open: &open, proofs: &used.proofs, fault };
    Ok(engine::run(&setup, io::stdin(), io::stdout().lock())?)
}

/// Opens the database. It has to be there unless its folder is the one that the command began with.
fn open(
    stored: &StoredOptions,
    values: &ValuesOptions,
    machine: &MachineOptions,
    parameters: &Parameters,
) -> Result<Opened, Failure> {
    let folder = &parameters.database;
    if folder.as_os_str().is_empty() {
        return Ok(Opened { values: Values::empty(stored.board()), depths: None });
    }
    let values = if folder == stored.folder() {
        stored.open_if_there(machine, values)?
    } else {
        stored.with_folder(folder).open(machine, values)?
    };
    let stored = stored.with_folder(folder);
    let depths = if values.cover().is_empty() { None } else { Some(stored.depths()?) };
    Ok(Opened { values, depths })
}
