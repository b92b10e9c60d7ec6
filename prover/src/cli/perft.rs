//! `prove perft`.

use clap::Args;

use super::common::{Failure, GameOption};
use crate::board::perft;

#[derive(Args, Debug)]
#[command(after_help = "Example:
  prove perft --game 8x8 --depth 10

Prints depth<TAB>nodes for each depth. Two ways of capturing that lead to the same position count
separately. One thread; the last move is counted, not made.")]
pub(super) struct Options {
    #[command(flatten)]
    game: GameOption,
    /// The greatest number of moves
    #[arg(long, value_name = "D")]
    depth: u32,
    /// Start position [default: that of the game]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let game = &options.game.game;
    let start = match &options.fen {
        Some(fen) => game.board.read_fen(fen)?,
        None => game.start(),
    };
    for depth in 1..=options.depth {
        use std::io::Write;
        writeln!(std::io::stdout(), "{depth}\t{}", perft(&game.board, &start, depth))?;
    }
    Ok(())
}
