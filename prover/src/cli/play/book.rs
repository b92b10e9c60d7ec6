//! `prove book`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::board::{Game, Position};
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{LimitOptions, MachineOptions, StoredOptions, ValuesOptions, parse_size};
use crate::cli::output::ResultWriter;
use crate::cli::stop::{is_stopped, stop_search_when_asked};
use crate::egdb::numbers::counted;
use certificate_spec::text::without_mark;
use clap::Args;
use draughtproof_play::book::{Book, Builder, Growth};
use draughtproof_proof::heuristic::{Heuristic, Limits};

#[derive(Args, Debug)]
#[command(after_help = notes("book"))]
pub(crate) struct Options {
    /// The file of the book
    #[arg(long = "out", value_name = "FILE")]
    file: PathBuf,
    /// End when the book has N positions
    #[arg(long, value_name = "N", default_value_t = 1000)]
    positions: usize,
    /// Begin also after the openings in FILE: columns with tabs between, named by the first line,
    /// one of them `moves`
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Memory of the table in which a search remembers positions, such as 64MiB or 1GiB
    #[arg(long, value_name = "SIZE", default_value = "128MiB", value_parser = parse_size)]
    hash: u64,
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    values: ValuesOptions,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

/// The default limit of nodes for a move.
const NODES: u64 = 1_000_000;
/// Interval between writes of the book.
const INTERVAL: Duration = Duration::from_secs(10);

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let game = options.stored.checkers();
    let mut book = match options.file.exists() {
        true => Book::read(&options.file, game)?,
        false => Book::default(),
    };
    let mut roots = vec![game.start()];
    if let Some(file) = &options.openings {
        roots.extend(read_openings(file, game)?);
    }
    // The writer is made and dropped, so that a file that cannot be written is reported before the
    // first search.
    ResultWriter::new(Some(&options.file))?;
    options.machine.start()?;
    let values = options.stored.open_if_there(&options.machine, &options.values)?;
    let engine = Heuristic::new(&game.board, &values)
        .with_threads(options.machine.workers())
        .with_memory(options.hash);
    if let Some(lack) = engine.lack() {
        return Err(lack.into());
    }
    stop_search_when_asked(engine.stop_flag())?;
    let limits = options.limits.limits(Limits { nodes: NODES, ..Limits::default() });
    let mut builder = Builder { board: &game.board, engine, limits, roots };

    let progress = options.machine.progress();
    let bar = progress.start("book".into(), options.positions as u64, "position");
    bar.resume(book.len() as u64);
    let mut written = Instant::now();
    while book.len() < options.positions {
        if builder.grow(&mut book, || is_stopped() || values.has_failed()) != Growth::Added {
            break;
        }
        bar.add(1);
        if written.elapsed() > INTERVAL {
            book.save(&options.file, game)?;
            written = Instant::now();
        }
    }
    bar.finish();
    book.save(&options.file, game)?;
    values.failure()?;
    progress.say(format!("{}: {}", options.file.display(), counted(book.len(), "position")));
    Ok(())
}

/// The positions after the openings of a file.
fn read_openings(file: &Path, game: &Game) -> Result<Vec<Position>, Failure> {
    let text = fs::read_to_string(file).map_err(|source| Failure::file(file, source))?;
    let fault = |what: &str| Failure::Input(format!("{}: {what}", file.display()));
    let lines = without_mark(&text).lines();
    let mut lines = lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let header = lines.next().unwrap_or_default();
    let Some(column) = header.split('\t').position(|name| name == "moves") else {
        return Err(fault("expected a column moves, found none"));
    };
    let start = game.start();
    let mut positions = Vec::new();
    for line in lines {
        let moves = line.split('\t').nth(column).unwrap_or_default();
        let played = game.board.read_line(&start, moves).map_err(|e| fault(&e.to_string()))?;
        positions.push(played.last().copied().unwrap_or(start));
    }
    Ok(positions)
}
