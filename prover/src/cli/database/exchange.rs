//! `prove db export`, `prove db import` and `prove db compare`.

use crate::cli::failure::Failure;
use crate::cli::farm::SliceStore;
use crate::cli::options::notes;
use crate::cli::options::{
    DatabaseOption, GameOption, MachineOptions, SMALL, StoredOptions, ValuesOptions, check_cover,
};
use crate::cli::output::{Format, QuietOption, ResultOptions, Table};
use crate::egdb::exchange::{Compared, Difference, compare_values, export, import};
use crate::egdb::numbers::{counted, size};
use crate::egdb::{Cover, Store};
use clap::Args;
use draughtproof_proof::progress::Progress;
use serde::Serialize;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

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

#[derive(Args, Debug)]
#[command(after_help = notes("db compare"))]
pub(super) struct CompareOptions {
    /// The file of values
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    values: ValuesOptions,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

/// The numbers of lines, by how their values agree with the database.
#[derive(Serialize)]
struct Counts {
    compared: u64,
    agree: u64,
    disagree: u64,
    not_covered: u64,
}

/// A line of a file whose value differs from the value in the database.
#[derive(Serialize)]
struct Other<'a> {
    line: usize,
    fen: &'a str,
    found: &'static str,
    database: &'static str,
}

/// Shows the lines of a file whose values differ from the database, and the counts.
pub(super) fn run_compare(options: &CompareOptions) -> Result<(), Failure> {
    options.machine.start()?;
    let mut table = options.result.begin_table()?;
    let path = &options.file;
    let file = File::open(path).map_err(|source| Failure::file(path, source))?;
    let values = options.stored.open(&options.machine, &options.values)?;
    table.columns(&["line", "fen", "found", "database"])?;
    let compared = compare_values(&values, path, BufReader::new(file), |difference| {
        show(&mut table, difference)
    })?;
    let Compared { agree, disagree, unknown } = compared;
    let lines = agree + disagree + unknown;
    // TSV has the differing lines only.
    if options.result.format != Format::Tsv {
        let text =
            format!("{lines} compared: {agree} agree, {disagree} disagree, {unknown} not covered");
        let counts = Counts { compared: lines, agree, disagree, not_covered: unknown };
        table.counts(&counts, &text)?;
    }
    table.finish()?;
    match disagree {
        0 => Ok(()),
        disagree => Err(Failure::Differences { disagree, lines }),
    }
}

fn show(table: &mut Table, difference: &Difference) -> Result<(), Failure> {
    let &Difference { line, ref fen, found, database } = difference;
    let found = found.name();
    let database = database.name();
    let text = format!("line {line}\t{fen}\tfound {found}\tdatabase {database}");
    table.row(&Other { line, fen, found, database }, &text)
}
