//! `prove db`.

use clap::Args;
use serde::Serialize;

use super::failure::Failure;
use super::options::BuildOptions;
use super::result::{Format, ResultOptions};
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
    #[command(flatten)]
    result: ResultOptions,
}

/// The database that there is.
#[derive(Serialize)]
struct Built {
    board: String,
    pieces: String,
    slices: usize,
    bytes: u64,
    root: String,
}

/// The tables that there were.
#[derive(Serialize)]
struct Removed {
    removed: String,
    bytes: u64,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let BuildOptions { cover, machine, .. } = &options.build;
    let store = options.build.start()?;
    let mut out = options.result.begin()?;
    let format = options.result.format;
    if options.unmap {
        let bytes = unmap(&store, &machine.progress())?;
        let removed = store.tables().display().to_string();
        match format {
            Format::Text => out.line(&format!("removed {removed}, {bytes} bytes"))?,
            Format::Tsv => out.line(&format!("removed\tbytes\n{removed}\t{bytes}"))?,
            Format::Json => out.json(&Removed { removed, bytes })?,
        }
        return out.finish();
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
    let built = Built {
        board: store.board().name(),
        pieces: cover.to_string(),
        slices: manifest.slices.len(),
        bytes: manifest.slices.iter().map(|s| s.length).sum(),
        root: manifest.root().to_string(),
    };
    let Built { board, pieces, slices, bytes, root } = &built;
    match format {
        Format::Text => out.line(&format!(
            "database {board} with {pieces} pieces: {slices} slices, {bytes} bytes, root={root}"
        ))?,
        Format::Tsv => {
            out.line("board\tpieces\tslices\tbytes\troot")?;
            out.line(&format!("{board}\t{pieces}\t{slices}\t{bytes}\t{root}"))?;
        }
        Format::Json => out.json(&built)?,
    }
    out.finish()
}
