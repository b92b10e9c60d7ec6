//! `prove db`.

use std::io::{self, Write};

use clap::Args;

use super::failure::Failure;
use super::options::BuildOptions;
use crate::prepare_database::{prepare, prepare_depths};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove db --game 8x8 --pieces 5 --db egdb --depth
  prove db --game 8x8 --pieces 8 --db egdb --partly   as many slices as this machine can solve

What is there is verified against its hashes and used. Each slice is written as soon as it and its twin \
are solved; so the command can be killed at any time, started again, and goes on from there.")]
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
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let BuildOptions { pieces, machine, .. } = &options.build;
    let store = options.build.start()?;
    prepare(&store, *pieces, machine.memory(), options.partly, &machine.progress())?;
    if options.depth {
        prepare_depths(&store, *pieces, machine.memory(), &machine.progress())?;
    }
    let manifest = store.manifest_of(*pieces)?;
    let bytes: u64 = manifest.slices.iter().map(|s| s.length).sum();
    writeln!(
        io::stdout(),
        "database {} with {pieces} pieces: {} slices, {bytes} bytes, root={}",
        store.board().name(),
        manifest.slices.len(),
        manifest.root()
    )?;
    Ok(())
}
