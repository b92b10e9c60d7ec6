//! `prove plan`.

use std::path::Path;

use clap::Args;
use draughtproof_proof::effort::Effort;
use draughtproof_proof::prepare_database::{Room, default_cover, most_pieces};
use serde::Serialize;

use crate::board::Game;
use crate::cli::failure::Failure;
use crate::cli::options::BuildOptions;
use crate::cli::output::{ResultOptions, Table};
use crate::egdb::cluster::{self, BuildStep, Limits, Program, build_steps, script_steps};
use crate::egdb::numbers::{about, counted, grouped, size, time};
use crate::egdb::{Cover, Forecast, Forecaster, PairForecast};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove plan --game 8x8 --pieces 8 --memory 16GiB --db egdb
  prove plan --game 8x8 --pieces 7,8:4     up to 7 pieces, and up to 8 with at most 4 a side
  prove plan --game 8x8 --pieces 6 --depth  and how long the depths of `prove db --depth` take
  prove plan --game 8x8                    a proof of the game: nodes, time, memory, certificate
  prove plan --game 8x8 --pieces 7 --db /shared/egdb --threads 8 --script slurm --out build
                                           the same as jobs for a cluster: build/submit.sh

Builds a small database in a temporary directory (some seconds) to measure this machine, takes in the \
sizes and times noted while the database in --db was built, and estimates the rest from them: time from \
what slices and positions took, size from slices with one piece less on both sides. Times are for the given \
number of threads and a machine that is as busy as now. Of what is on disk already, the size is known and the time is what it would take again.

Columns: number of pieces; positions with exactly that number, Black to move, as `prove stats` counts them (progress and \
verdicts count indices, of which some stand for no position: pieces would overlap); the time to build them (in tsv and json: seconds); the \
least memory with which that is possible, and the memory with which nothing has to be read twice or kept in \
files; bytes on disk of these, while building and afterwards, and of all up to here; and of the tables that \
searches map (`prove db map`). Then the slices that take longest.

With --depth, some depths of the small database are found, too; all others take as long by position. \
Without --pieces it is what a proof of the value of the game from its start may take, over databases of some \
numbers of pieces: a model fitted to the games that are solved, right within a factor of ten (docs/scale.md). Time is \
that of one core. Memory is that with which no search forgets what it has found; with less (--leaf-table) it takes \
longer. In tsv and json the columns are pieces, nodes, core_seconds, memory and certificate (bytes).

With --script the directory --out gets job arrays of fewer than 1,000 tasks, each of which builds some slices \
from finished ones in --db, a directory that all machines see (or through --store), and submit.sh, which submits them all in order. The \
memory that a task asks for, and four times its time and ten minutes, come from the forecast. --threads is for each \
task. If jobs fail, run submit.sh again: what is finished ends at once. The variable PROVE says where the program is \
on the cluster, if not where it is here.")]
pub(crate) struct Options {
    #[command(flatten)]
    build: BuildOptions,
    /// Also forecast how long it takes to find the depths
    #[arg(long, requires = "cover", conflicts_with = "script")]
    depth: bool,
    /// Write the building as jobs for a cluster, to the directory --out, which must be new
    #[arg(long, value_parser = ["slurm"], requires_all = ["out", "cover"])]
    script: Option<String>,
    /// Time that the slices of a task should take together, by the forecast, so that starting and
    /// reading is little of it
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0, requires = "script",
          value_parser = parse_seconds)]
    task_time: f64,
    /// Let tasks read all that they need from compressed files, which takes about half as long as
    /// solving; without this option, they leave tables to each other in DIR/RxC.tables
    #[arg(long, requires = "script")]
    no_map: bool,
    /// Let slices go through this object store, s3://bucket/prefix or a directory; --db may be
    /// another directory on each machine then, such as a local disk
    #[arg(long, value_name = "PLACE", requires = "script")]
    store: Option<String>,
    #[command(flatten)]
    result: ResultOptions,
}

