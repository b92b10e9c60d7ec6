//! `prove plan`.

use std::path::Path;

use clap::{Args, ValueEnum};
use draughtproof_proof::prepare_database::Room;
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::options::BuildOptions;
use crate::cli::options::sizes::bytes;
use crate::cli::output::{Format, ResultOptions, ResultWriter};
use crate::egdb::cluster::{self, BuildStep, Limits, Program, build_steps, script_steps};
use crate::egdb::{Cover, Forecast, Forecaster, PairForecast};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove plan --game 8x8 --pieces 8 --memory 16GiB --db egdb
  prove plan --game 8x8 --pieces 7,8:4     up to 7 pieces, and up to 8 with at most 4 a side
  prove plan --game 8x8 --pieces 7 --db /shared/egdb --threads 8 --script slurm --out build
                                           the same as jobs for a cluster: build/submit.sh

Builds a small database in a temporary directory (some seconds) to measure this machine, takes in the \
sizes and times noted while the database in --db was built, and estimates the rest from them: time from \
what slices and positions took, size from slices with one piece less on both sides. Times are for the given \
number of threads and a machine that is as busy as now. Of what is on disk already, the size is known and the time is what it would take again.

Columns: number of pieces; positions with exactly so many; the time to build them (in tsv and json: seconds); the \
least memory with which that is possible, and the memory with which nothing has to be read twice or kept in \
files; bytes on disk of these, while building and afterwards, and of all up to here; and of the tables that \
searches map (`prove db map`). Then the slices that take longest.

With --script the directory --out gets job arrays of fewer than 1,000 tasks, each of which builds some slices \
from finished ones in --db, a directory that all machines see (or through --store), and submit.sh, which submits them all in order. The \
memory that a task asks for, and four times its time and ten minutes, come from the forecast. --threads is for each \
task. If jobs fail, run submit.sh again: what is finished ends at once. The variable PROVE says where the program is \
on the cluster, if not where it is here.")]
pub(crate) struct Options {
    #[command(flatten)]
    build: BuildOptions,
    /// Write the building as jobs for a cluster, to the directory --out, which must be new
    #[arg(long, value_enum, requires = "out")]
    script: Option<Scheduler>,
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

/// The batch system of a cluster.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Scheduler {
    /// Slurm
    Slurm,
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
    let (store, cover) = options.build.start()?;
    let scripts = options.script.map(|Scheduler::Slurm| options.result.begin_directory());
    let (directory, mut out) = match scripts.transpose()? {
        Some((directory, out)) => (Some(directory), out),
        None => (None, options.result.begin()?),
    };
    let scratch = tempfile::tempdir()
        .map_err(|source| Failure::File { path: std::env::temp_dir(), source })?;
    machine.progress().say("measuring this machine".into());
    let memory = machine.memory();
    let files = Room { memory, holding: None, map_space: None }.map_space(&store)?;
    let mut forecaster = Forecaster::new(&store, scratch.path(), memory, files)?;
    let forecasts = forecaster.forecast(cover);
    if let Some(directory) = directory {
        let steps = build_steps(&forecaster.pairs(cover), options.task_time);
        return write_scripts(options, cover, &directory, &steps, out);
    }
    print(&mut out, options.result.format, &forecasts)?;
    out.finish()
}

/// Writes the jobs of a build, and lists them.
fn write_scripts(
    options: &Options,
    cover: &Cover,
    directory: &Path,
    steps: &[BuildStep],
    mut out: ResultWriter,
) -> Result<(), Failure> {
    let file = |path: &Path, source| Failure::File { path: path.into(), source };
    let (board, folder) = (options.build.board(), options.build.folder());
    let program = Program {
        path: std::env::current_exe().map_err(|e| file(Path::new("prove"), e))?,
        board,
        cover,
        databases: std::path::absolute(folder).map_err(|e| file(folder, e))?,
        threads: options.build.machine.workers(),
        store: options.store.as_deref(),
        map: !options.no_map,
    };
    let jobs = script_steps(&program, steps);
    let title = format!("The database {} with {cover} pieces", board.name());
    cluster::write(directory, &title, &jobs).map_err(|e| file(directory, e))?;
    let format = options.result.format;
    if format == Format::Tsv {
        out.line("step\ttasks\tslices\tmemory\tminutes")?;
    }
    for job in &jobs {
        let slices = job.tasks.iter().map(|task| task.matches("--slice").count()).sum();
        let Limits { memory, minutes, .. } = job.limits;
        let job = Job { step: &job.name, tasks: job.tasks.len(), slices, memory, minutes };
        let Job { step, tasks, .. } = &job;
        match format {
            Format::Text => {
                let memory = bytes(memory as f64);
                out.line(&format!(
                    "{step:<8} {tasks:>6} tasks {slices:>6} pairs of slices {memory:>10} {minutes:>6} min"
                ))?;
            }
            Format::Tsv => out.line(&format!("{step}\t{tasks}\t{slices}\t{memory}\t{minutes}"))?,
            Format::Json => out.json(&job)?,
        }
    }
    out.finish()
}

