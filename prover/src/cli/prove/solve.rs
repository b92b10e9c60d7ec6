//! `prove solve`.

use std::ops::ControlFlow;

use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{MachineOptions, PositionOptions, SourceOptions, TableOption, by};
use crate::cli::output::{Format, ResultOptions};
use crate::egdb::ValueRange;
use clap::Args;
use draughtproof_play::lookup::KnownValue;
use draughtproof_proof::proof::{PositionValue, position_value};
use draughtproof_proof::search::{Goal, Search, SearchProgress};
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("solve"))]
pub(crate) struct Options {
    #[command(flatten)]
    sources: SourceOptions,
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
    let used = options.sources.read_for(&options.positions)?;
    let game = used.stored.game();
    let board = &game.board;
    let positions = options.positions.or_lines(game, options.machine.progress())?;
    let mut out = options.result.begin()?;
    options.machine.start()?;
    let database = used.stored.load_if_there(&options.machine, &options.sources.values)?;
    let lookup = used.lookup(&database, None, None);
    let columns = COLUMNS + usize::from(used.are_used());
    options.table.check(options.nodes, 2, options.machine.memory(), "--nodes")?;
    let bar = options.machine.progress().start("search".into(), 0, "node");
    let report = |SearchProgress { nodes, .. }| {
        bar.add(nodes);
        ControlFlow::Continue(())
    };
    let search = |attacker| {
        let goal = Goal::new(board, &database, attacker);
        Search::new(goal, options.table.bytes).with_progress(&report)
    };
    // The text for users is the one for programs.
    let format = match options.result.format {
        Format::Text => Format::Tsv,
        format => format,
    };
    let answered = positions.answer_each(game, |text, position| {
        let position = match position {
            Ok(position) => position,
            Err(what) => return out.fault(format, text, columns, what),
        };
        let known = used.are_used().then(|| lookup.bounds(position)).transpose()?;
        let (bounds, basis) = known.unwrap_or((ValueRange::UNKNOWN, None));
        let PositionValue { value, nodes, .. } =
            position_value(search, position, bounds, options.nodes);
        database.failure()?;
        let by = used.are_used().then(|| by(value, bounds, basis));
        match format {
            Format::Json => {
                let fen = board.write_fen(position);
                out.json(&SolvedRow { fen, value: value.into(), nodes, by })?;
            }
            _ => {
                let by = by.map_or(String::new(), |by| format!("\t{by}"));
                out.line(&format!("{text}\t{value}\t{nodes}{by}"))?;
            }
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
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
}
