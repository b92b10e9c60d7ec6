//! `prove db`.

use std::io::{self, Write};

use clap::Args;

use super::common::{DatabaseOption, Failure, GameOption, MachineOptions, check_pieces};
use crate::egdb::Store;
use crate::ensure::{ensure, ensure_depths};

#[derive(Args, Debug)]
#[command(after_help = "Example:
  prove db --game 8x8 --pieces 5 --db egdb --depth

What is there is verified against its hashes and used. Each slice is written as soon as it and its twin
are solved; so the command can be killed at any time, started again, and goes on from there.")]
pub(super) struct Options {
    #[command(flatten)]
    game: GameOption,
    /// Build all positions with at most N pieces
    #[arg(long, value_name = "N")]
    pieces: u8,
    #[command(flatten)]
    db: DatabaseOption,
    /// Store the depths of wins and losses, too, beside the database: in DIR/RxC.depth
    #[arg(long)]
    depth: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let board = &options.game.game.board;
    check_pieces(board, options.pieces)?;
    options.machine.start()?;
    let store = Store::new(&options.db.db, board);
    let machine = &options.machine;
    ensure(&store, options.pieces, machine.memory(), &machine.progress())?;
    if options.depth {
        ensure_depths(&store, options.pieces, machine.memory(), &machine.progress())?;
    }
    let manifest = store.manifest_of(options.pieces)?;
    let bytes: u64 = manifest.slices.iter().map(|s| s.length).sum();
    writeln!(
        io::stdout(),
        "database {} with {} pieces: {} slices, {bytes} bytes, root={}",
        board.name(),
        options.pieces,
        manifest.slices.len(),
        manifest.root()
    )?;
    Ok(())
}
