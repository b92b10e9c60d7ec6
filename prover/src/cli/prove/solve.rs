//! `prove solve`.

use std::ops::ControlFlow;

use clap::Args;
use draughtproof_play::lookup::KnownValue;
use draughtproof_proof::proof::{PositionValue, position_value};
use draughtproof_proof::search::{Goal, Search, SearchProgress};
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::options::{
    MachineOptions, PositionOptions, StoredOptions, TableOption, ValuesOptions,
};
use crate::cli::output::{Format, ResultOptions};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove solve --game 6x6 --nodes 1000000 start          the start of 6x6
  prove solve --nodes 100000 <positions.txt
  prove solve --nodes 100000 --opening 13

Prints FEN<TAB>value or bound<TAB>nodes for the side to move: win, draw, loss, >=draw, <=draw or unknown. \
The questions whether the side to move wins and whether it loses are searched in turn, with more nodes each \
time; what one leaves the other may have. Every answer has been verified by replaying its strategy. Databases \
that are there are used.

--format json prints an object a line, with the fields fen, value (or lower and upper, bounds of what is not \
known), nodes; tsv is as text. Without a position, one a line is read from standard input. A line that is no FEN is answered in its place, by an object \
with fen and error or by the value error and what is wrong; the others are answered all the same, and the exit \
status is 1.")]
pub(crate) struct Options {
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    values: ValuesOptions,
    /// Nodes for each position
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    nodes: u64,
    #[command(flatten)]
    positions: PositionOptions,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    table: TableOption,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let board = options.stored.board();
    let game = &options.stored.game.game;
    let positions = options.positions.or_lines(game)?;
    let mut out = options.result.begin()?;
    options.machine.start()?;
    let database = options.stored.load_if_there(&options.machine, &options.values)?;
    options.table.check(options.nodes, 2, options.machine.memory(), "--nodes")?;
    let bar = options.machine.progress().start("search".into(), 0, "nodes searched");
    let report = |SearchProgress { nodes, .. }| {
        bar.add(nodes);
        ControlFlow::Continue(())
    };
    let search = |attacker| {
        let goal = Goal::new(board, &database, attacker);
        Search::new(goal, options.table.bytes).with_progress(&report)
    };
    // What is for people is for programs, too.
    let format = match options.result.format {
        Format::Text => Format::Tsv,
        format => format,
    };
    let answered = positions.answer_each(game, |text, position| {
        let position = match position {
            Ok(position) => position,
            Err(what) => return out.fault(format, text, COLUMNS, what),
        };
        let PositionValue { value, nodes } = position_value(search, position, options.nodes);
        match format {
            Format::Json => {
                let fen = board.write_fen(position);
                out.json(&SolvedRow { fen, value: value.into(), nodes })?;
            }
            _ => out.line(&format!("{text}\t{value}\t{nodes}"))?,
        }
        // One answer at a time, for a program that waits for it.
        out.flush()
    });
    bar.finish();
    let answered = answered?;
    out.finish()?;
    answered.result()
}

/// The columns of a line for programs.
const COLUMNS: usize = 3;

/// An answer for programs.
#[derive(Serialize)]
struct SolvedRow {
    fen: String,
    #[serde(flatten)]
    value: KnownValue,
    nodes: u64,
}
