//! `prove perft`.

use crate::board::perft;
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{CHECKERS, GameOption, StartOptions};
use crate::cli::output::{Format, QuietOption, ResultOptions};
use clap::Args;
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("perft"))]
pub(crate) struct Options {
    #[command(flatten)]
    game: GameOption,
    /// The greatest number of moves
    #[arg(long, value_name = "D")]
    depth: u32,
    #[command(flatten)]
    start: StartOptions,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    quiet: QuietOption,
}

/// The count of one depth.
#[derive(Serialize)]
struct Row {
    depth: u32,
    nodes: u64,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let game = options.game.or(CHECKERS);
    let start = options.start.position(game)?;
    let mut out = options.result.begin()?;
    for depth in 1..=options.depth {
        let progress = options.quiet.progress();
        let bar = progress.start(format!("depth {depth}"), 0, "move sequence");
        let nodes = perft(&game.board, &start, depth);
        bar.add(nodes);
        bar.finish();
        match options.result.format {
            Format::Text | Format::Tsv => out.line(&format!("{depth}\t{nodes}"))?,
            Format::Json => out.json(&Row { depth, nodes })?,
        }
        // The next depth takes longer than all depths before, so this one is printed at once.
        out.flush()?;
    }
    out.finish()
}
