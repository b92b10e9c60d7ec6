//! `prove db build`.

use std::path::Path;

use clap::Args;
use draughtproof_proof::prepare_database::{
    check_depth_memory, check_map_space, map, prepare, prepare_depths,
};

use super::db::{open_slice_store, print_database};
use crate::cli::failure::Failure;
use crate::cli::options::{BuildOptions, MapSpace};
use crate::cli::output::ResultOptions;
use crate::egdb::exchange::import;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove db build --game 8x8 --pieces 5 --db egdb --depth
  prove db build --game 8x8 --pieces 7,8:4        up to 7, and up to 8 with at most 4 a side
  prove db build --game 8x8 --pieces 8 --partly   as many slices as this machine can solve
  prove db build --game 8x8 --pieces 5 --store s3://bucket/egdb    fetches slices from there

`prove db` without a command does the same as `prove db build`.")]
pub(super) struct Options {
    #[command(flatten)]
    pub(super) build: BuildOptions,
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
    pub(super) store: Option<String>,
    #[command(flatten)]
    pub(super) space: MapSpace,
    #[command(flatten)]
    pub(super) result: ResultOptions,
}

/// What `prove db` did in earlier versions before and after it built a database.
#[derive(Default)]
pub(super) struct Besides<'a> {
    /// The directory from which a database is imported first.
    pub(super) import: Option<&'a Path>,
    /// Whether the tables that searches map are made afterwards.
    pub(super) map: bool,
}

pub(super) fn run(options: &Options, besides: &Besides<'_>) -> Result<(), Failure> {
    let machine = &options.build.machine;
    let progress = machine.progress();
    let (store, cover) = options.build.start()?;
    let table = options.result.begin_table()?;
    if let Some(from) = besides.import {
        let there = import(&store, from)?;
        progress.say(format!("{}: {there} pieces, verified", from.display()));
    }
    if let Some(slices) = open_slice_store(options.store.as_deref(), &progress)? {
        let _lock = store.lock_with_others()?;
        slices.fetch_all(&store, cover)?;
    }
    let room = options.space.room(machine);
    // If the depths are there already, no memory is needed to find them.
    if options.depth && !store.finished()?.0.includes(cover) {
        check_depth_memory(store.board(), cover, machine.memory())?;
    }
    if besides.map {
        check_map_space(&store, cover, &room)?;
    }
    prepare(&store, cover, &room, options.partly, &progress)?;
    if options.depth {
        prepare_depths(&store, cover, machine.memory(), &progress)?;
    }
    if besides.map {
        map(&store, cover, &room, &progress)?;
    }
    print_database(&store, cover, table)
}
