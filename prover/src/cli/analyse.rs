//! `prove analyse`.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use clap::Args;

use super::failure::Failure;
use super::format::Format;
use super::limits::LimitOptions;
use super::machine::MachineOptions;
use super::options::StoredOptions;
use super::start::{StartOptions, read_position};
use super::values::ValuesOptions;
use crate::board::{Board, MoveError, Position};
use crate::heuristic::{Analysis, Heuristic, Limits};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove analyse --game 8x8 --time 10                    the start
  prove analyse --game 8x8 --depth 15 B:W18,24,27,K30:B5,9,12,K16
  prove analyse --nodes 1000000 --format tsv start
  prove analyse --game 8x8 --opening 13 --moves 22-17

Prints a line for each depth: depth, score, nodes, nodes a second, what is proved, best play. The score \
is a guess, in hundredths of a man for the side to move; beyond +-10000 it is a win or loss that was \
found. What is proved is win, draw, loss, >=draw, <=draw or unknown, for the side to move; when it is a \
value, the search ends. Without any of --depth, --nodes and --time it takes 5 seconds. With --time alone \
results depend on the machine. Databases that are there are used.")]
pub(super) struct Options {
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    values: ValuesOptions,
    /// Positions, or "start" for that of the game, which is the default
    #[arg(value_name = "FEN", conflicts_with = "start")]
    fens: Vec<String>,
    #[command(flatten)]
    start: StartOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let board = options.stored.board();
    let game = &options.stored.game.game;
    let positions = match &options.fens[..] {
        [] => vec![options.start.position(game)?],
        fens => fens.iter().map(|fen| read_position(game, fen)).collect::<Result<_, _>>()?,
    };
    options.machine.start()?;
    let database = options.stored.load_if_there(&options.machine, &options.values)?;
    let usual = Limits { time: Some(Duration::from_secs(5)), ..Limits::default() };
    let mut heuristic = Heuristic::new(board, &database);
    let mut out = io::stdout().lock();
    if options.format == Format::Tsv {
        writeln!(out, "fen\tdepth\tscore\tnodes\tnodes/s\tproven\tpv")?;
    }
    for position in &positions {
        let fen = board.write_fen(position);
        if options.format == Format::Text {
            writeln!(out, "{fen}")?;
            writeln!(
                out,
                "{:>5} {:>7} {:>13} {:>9}  proven   pv",
                "depth", "score", "nodes", "kn/s"
            )?;
        }
        let start = Instant::now();
        // An error while the search runs can only be returned after it.
        let mut printed: Result<(), Failure> = Ok(());
        heuristic.search(position, options.limits.limits(usual), |analysis| {
            if printed.is_ok() {
                let seconds = start.elapsed().as_secs_f64();
                printed = line(board, position, analysis)
                    .map_err(|e| Failure::Input(e.to_string()))
                    .and_then(|pv| {
                        print(&mut out, options.format, &fen, analysis, seconds, &pv)?;
                        Ok(out.flush()?)
                    });
            }
        });
        printed?;
    }
    Ok(())
}

/// The principal variation as moves.
fn line(board: &Board, position: &Position, analysis: &Analysis) -> Result<String, MoveError> {
    let mut from = position;
    let moves = analysis.pv.iter().map(|to| board.write_move(std::mem::replace(&mut from, to), to));
    Ok(moves.collect::<Result<Vec<_>, _>>()?.join(" "))
}

fn print(
    out: &mut impl Write,
    format: Format,
    fen: &str,
    analysis: &Analysis,
    seconds: f64,
    pv: &str,
) -> io::Result<()> {
    let Analysis { depth, score, nodes, proven, ends_in_draw, .. } = analysis;
    let rate = (*nodes as f64 / seconds.max(1e-6)) as u64;
    match format {
        Format::Text => {
            let end = if *ends_in_draw { " (draw)" } else { "" };
            let kilo = rate / 1000;
            writeln!(out, "{depth:>5} {score:>+7} {nodes:>13} {kilo:>9}  {proven:<8} {pv}{end}")
        }
        Format::Tsv => {
            writeln!(out, "{fen}\t{depth}\t{score}\t{nodes}\t{rate}\t{proven}\t{pv}")
        }
        Format::Json => {
            writeln!(
                out,
                r#"{{"fen":"{fen}","depth":{depth},"score":{score},"nodes":{nodes},"nodes_per_second":{rate},"proven":"{proven}","ends_in_draw":{ends_in_draw},"pv":"{pv}"}}"#
            )
        }
    }
}
