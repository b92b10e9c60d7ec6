//! `prove analyse`.

use std::time::{Duration, Instant};

use crate::board::{Board, MoveError, Position};
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{LimitOptions, MachineOptions, PositionOptions, SourceOptions, by};
use crate::cli::output::{Format, ResultOptions, ResultWriter};
use crate::egdb::ValueRange;
use crate::egdb::numbers::{self, grouped};
use clap::Args;
use draughtproof_play::lookup::Basis;
use draughtproof_proof::heuristic::{Analysis, Heuristic, Limits};
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("analyse"))]
pub(crate) struct Options {
    #[command(flatten)]
    sources: SourceOptions,
    #[command(flatten)]
    positions: PositionOptions,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let used = options.sources.read_for(&options.positions)?;
    let game = used.stored.game();
    let board = &game.board;
    let positions = options.positions.or_start(game)?;
    let mut out = options.result.begin()?;
    options.machine.start()?;
    let database = used.stored.load_if_there(&options.machine, &options.sources.values)?;
    let lookup = used.lookup(&database, None, None);
    let usual = Limits { time: Some(Duration::from_secs(5)), ..Limits::default() };
    let limits = options.limits.limits(usual);
    let mut heuristic = Heuristic::new(board, &database);
    let columns = COLUMNS + usize::from(used.are_used());
    let format = options.result.format;
    if format == Format::Tsv {
        let by = if used.are_used() { "\tby" } else { "" };
        out.line(&format!("fen\tdepth\tscore\tnodes\tnodes/s\tproven\tpv{by}"))?;
    }
    let answered = positions.answer_each(game, |text, position| {
        let position = match position {
            Ok(position) => position,
            Err(what) => return out.fault(format, text, columns, what),
        };
        let known = used.are_used().then(|| lookup.bounds(position)).transpose()?;
        let fen = board.write_fen(position);
        if format == Format::Text {
            out.line(&fen)?;
            let [depth, score, nodes, rate] = ["depth", "score", "nodes", "nodes/s"];
            let by = if known.is_some() { "by       " } else { "" };
            out.line(&format!("{depth:>5} {score:>7} {nodes:>13} {rate:>11}  proven   {by}pv"))?;
        }
        let start = Instant::now();
        // The callback cannot return an error, so one of printing is kept until the search has
        // ended.
        let mut printed: Result<(), Failure> = Ok(());
        heuristic.search(position, limits, |analysis| {
            if printed.is_ok() {
                let seconds = start.elapsed().as_secs_f64();
                let pv = line(board, position, analysis);
                printed = pv.map_err(|e| Failure::Input(e.to_string())).and_then(|pv| {
                    let rate = (analysis.nodes as f64 / seconds.max(1e-6)) as u64;
                    print(&mut out, format, &Row::new(&fen, analysis, rate, &pv, known))?;
                    // A user or program that follows the search sees each depth at once.
                    out.flush()
                });
            }
        });
        database.failure()?;
        printed
    })?;
    out.finish()?;
    answered.result()
}

/// The number of columns of a line in TSV.
const COLUMNS: usize = 7;

/// The result of one depth, as it is printed.
#[derive(Serialize)]
struct Row<'a> {
    fen: &'a str,
    depth: u32,
    score: i32,
    nodes: u64,
    nodes_per_second: u64,
    proven: String,
    ends_in_draw: bool,
    pv: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
}

impl<'a> Row<'a> {
    fn new(
        fen: &'a str,
        analysis: &Analysis,
        nodes_per_second: u64,
        pv: &'a str,
        known: Option<(ValueRange, Option<Basis>)>,
    ) -> Self {
        let Analysis { depth, score, nodes, ends_in_draw, .. } = *analysis;
        let (bounds, basis) = known.unwrap_or((ValueRange::UNKNOWN, None));
        let value = bounds.narrowed(analysis.proven);
        let proven = value.to_string();
        let by = known.map(|_| by(value, bounds, basis));
        Row { fen, depth, score, nodes, nodes_per_second, proven, ends_in_draw, pv, by }
    }
}

/// The names of the moves of the principal variation.
fn line(board: &Board, position: &Position, analysis: &Analysis) -> Result<String, MoveError> {
    let mut from = position;
    let moves = analysis.pv.iter().map(|to| board.write_move(std::mem::replace(&mut from, to), to));
    Ok(moves.collect::<Result<Vec<_>, _>>()?.join(" "))
}

fn print(out: &mut ResultWriter, format: Format, row: &Row<'_>) -> Result<(), Failure> {
    let Row { fen, depth, score, nodes, nodes_per_second: rate, proven, ends_in_draw, pv, by } =
        row;
    match format {
        Format::Text => {
            let end = if *ends_in_draw { " (draw)" } else { "" };
            let [nodes, rate] = [*nodes, *rate].map(grouped);
            let score = numbers::score(*score);
            let by = by.map_or(String::new(), |by| format!("{by:<8} "));
            let line =
                format!("{depth:>5} {score:>7} {nodes:>13} {rate:>11}  {proven:<8} {by}{pv}{end}");
            out.line(&line)
        }
        Format::Tsv => {
            let by = by.map_or(String::new(), |by| format!("\t{by}"));
            out.line(&format!("{fen}\t{depth}\t{score}\t{nodes}\t{rate}\t{proven}\t{pv}{by}"))
        }
        Format::Json => out.json(row),
    }
}
