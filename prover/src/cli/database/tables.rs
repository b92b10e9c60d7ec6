//! `prove db map` and `prove db unmap`.

use clap::Args;
use draughtproof_proof::prepare_database::{check_map_space, map, unmap};
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::options::{DatabaseOption, GameOption, MachineOptions, MapSpace, StoredOptions};
use crate::cli::output::{Format, QuietOption, ResultOptions, ResultWriter};
use crate::egdb::Store;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove db map --game 8x8                what searches need, ready before the first
  prove db map --game 8x8 --pieces 5     of a part of the database

The tables are in DIR/RxC.tables, with two bits a position. All processes of a machine share them. They are no \
part of the database: no proof rests on them.")]
pub(super) struct MapOptions {
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    space: MapSpace,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:
  prove db unmap --game 8x8")]
pub(super) struct UnmapOptions {
    #[command(flatten)]
    pub(super) game: GameOption,
    #[command(flatten)]
    pub(super) db: DatabaseOption,
    #[command(flatten)]
    pub(super) result: ResultOptions,
    #[command(flatten)]
    pub(super) quiet: QuietOption,
}

/// The tables that are there.
#[derive(Serialize)]
struct Tables {
    tables: String,
    bytes: u64,
}

/// The tables that were removed.
#[derive(Serialize)]
struct Removed {
    removed: String,
    bytes: u64,
}

pub(super) fn run_map(options: &MapOptions) -> Result<(), Failure> {
    options.machine.start()?;
    let out = options.result.begin()?;
    let store = options.stored.store();
    let cover = options.stored.manifest(&store)?.cover;
    let room = options.space.room(&options.machine);
    check_map_space(&store, &cover, &room)?;
    map(&store, &cover, &room, &options.machine.progress())?;
    print_tables(&store, options.result.format, out)
}

fn print_tables(store: &Store, format: Format, mut out: ResultWriter) -> Result<(), Failure> {
    let tables = store.tables().display().to_string();
    let bytes = store.table_bytes()?;
    match format {
        Format::Text => out.line(&format!("tables {tables}, {bytes} bytes"))?,
        Format::Tsv => out.line(&format!("tables\tbytes\n{tables}\t{bytes}"))?,
        Format::Json => out.json(&Tables { tables, bytes })?,
    }
    out.finish()
}

pub(super) fn run_unmap(options: &UnmapOptions) -> Result<(), Failure> {
    let mut out = options.result.begin()?;
    let store = Store::new(&options.db.db, &options.game.game.board);
    let bytes = unmap(&store, &options.quiet.progress())?;
    let removed = store.tables().display().to_string();
    match options.result.format {
        Format::Text => out.line(&format!("removed {removed}, {bytes} bytes"))?,
        Format::Tsv => out.line(&format!("removed\tbytes\n{removed}\t{bytes}"))?,
        Format::Json => out.json(&Removed { removed, bytes })?,
    }
    out.finish()
}
