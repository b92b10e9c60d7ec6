//! `prove solve`.

use std::ops::ControlFlow;

use clap::Args;

use super::failure::Failure;
use super::machine::{MachineOptions, TableOption};
use super::options::StoredOptions;
use super::positions::each_fen;
use super::start::StartOptions;
use super::values::ValuesOptions;
use crate::proof::{PositionValue, position_value};
use crate::search::{Goal, Search, SearchProgress};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove solve --nodes 1000000                           the start of 6x6
  prove solve --game 8x8 --nodes 100000 <positions.txt
  prove solve --game 8x8 --nodes 100000 --opening 13

Prints FEN<TAB>value or bound<TAB>nodes for the side to move: win, draw, loss, >=draw, <=draw or unknown. \
The questions whether the side to move wins and whether it loses are searched in turn, with more nodes each \
time; what one leaves the other may have. Every answer has been verified by replaying its strategy. Databases \
that are there are used.")]
pub(super) struct Options {
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    values: ValuesOptions,
    /// Nodes for each position
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    nodes: u64,
    /// Positions, or "start" for that of the game [default: one a line on standard input]
    #[arg(value_name = "FEN", conflicts_with = "start")]
    fens: Vec<String>,
    #[command(flatten)]
    table: TableOption,
    #[command(flatten)]
    start: StartOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let board = options.stored.board();
    options.machine.start()?;
    let database = options.stored.load_if_there(&options.machine, &options.values)?;
    let game = &options.stored.game.game;
    let fens = options.start.or_fens(game, &options.fens)?;
    options.table.check(options.nodes, 2, options.machine.memory())?;
    let bar = options.machine.progress().start("search".into(), 0, "nodes searched");
    let report = |SearchProgress { nodes, .. }| {
        bar.add(nodes);
        ControlFlow::Continue(())
    };
    let search = |attacker| {
        let goal = Goal { board, database: &database, attacker };
        Search::new(goal, options.table.bytes).with_progress(&report)
    };
    let done = each_fen(game, &fens, |fen, position| {
        let PositionValue { bound, nodes } = position_value(search, position, options.nodes);
        Ok(format!("{fen}\t{bound}\t{nodes}"))
    });
    bar.finish();
    done
}
