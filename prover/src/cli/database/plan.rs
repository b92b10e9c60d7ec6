//! `prove plan`.

use crate::board::Game;
use crate::cli::failure::Failure;
use crate::cli::options::BuildOptions;
use crate::cli::options::notes;
use crate::cli::output::{ResultOptions, Table};
use crate::egdb::numbers::{about, counted, grouped, size, time};
use crate::egdb::{Forecast, Forecaster};
use clap::Args;
use draughtproof_proof::effort::Effort;
use draughtproof_proof::prepare_database::{default_cover, most_pieces};
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("plan"))]
pub(crate) struct Options {
    #[command(flatten)]
    build: BuildOptions,
    /// Also forecast how long it takes to find the depths
    #[arg(long, requires = "cover")]
    depth: bool,
    #[command(flatten)]
    result: ResultOptions,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let machine = &options.build.machine;
    if !options.build.has_cover() {
        return print_proofs(options.build.game(), options.result.begin_table()?);
    }
    let (store, cover) = options.build.start()?;
    let mut table = options.result.begin_table()?;
    let scratch = tempfile::tempdir().map_err(|e| Failure::file(std::env::temp_dir(), e))?;
    machine.progress().say("measuring this machine".into());
    let mut forecaster = Forecaster::new(&store, scratch.path(), machine.memory())?;
    if options.depth {
        forecaster.measure_depths(scratch.path())?;
    }
    print(&mut table, &forecaster.forecast(cover))?;
    table.finish()
}

/// Advice of problems that are smaller than the proof of a game.
pub(crate) const SMALLER: &str = "Smaller: a database of more pieces (--pieces), a smaller board \
    (--game 8x6), a position after some moves (--fen, --moves, --opening), or one side alone \
    (--claim).";

/// The most pieces of the databases over which proofs are forecast.
const MOST_PIECES: u8 = 8;
/// Beyond this number of seconds of one core a proof is called out of reach.
const OUT_OF_REACH: f64 = 100.0 * 3600.0;

/// The forecast for the proof of a game over the database with one number of pieces.
#[derive(Serialize)]
struct ProofRow {
    pieces: u8,
    nodes: f64,
    core_seconds: f64,
    memory: f64,
    certificate: f64,
}

/// Prints what the proof of a game may take.
fn print_proofs(game: &Game, mut table: Table) -> Result<(), Failure> {
    let start = game.start();
    let least = default_cover(&game.board, start.pieces()).most_pieces();
    let most = MOST_PIECES.min(most_pieces(&game.board)).min(start.pieces() as u8).max(least);
    table.text(&format!(
        "a proof of the value of {game} from its start, within a factor of ten:\n\n{:>6}{:>12}{:>16}{:>12}{:>13}",
        "pieces", "nodes", "time, one core", "memory", "certificate"
    ))?;
    for pieces in least..=most {
        let effort = Effort::new(&game.board, &start, pieces);
        let row = ProofRow {
            pieces,
            nodes: effort.nodes.round(),
            core_seconds: thousandths(effort.seconds),
            memory: effort.memory.round(),
            certificate: effort.certificate.round(),
        };
        let [nodes, took] = [about(effort.nodes), time(effort.seconds)];
        let [memory, certificate] =
            [effort.memory, effort.certificate].map(|bytes| size(bytes as u64));
        let text = format!("{pieces:>6}{nodes:>12}{took:>16}{memory:>12}{certificate:>13}");
        table.row(&row, &text)?;
    }
    let Effort { nodes, seconds, .. } = Effort::new(&game.board, &start, most);
    if seconds > OUT_OF_REACH {
        let nodes = about(nodes);
        table.text(&format!(
            "\n{game}: {nodes} nodes and more even over {}: no. {SMALLER}",
            counted(most, "piece")
        ))?;
    }
    table.finish()
}

/// The forecast for the positions with one number of pieces.
#[derive(Serialize)]
struct Row {
    pieces: u8,
    positions: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth_seconds: Option<f64>,
    least_memory: u64,
    most_memory: u64,
    bytes: u64,
    bytes_in_all: u64,
    tables: u64,
    known: bool,
}

fn print(table: &mut Table, forecasts: &[Forecast]) -> Result<(), Failure> {
    table.text(&text_row(COLUMNS.map(String::from)))?;
    let mut total = 0.0;
    for forecast in forecasts {
        total += forecast.bytes;
        let row = Row {
            pieces: forecast.pieces,
            positions: forecast.positions,
            seconds: thousandths(forecast.seconds),
            depth_seconds: forecast.depth_seconds.map(thousandths),
            least_memory: forecast.least_memory,
            most_memory: forecast.most_memory,
            bytes: forecast.bytes.round() as u64,
            bytes_in_all: total.round() as u64,
            tables: forecast.tables,
            known: forecast.known,
        };
        table.row(&row, &text(&row))?;
    }
    let depths: Vec<f64> = forecasts.iter().filter_map(|forecast| forecast.depth_seconds).collect();
    if !depths.is_empty() {
        let each = forecasts.iter().zip(&depths);
        let each = each.map(|(forecast, &took)| format!("{} {}", forecast.pieces, time(took)));
        let each = each.collect::<Vec<_>>().join(", ");
        let all = time(depths.iter().sum());
        table.text(&format!("\ndepths: {all} in all; by number of pieces: {each}"))?;
    }
    Ok(())
}

fn thousandths(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

const COLUMNS: [&str; 9] = [
    "pieces",
    "positions",
    "time",
    "least memory",
    "most memory",
    "disk",
    "disk in all",
    "tables",
    "",
];

fn text(row: &Row) -> String {
    text_row([
        row.pieces.to_string(),
        grouped(row.positions),
        time(row.seconds),
        size(row.least_memory),
        size(row.most_memory),
        size(row.bytes),
        size(row.bytes_in_all),
        size(row.tables),
        if row.known { "there, or measured".into() } else { "estimated".into() },
    ])
}

fn text_row(row: [String; 9]) -> String {
    let [n, positions, time, least, most, disk, total, tables, note] = row;
    format!(
        "{n:>6}{positions:>22}{time:>12}{least:>14}{most:>13}{disk:>10}{total:>13}{tables:>10}  {note}"
    )
}
