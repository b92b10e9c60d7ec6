//! The steps of a build as jobs.

use std::path::{Path, PathBuf};

use slurm_jobs::{Limits, Step, quoted};

use super::steps::{BuildStep, BuildTask};
use crate::board::Board;
use crate::egdb::Cover;

/// A task takes about as long as was forecast; on a slower or busy machine several times as long.
const PATIENCE: f64 = 4.0;
/// Minutes for what no forecast has: starting, waiting for files.
const LEAST_MINUTES: u64 = 10;
/// Bytes for the program and for what is around its tables.
const PROGRAM: u64 = 128 << 20;
/// The least memory for tables: asking for less gains nothing.
const LEAST_MEMORY: u64 = 256 << 20;

/// What every task runs.
#[derive(Debug, Clone)]
pub struct Program<'a> {
    /// The program `prove`.
    pub path: PathBuf,
    /// The board.
    pub board: &'a Board,
    /// The cover of the whole database.
    pub cover: &'a Cover,
    /// The folder of the databases, from the root of the file system.
    pub databases: PathBuf,
    /// Threads of each task.
    pub threads: usize,
    /// The object store through which slices go, if the machines have no folder in common.
    pub store: Option<&'a str>,
    /// Whether tasks leave tables to each other, in files that are mapped.
    pub map: bool,
}

/// Bytes with which little has to be read twice, where `least` are the least.
fn enough(least: u64) -> u64 {
    (least + least / 2).max(LEAST_MEMORY)
}

fn minutes(seconds: f64) -> u64 {
    (seconds * PATIENCE / 60.0).ceil() as u64 + LEAST_MINUTES
}

/// The jobs of a build: its steps, and at the end one that makes a database of what they have
/// built.
pub fn script_steps(program: &Program<'_>, steps: &[BuildStep]) -> Vec<Step> {
    let mut jobs: Vec<Step> = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let seconds = step.tasks.iter().map(|task| task.seconds).fold(0.0, f64::max);
        let memory = enough(step.tasks.iter().map(|task| task.memory).max().unwrap_or(0));
        let words = |task: &BuildTask| {
            let words = task.slices.iter().map(|s| format!("--slice {}", s.name().file_name()));
            words.collect::<Vec<_>>().join(" ")
        };
        jobs.push(Step {
            name: format!("step-{:02}", i + 1),
            after: step.after.clone(),
            limits: limits(memory, minutes(seconds), program.threads),
            command: command(program, memory, program.map),
            tasks: step.tasks.iter().map(words).collect(),
        });
    }
    let needed: Vec<usize> = steps.iter().flat_map(|step| step.after.clone()).collect();
    // As much as any task: what it finds damaged it builds again.
    let memory = steps.iter().flat_map(|s| &s.tasks).map(|task| task.memory).max();
    let memory = enough(memory.unwrap_or(0));
    let total: f64 = steps.iter().flat_map(|s| &s.tasks).map(|task| task.seconds).sum();
    jobs.push(Step {
        name: "finish".into(),
        after: (0..steps.len()).filter(|step| !needed.contains(step)).collect(),
        // It reads all files, which is a small part of what it takes to make them.
        limits: limits(memory, minutes(total / 10.0), program.threads),
        command: command(program, memory, false),
        tasks: vec![String::new()],
    });
    jobs
}

fn limits(memory: u64, minutes: u64, threads: usize) -> Limits {
    Limits { memory: memory + PROGRAM, minutes, threads }
}

/// The program, unless the variable PROVE names another one where the jobs run.
fn command(program: &Program<'_>, memory: u64, map: bool) -> String {
    let Program { path, board, cover, databases, threads, store, .. } = program;
    let map = if map { " --map" } else { "" };
    let store = store.map_or(String::new(), |place| format!(" --store {}", quoted(place)));
    let text = |path: &Path| quoted(&path.to_string_lossy());
    let (path, databases, board) = (text(path), text(databases), board.name());
    // An array without elements is an error in old versions of bash if it is expanded like others.
    format!(
        "program={path}
exec \"${{PROVE:-$program}}\" db --game {board} --pieces {cover} --db {databases} --threads {threads} \\
  --memory {memory}{map}{store} --quiet ${{task[@]+\"${{task[@]}}\"}}"
    )
}
