//! `prove db slice`.

use super::exchange::open_slice_store;
use crate::cli::failure::Failure;
use crate::cli::options::BuildOptions;
use crate::cli::options::notes;
use crate::cli::output::{ResultOptions, Table};
use crate::egdb::numbers::size;
use crate::egdb::{Cover, PairEvent, Slice, Store};
use clap::Args;
use draughtproof_proof::prepare_database::prepare_slices;
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("db slice"))]
pub(super) struct Options {
    /// Build these slices, each with its twin, from finished ones
    #[arg(value_name = "A-B-C-D", required = true, value_parser = parse_slice)]
    slices: Vec<Slice>,
    #[command(flatten)]
    build: BuildOptions,
    /// Fetch slices that are missing in --db from this object store, s3://bucket/prefix or a
    /// directory, and leave there what was built
    #[arg(long, value_name = "PLACE")]
    store: Option<String>,
    /// Use the tables that are in DIR/RxC.tables, and leave those of what was read and built there
    /// for others
    #[arg(long)]
    map: bool,
    #[command(flatten)]
    result: ResultOptions,
}

/// The result for a slice and its twin.
#[derive(Serialize)]
struct Pair {
    slice: String,
    twin: String,
    /// Whether the slices were built by this run.
    built: bool,
    bytes: u64,
}

fn parse_slice(text: &str) -> Result<Slice, String> {
    Slice::parse(text).ok_or_else(|| "expected four numbers, as in 2-0-1-1".into())
}

/// Builds some slices, and reports for each pair whether it was there already.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let (store, cover) = options.build.start()?;
    let table = options.result.begin_table()?;
    check_slices(&options.slices, &store, cover)?;
    let machine = &options.build.machine;
    let progress = machine.progress();
    let elsewhere = open_slice_store(options.store.as_deref(), true, &progress)?;
    if let Some(elsewhere) = &elsewhere {
        let _lock = store.lock_with_others()?;
        elsewhere.fetch_needs(&store, &options.slices)?;
    }
    let memory = machine.memory();
    let done = prepare_slices(&store, cover, &options.slices, memory, options.map, &progress)?;
    if let Some(elsewhere) = &elsewhere {
        elsewhere.leave(&store, &options.slices)?;
    }
    print(&store, &done, table)
}

fn check_slices(slices: &[Slice], store: &Store, cover: &Cover) -> Result<(), Failure> {
    let board = store.board();
    let Some(slice) = slices.iter().find(|slice| !slice.exists(board, cover)) else {
        return Ok(());
    };
    let slice = slice.name().file_name();
    let board = board.name();
    Err(Failure::Input(format!("expected a slice of {board} with {cover} pieces, found {slice}")))
}

fn print(store: &Store, done: &[(Slice, PairEvent)], mut table: Table) -> Result<(), Failure> {
    for &(slice, event) in done {
        let mut bytes = store.record(slice)?.length;
        if slice != slice.twin() {
            bytes += store.record(slice.twin())?.length;
        }
        let [slice, twin] = [slice, slice.twin()].map(|slice| slice.name().file_name());
        let built = event == PairEvent::Built;
        let how = if built { "built" } else { "there, verified" };
        let text = format!("slice {slice} with its twin {twin}: {how}, {}", size(bytes));
        table.row(&Pair { slice, twin, built, bytes }, &text)?;
    }
    table.finish()
}
