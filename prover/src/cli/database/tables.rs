//! `prove db map` and `prove db unmap`.

use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{
    DatabaseOption, GameOption, MachineOptions, MapSpace, SMALL, StoredOptions,
};
use crate::cli::output::{QuietOption, ResultOptions};
use crate::egdb::Store;
use crate::egdb::numbers::size;
use clap::Args;
use draughtproof_proof::prepare_database::{check_map_space, map, unmap};
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("db map"))]
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
#[command(after_help = notes("db unmap"))]
pub(super) struct UnmapOptions {
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    db: DatabaseOption,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    quiet: QuietOption,
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
    let mut table = options.result.begin_table()?;
    let store = options.stored.store();
    let cover = options.stored.manifest(&store)?.cover;
    let room = options.space.room(&options.machine);
    check_map_space(&store, &cover, &room)?;
    map(&store, &cover, &room, &options.machine.progress())?;
    let tables =
        Tables { tables: store.tables().display().to_string(), bytes: store.table_bytes()? };
    table.row(&tables, &format!("tables {}, {}", tables.tables, size(tables.bytes)))?;
    table.finish()
}

pub(super) fn run_unmap(options: &UnmapOptions) -> Result<(), Failure> {
    let mut table = options.result.begin_table()?;
    let store = Store::new(&options.db.db, &options.game.or_of(Some(&options.db), SMALL).board);
    let bytes = unmap(&store, &options.quiet.progress())?;
    let removed = Removed { removed: store.tables().display().to_string(), bytes };
    table.row(&removed, &format!("removed {}, {}", removed.removed, size(bytes)))?;
    table.finish()
}
