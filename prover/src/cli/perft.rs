//! `prove perft`.

use clap::Args;

use super::failure::Failure;
use super::options::GameOption;
use super::start::StartOptions;
use crate::board::perft;

#[derive(Args, Debug)]
#[command(after_help = "Example:
  prove perft --game 8x8 --depth 10

Prints depth<TAB>nodes for each depth. Two ways of capturing that lead to the same position count \
separately. One thread; the last move is counted, not made.")]
pub(super) struct Options {
    #[command(flatten)]
    game: GameOption,
    /// The greatest number of moves
    #[arg(long, value_name = "D")]
    depth: u32,
    #[command(flatten)]
    start: StartOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let game = &options.game.game;
    let start = options.start.position(game)?;
    for depth in 1..=options.depth {
        use std::io::Write;
        writeln!(std::io::stdout(), "{depth}\t{}", perft(&game.board, &start, depth))?;
    }
    Ok(())
}