/// A time with its unit, as text, rounded to the precision of a forecast.
fn time(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    let (days, hours, minutes) = (whole / 86_400, whole / 3600, whole / 60);
    match whole {
        0 => "< 1 s".into(),
        1..60 => format!("{whole} s"),
        60..600 => format!("{minutes} min {} s", whole % 60),
        600..3600 => format!("{minutes} min"),
        3600..172_800 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

fn print(out: &mut ResultWriter, format: Format, forecasts: &[Forecast]) -> Result<(), Failure> {
    let mut total = 0.0;
    let columns = [
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
    match format {
        Format::Text => out.line(&text_row(columns.map(String::from)))?,
        Format::Tsv => out.line(
            "pieces\tpositions\tseconds\tleast_memory\tmost_memory\tbytes\tbytes_in_all\ttables\tknown",
        )?,
        Format::Json => {}
    }
    for f in forecasts {
        total += f.bytes;
        let (n, positions, known) = (f.pieces, f.positions, f.known);
        let (seconds, least, most, tables) = (f.seconds, f.least_memory, f.most_memory, f.tables);
        match format {
            Format::Text => {
                let there = if known { "there, or measured" } else { "estimated" };
                let row = [
                    n.to_string(),
                    positions.to_string(),
                    time(seconds),
                    bytes(least as f64),
                    bytes(most as f64),
                    bytes(f.bytes),
                    bytes(total),
                    bytes(tables as f64),
                    there.into(),
                ];
                out.line(&text_row(row))?;
            }
            Format::Tsv => out.line(&format!(
                "{n}\t{positions}\t{seconds:.3}\t{least}\t{most}\t{:.0}\t{total:.0}\t{tables}\t{known}",
                f.bytes
            ))?,
            Format::Json => out.line(&format!(
                r#"{{"pieces":{n},"positions":{positions},"seconds":{seconds:.3},"least_memory":{least},"most_memory":{most},"bytes":{:.0},"bytes_in_all":{total:.0},"tables":{tables},"known":{known}}}"#,
                f.bytes
            ))?,
        }
    }
    if let (Format::Text, Some(last)) = (format, forecasts.last()) {
        out.line(&format!(
            "\nWith {} pieces these slices (with their twins) take longest:",
            last.pieces
        ))?;
        for &PairForecast { slice, seconds, bytes: size, .. } in &last.largest {
            let [a, b, c, d] = slice.name().0;
            let share = 100.0 * seconds / last.seconds.max(f64::MIN_POSITIVE);
            let (seconds, size) = (time(seconds), bytes(size));
            let slice = format!("{a},{b},{c},{d}");
            out.line(&format!("  {slice:<10}{seconds:>12}{share:>6.0} %{size:>12}"))?;
        }
    }
    Ok(())
}

fn text_row(row: [String; 9]) -> String {
    let [n, positions, time, least, most, disk, total, tables, note] = row;
    format!(
        "{n:>6}{positions:>22}{time:>12}{least:>14}{most:>13}{disk:>10}{total:>13}{tables:>10}  {note}"
    )
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn a_time_has_units() {
        for (seconds, text) in [
            (0.4, "< 1 s"),
            (0.5, "1 s"),
            (59.4, "59 s"),
            (59.5, "1 min 0 s"),
            (449.0, "7 min 29 s"),
            (2955.0, "49 min"),
            (3599.6, "1 h 0 min"),
            (24_600.0, "6 h 50 min"),
            (864_000.0, "10 d 0 h"),
        ] {
            assert_eq!(time(seconds), text);
        }
    }
}