/// A step of the jobs.
#[derive(Serialize)]
struct Job<'a> {
    step: &'a str,
    tasks: usize,
    slices: usize,
    /// Bytes of memory of each task.
    memory: u64,
    /// Time limit of each task, in minutes.
    minutes: u64,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|s: &f64| s.is_finite() && *s >= 0.0);
    seconds.ok_or_else(|| "expected seconds".into())
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let machine = &options.build.machine;
    if !options.build.has_cover() {
        return print_proofs(options.build.game(), options.result.begin_table()?);
    }
    let (store, cover) = options.build.start()?;
    let (directory, mut table) = match options.script {
        Some(_) => {
            let (directory, table) = options.result.begin_directory()?;
            (Some(directory), table)
        }
        None => (None, options.result.begin_table()?),
    };
    let scratch = tempfile::tempdir().map_err(|e| Failure::file(std::env::temp_dir(), e))?;
    machine.progress().say("measuring this machine".into());
    let memory = machine.memory();
    let files = Room { memory, holding: None, map_space: None }.map_space(&store)?;
    let mut forecaster = Forecaster::new(&store, scratch.path(), memory, files)?;
    if options.depth {
        forecaster.measure_depths(scratch.path())?;
    }
    let forecasts = forecaster.forecast(cover);
    if let Some(directory) = directory {
        let steps = build_steps(&forecaster.pairs(cover), options.task_time);
        return write_scripts(options, cover, &directory, &steps, table);
    }
    print(&mut table, &forecasts)?;
    table.finish()
}

/// Writes the jobs of a build, and lists them.
fn write_scripts(
    options: &Options,
    cover: &Cover,
    directory: &Path,
    steps: &[BuildStep],
    mut table: Table,
) -> Result<(), Failure> {
    let board = options.build.board();
    let folder = options.build.folder();
    let program = Program {
        path: std::env::current_exe().map_err(|e| Failure::file("prove", e))?,
        board,
        cover,
        databases: std::path::absolute(folder).map_err(|e| Failure::file(folder, e))?,
        threads: options.build.machine.workers(),
        store: options.store.as_deref(),
        map: !options.no_map,
    };
    let jobs = script_steps(&program, steps);
    let title = format!("The database {} with {cover} pieces", board.name());
    cluster::write(directory, &title, &jobs).map_err(|e| Failure::file(directory, e))?;
    for job in &jobs {
        let slices: usize = job.tasks.iter().map(|task| task.split_whitespace().count()).sum();
        let Limits { memory, minutes, .. } = job.limits;
        let job = Job { step: &job.name, tasks: job.tasks.len(), slices, memory, minutes };
        let Job { step, tasks, .. } = job;
        let size = size(memory);
        let text = format!(
            "{step:<8} {:>12} {:>22} {size:>10} {minutes:>6} min",
            counted(tasks, "task"),
            counted(slices, "pair of slices")
        );
        table.row(&job, &text)?;
    }
    table.finish()
}

/// What is smaller than the proof of a game.
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
    match forecasts.last() {
        Some(last) => print_largest(table, last),
        None => Ok(()),
    }
}

fn thousandths(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// Lists the slices of a forecast that take longest.
fn print_largest(table: &mut Table, forecast: &Forecast) -> Result<(), Failure> {
    let pieces = forecast.pieces;
    table.text(&format!(
        "\nWith {} these slices (with their twins) take longest:",
        counted(pieces, "piece")
    ))?;
    for &PairForecast { slice, seconds, bytes, .. } in &forecast.largest {
        let [a, b, c, d] = slice.name().0;
        let slice = format!("{a},{b},{c},{d}");
        let share = 100.0 * seconds / forecast.seconds.max(f64::MIN_POSITIVE);
        let took = time(seconds);
        let size = size(bytes as u64);
        table.text(&format!("  {slice:<10}{took:>12}{share:>6.0} %{size:>12}"))?;
    }
    Ok(())
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
