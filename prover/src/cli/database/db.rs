//! `prove db`: one command for each thing that is done to a database.

use clap::{Args, Subcommand};
#[cfg(feature = "farm")]
use draughtproof_farm::SliceStore;
use draughtproof_proof::progress::Progress;
use serde::Serialize;

use super::{build, compare, exchange, slice, tables};
use crate::cli::failure::Failure;
#[cfg(not(feature = "farm"))]
use crate::cli::left_out::SliceStore;
use crate::cli::notes::notes;
use crate::cli::output::Table;
use crate::egdb::numbers::{counted, size};
use crate::egdb::{Cover, Store};

#[derive(Args, Debug)]
// The options of `build` have the group of this name.
#[group(skip)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = notes("db")
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    build: build::Options,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Build a database, or verify and extend the one that is there.
    Build(build::Options),
    /// Build some slices from finished ones, beside other processes and machines.
    Slice(slice::Options),
    /// Make the tables that searches map into memory.
    Map(tables::MapOptions),
    /// Remove those tables.
    Unmap(tables::UnmapOptions),
    /// Write a database to a directory that can be copied.
    Export(exchange::ExportOptions),
    /// Take a database from such a directory.
    Import(exchange::ImportOptions),
    /// Compare the values of another program with a database.
    Compare(compare::Options),
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    match &options.command {
        None => build::run(&options.build),
        Some(Command::Build(options)) => build::run(options),
        Some(Command::Slice(options)) => slice::run(options),
        Some(Command::Map(options)) => tables::run_map(options),
        Some(Command::Unmap(options)) => tables::run_unmap(options),
        Some(Command::Export(options)) => exchange::run_export(options),
        Some(Command::Import(options)) => exchange::run_import(options),
        Some(Command::Compare(options)) => compare::run(options),
    }
}

/// A database that is there.
#[derive(Serialize)]
struct Database {
    board: String,
    pieces: String,
    slices: usize,
    bytes: u64,
    root: String,
}

/// Prints the database of a cover, as the whole result.
pub(super) fn print_database(
    store: &Store,
    cover: &Cover,
    mut table: Table,
) -> Result<(), Failure> {
    let manifest = store.manifest_of(cover)?;
    let database = Database {
        board: store.board().name(),
        pieces: cover.to_string(),
        slices: manifest.slices.len(),
        bytes: manifest.slices.iter().map(|s| s.length).sum(),
        root: manifest.root().to_string(),
    };
    let Database { board, pieces, slices, bytes, root } = &database;
    let text = format!(
        "database {board} with {pieces} pieces: {}, {}, root={root}",
        counted(*slices, "slice"),
        size(*bytes)
    );
    table.row(&database, &text)?;
    table.finish()
}

/// The object store of `--store`, if there is one. A directory is made if it `is_made`.
pub(super) fn open_slice_store(
    place: Option<&str>,
    is_made: bool,
    progress: &Progress,
) -> Result<Option<SliceStore>, Failure> {
    let Some(place) = place else { return Ok(None) };
    Ok(Some(SliceStore::open(place, is_made, progress)?))
}
