//! `prove db`.

use std::io::{self, Write};

use clap::Args;

use super::failure::Failure;
use super::options::BuildOptions;
use super::values::MapSpace;
use crate::prepare_database::{convert_old, map, prepare, prepare_depths, unmap};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove db --game 8x8 --pieces 5 --db egdb --depth
  prove db --game 8x8 --pieces 7,8:4                  up to 7 pieces, and up to 8 with at most 4 a side
  prove db --game 8x8 --pieces 6 --map                what searches need, ready before the first
  prove db --game 8x8 --pieces 8 --db egdb --partly   as many slices as this machine can solve

What is there is verified against its hashes and used. Each slice is written as soon as it and its twin \
are solved; so the command can be killed at any time, started again, and goes on from there. A database of version 0 of \
the format is converted first.")]
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
    /// Make the tables that searches map into memory, too, in DIR/RxC.tables: two bits a position
    #[arg(long)]
    map: bool,
    /// Remove those tables, and do nothing else
    #[arg(long, conflicts_with_all = ["map", "depth", "partly", "map_space"])]
    unmap: bool,
    #[command(flatten)]
    space: MapSpace,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let BuildOptions { cover, machine, .. } = &options.build;
    let store = options.build.start()?;
    if options.unmap {
        let bytes = unmap(&store, &machine.progress())?;
        let tables = store.tables();
        writeln!(io::stdout(), "removed {}, {bytes} bytes", tables.display())?;
        return Ok(());
    }
    convert_old(&store, &machine.progress())?;
    let room = options.space.room(machine);
    prepare(&store, cover, &room, options.partly, &machine.progress())?;
    if options.depth {
        prepare_depths(&store, cover, machine.memory(), &machine.progress())?;
    }
    if options.map {
        map(&store, cover, &room, &machine.progress())?;
    }
    let manifest = store.manifest_of(cover)?;
    let bytes: u64 = manifest.slices.iter().map(|s| s.length).sum();
    writeln!(
        io::stdout(),
        "database {} with {cover} pieces: {} slices, {bytes} bytes, root={}",
        store.board().name(),
        manifest.slices.len(),
        manifest.root()
    )?;
    Ok(())
}
