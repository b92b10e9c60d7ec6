//! `prove db build`.

use super::exchange::{open_slice_store, print_database};
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{BuildOptions, MachineOptions, MapSpace};
use crate::cli::output::ResultOptions;
use crate::egdb::numbers::{counted, size, time};
use crate::egdb::{BuildError, BuildSession, Cover, Forecast, Forecaster, Slice, Store};
use clap::Args;
use draughtproof_proof::prepare_database::{Room, check_depth_memory, prepare, prepare_depths};

#[derive(Args, Debug)]
#[command(after_help = notes("db build"))]
pub(super) struct Options {
    #[command(flatten)]
    build: BuildOptions,
    /// Store the depths of wins and losses, too, beside the database: in DIR/RxC.depth
    #[arg(long)]
    depth: bool,
    /// If some slices need more memory than there may be, build the others, and leave the rest to a
    /// run with more
    #[arg(long)]
    partly: bool,
    /// Fetch slices that are missing in --db from this object store, s3://bucket/prefix or a
    /// directory
    #[arg(long, value_name = "PLACE")]
    store: Option<String>,
    #[command(flatten)]
    space: MapSpace,
    #[command(flatten)]
    result: ResultOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let machine = &options.build.machine;
    let progress = machine.progress();
    let (store, cover) = options.build.start()?;
    let table = options.result.begin_table()?;
    if let Some(slices) = open_slice_store(options.store.as_deref(), false, &progress)? {
        let _lock = store.lock_with_others()?;
        slices.fetch_all(&store, cover)?;
    }
    let room = options.space.room(machine);
    // If the depths are there already, no memory is needed to find them.
    if options.depth && !store.finished()?.0.includes(cover) {
        check_depth_memory(store.board(), cover, machine.memory())?;
    }
    if !options.partly && !store.finished()?.0.includes(cover) {
        let need = BuildSession::least_memory_with_files(store.board(), cover);
        BuildError::check_memory(store.board(), cover, need, room.memory)?;
    }
    announce(&store, cover, &room, machine)?;
    prepare(&store, cover, &room, options.partly, &progress)?;
    if options.depth {
        prepare_depths(&store, cover, machine.memory(), &progress)?;
    }
    print_database(&store, cover, table)
}

/// The indices that are built in a moment, so that no forecast is made.
const FEW: u64 = 1_000_000_000;
/// The seconds after which a user should know how to stop a build.
const LONG: f64 = 3600.0;

/// Says how long a large build will take, and how much disk and memory.
fn announce(
    store: &Store,
    cover: &Cover,
    room: &Room,
    machine: &MachineOptions,
) -> Result<(), Failure> {
    let board = store.board();
    let missing: Vec<Slice> =
        Slice::all(board, cover).into_iter().filter(|slice| !store.has_slice(*slice)).collect();
    let indices = |slices: &[Slice]| slices.iter().map(|slice| slice.indices(board)).sum::<u64>();
    if machine.quiet.quiet || indices(&missing) <= FEW {
        return Ok(());
    }
    let scratch = tempfile::tempdir().map_err(|e| Failure::file(std::env::temp_dir(), e))?;
    machine.progress().say("measuring this machine, for a forecast".into());
    let (memory, space) = (room.memory, room.map_space(store)?);
    let in_files = BuildSession::least_memory(board, cover) > memory;
    let forecasts = Forecaster::new(store, scratch.path(), memory)?.forecast(cover);
    let mut left = Left::default();
    let mut smaller = None;
    let free = store.free_space()?;
    for forecast in &forecasts {
        let of_it = |slice: &Slice| slice.pieces() == forecast.pieces;
        let some: Vec<Slice> = missing.iter().copied().filter(of_it).collect();
        left.add(forecast, indices(&some) as f64 / forecast.indices.max(1) as f64);
        if !left.is_much(free) {
            smaller = Some((forecast.pieces, left));
        }
    }
    if in_files {
        // Tables that do not fit into memory, of all numbers of pieces but the last.
        let tables = forecasts.iter().rev().skip(1).map(|forecast| forecast.tables).sum::<u64>();
        left.bytes += tables.min(space) as f64;
    }
    let need = BuildSession::least_memory_with_files(board, cover);
    let what = board.name();
    machine.progress().say(format!(
        "database {what} with {cover} pieces: about {} with {} and {} of disk, of \
         which {} are free; at least {} of memory, of which {} may be used",
        time(left.seconds),
        counted(machine.workers(), "thread"),
        size(left.bytes as u64),
        size(free),
        size(need),
        size(memory),
    ));
    if left.is_much(free) {
        let smaller = smaller.map_or(String::new(), |(pieces, left)| {
            let (took, disk) = (time(left.seconds), size(left.bytes as u64));
            format!("; smaller: --pieces {pieces} takes about {took} and {disk}")
        });
        machine.progress().say(format!(
            "Ctrl-C stops it at any time, and the same command goes on from what is finished{smaller}"
        ));
    }
    Ok(())
}

/// The forecast of what is to be built.
#[derive(Default, Clone, Copy)]
struct Left {
    seconds: f64,
    bytes: f64,
}

impl Left {
    /// Adds the share of a forecast that is not built yet.
    fn add(&mut self, forecast: &Forecast, share: f64) {
        self.seconds += share * forecast.seconds;
        self.bytes += share * forecast.bytes;
    }

    /// Whether a user should be warned: of more than an hour, or more than half of the free disk.
    fn is_much(&self, free: u64) -> bool {
        self.seconds > LONG || self.bytes > free as f64 / 2.0
    }
}
