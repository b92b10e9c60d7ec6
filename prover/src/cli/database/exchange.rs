//! `prove db export` and `prove db import`.

use std::path::PathBuf;

use crate::cli::failure::Failure;
#[cfg(not(feature = "farm"))]
use crate::cli::left_out::SliceStore;
use crate::cli::notes::notes;
use crate::cli::options::{DatabaseOption, GameOption, SMALL, StoredOptions, check_cover};
use crate::cli::output::{QuietOption, ResultOptions, Table};
use crate::egdb::exchange::{export, import};
use crate::egdb::numbers::{counted, size};
use crate::egdb::{Cover, Store};
use clap::Args;
#[cfg(feature = "farm")]
use draughtproof_farm::SliceStore;
use draughtproof_proof::progress::Progress;
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("db export"))]
pub(super) struct ExportOptions {
    /// The directory to write
    #[arg(value_name = "OUT")]
    directory: PathBuf,
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    quiet: QuietOption,
}

#[derive(Args, Debug)]
#[command(after_help = notes("db import"))]
pub(super) struct ImportOptions {
    /// The directory that `prove db export` has written
    #[arg(value_name = "FROM")]
    from: PathBuf,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    db: DatabaseOption,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    quiet: QuietOption,
}

/// The directory that was exported.
#[derive(Serialize)]
struct Written {
    directory: String,
    files: usize,
    bytes: u64,
    root: String,
}

pub(super) fn run_export(options: &ExportOptions) -> Result<(), Failure> {
    let mut table = options.result.begin_table()?;
    let store = options.stored.store();
    let cover = options.stored.manifest(&store)?.cover;
    check_cover(store.board(), &cover)?;
    let exported = export(&store, &cover, &options.directory)?;
    let written = Written {
        directory: options.directory.display().to_string(),
        files: exported.files,
        bytes: exported.bytes,
        root: exported.root,
    };
    let Written { directory, files, bytes, root } = &written;
    table.row(
        &written,
        &format!("{directory}: {}, {}, root={root}", counted(*files, "file"), size(*bytes)),
    )?;
    table.finish()
}

pub(super) fn run_import(options: &ImportOptions) -> Result<(), Failure> {
    let table = options.result.begin_table()?;
    let store = Store::new(&options.db.db, &options.game.or_of(Some(&options.db), SMALL).board);
    let cover = import(&store, &options.from)?;
    let progress = options.quiet.progress();
    progress.say(format!("{}: {cover} pieces, verified", options.from.display()));
    print_database(&store, &cover, table)
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
