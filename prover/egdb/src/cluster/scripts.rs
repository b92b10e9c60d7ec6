//! The steps of a build as jobs of a batch system.

use std::path::{Path, PathBuf};

use certificate_spec::cover::Cover;

use super::slurm::{Limits, Step, quoted};
use super::steps::{BuildStep, BuildTask};
use draughtproof_game::Board;

/// The ratio of a task's time limit to its forecast, for slower or busy machines.
const PATIENCE: f64 = 4.0;
/// The least time limit, in minutes, for starting and for waiting for files.
const LEAST_MINUTES: u64 = 10;
/// The bytes of memory of the program itself, besides its tables.
const PROGRAM: u64 = 128 << 20;
/// The least memory for tables, in bytes: asking for less gains nothing.
const LEAST_MEMORY: u64 = 256 << 20;

/// The settings of the command that every task runs.
#[derive(Debug, Clone)]
pub struct Program<'a> {
    /// The path of the program `prove`.
    pub path: PathBuf,
    /// The board.
    pub board: &'a Board,
    /// The cover of the whole database.
    pub cover: &'a Cover,
    /// The absolute path of the folder of the databases.
    pub databases: PathBuf,
    /// The number of threads of each task.
    pub threads: usize,
    /// The object store through which slices go, if the machines have no folder in common.
    pub store: Option<&'a str>,
    /// Whether tasks share tables in files that are mapped.
    pub map: bool,
}

/// The bytes of memory with which few tables have to be read twice, where `least` is the minimum.
fn enough(least: u64) -> u64 {
    (least + least / 2).max(LEAST_MEMORY)
}

fn minutes(seconds: f64) -> u64 {
    (seconds * PATIENCE / 60.0).ceil() as u64 + LEAST_MINUTES
}

/// The jobs of a build: one for each of its steps, and a last one that makes a database of the
/// built slices.
pub fn script_steps(program: &Program<'_>, steps: &[BuildStep]) -> Vec<Step> {
    let mut jobs: Vec<Step> = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let seconds = step.tasks.iter().map(|task| task.seconds).fold(0.0, f64::max);
        let memory = enough(step.tasks.iter().map(|task| task.memory).max().unwrap_or(0));
        let words = |task: &BuildTask| {
            let words = task.slices.iter().map(|slice| slice.name().file_name());
            words.collect::<Vec<_>>().join(" ")
        };
        jobs.push(Step {
            name: format!("step-{:02}", i + 1),
            after: step.after.clone(),
            limits: limits(memory, minutes(seconds), program.threads),
            command: command(program, "slice", memory, program.map),
            tasks: step.tasks.iter().map(words).collect(),
        });
    }
    let needed: Vec<usize> = steps.iter().flat_map(|step| step.after.clone()).collect();
    // The last job has as much memory as any task, since it rebuilds slices that are damaged.
    let memory = steps.iter().flat_map(|s| &s.tasks).map(|task| task.memory).max();
    let memory = enough(memory.unwrap_or(0));
    let total: f64 = steps.iter().flat_map(|s| &s.tasks).map(|task| task.seconds).sum();
    jobs.push(Step {
        name: "finish".into(),
        after: (0..steps.len()).filter(|step| !needed.contains(step)).collect(),
        // The last job reads all files, which takes a small part of the time of building them.
        limits: limits(memory, minutes(total / 10.0), program.threads),
        command: command(program, "build", memory, false),
        tasks: vec![String::new()],
    });
    jobs
}

fn limits(memory: u64, minutes: u64, threads: usize) -> Limits {
    Limits { memory: memory + PROGRAM, minutes, threads }
}

/// A command of `prove db`, for a task; the variable PROVE, if set where the jobs run, names
/// another program.
fn command(program: &Program<'_>, name: &str, memory: u64, map: bool) -> String {
    let Program { path, board, cover, databases, threads, store, .. } = program;
    let map = if map { " --map" } else { "" };
    let store = store.map_or(String::new(), |place| format!(" --store {}", quoted(place)));
    let text = |path: &Path| quoted(&path.to_string_lossy());
    let (path, databases, board) = (text(path), text(databases), board.name());
    // In old versions of bash the plain expansion of an array without elements is an error.
    format!(
        "program={path}
exec \"${{PROVE:-$program}}\" db {name} --game {board} --pieces {cover} --db {databases} --threads {threads} \\
  --memory {memory}{map}{store} --quiet ${{task[@]+\"${{task[@]}}\"}}"
    )
}
