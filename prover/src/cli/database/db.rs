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
use crate::cli::output::Table;
use crate::egdb::numbers::{counted, size};
use crate::egdb::{Cover, Store};

#[derive(Args, Debug)]
// The options of `build` have the group of this name.
#[group(skip)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  prove db --game 8x8 --pieces 5 --db egdb --depth    like `prove db build`
  prove db map --game 8x8                             tables for searches, before the first search
  prove db slice 2-0-1-1 --game 8x8 --pieces 5        a part, beside other processes and machines
  prove db export 8x8-5 --game 8x8 --pieces 5         a directory to copy to another machine
  prove db import 8x8-5 --game 8x8                    puts the database in place on that machine
  prove db compare other.tsv --game 8x8               compares values of another program with it

Without a command a database is built. What is there is verified against its hashes and used. Each slice is \
written as soon as it and its twin are solved; so the command can be killed at any time, started again, and goes \
on from there.

With --store, slices that are missing in --db are fetched from an object store if they are there; `prove db slice` \
also leaves there what was built. For S3 the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, for \
another server, AWS_ENDPOINT_URL (with AWS_ALLOW_HTTP=true if it has no TLS) say how one gets in."
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
