//! `prove annotate`.

use std::path::PathBuf;

use super::replay::strictness;
use crate::board::{PdnGame, PdnReader, write_pdn};
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{LimitOptions, MachineOptions, SourceOptions, open};
use crate::cli::output::{Format, ResultOptions, ResultWriter};
use clap::Args;
use draughtproof_play::games::{
    Annotated, AnnotatedRow, Judge, MISTAKE_COLUMNS, annotate, mistake_tsv,
};
use draughtproof_proof::heuristic::Limits;
use draughtproof_proof::progress::{Progress, print_line};

/// The default limit of nodes for a position.
const NODES: u64 = 100_000;

#[derive(Args, Debug)]
#[command(after_help = notes("annotate"))]
pub(crate) struct Options {
    #[command(flatten)]
    sources: SourceOptions,
    /// A file of games, in PDN ["-" is standard input]
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Accept only what PDN 3.0 has
    #[arg(long)]
    strict: bool,
    /// Write the list of mistakes to FILE
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitOptions,
    /// Write a remark on each move, not on mistakes only
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    // Files of games are of checkers, whatever databases are there.
    options.sources.stored.checkers();
    let used = options.sources.read()?;
    let game = used.stored.game();
    let (name, source) = open(&options.file)?;
    // A file that cannot be written is reported before the work.
    let mut out = options.result.begin()?;
    let table = options.table.as_deref().map(|file| ResultWriter::new(Some(file))).transpose()?;
    options.machine.start()?;
    let database = used.stored.load_if_there(&options.machine, &options.sources.values)?;
    let lookup = used.lookup(&database, None, None);
    let usual = Limits { nodes: NODES, ..Limits::default() };
    let judge = Judge::new(lookup, options.limits.limits(usual));
    let progress = options.machine.progress();
    let bar = progress.start("annotating".into(), 0, "position");
    let format = options.result.format;
    if format == Format::Tsv {
        out.line(MISTAKE_COLUMNS)?;
    }
    let mut games = 0;
    let mut faulty = 0;
    let mut list = String::new();
    let mut rows = String::new();
    for pdn in PdnReader::new(game, &name, source, strictness(options.strict)) {
        let pdn = pdn.map_err(|e| Failure::file(&options.file, e))?;
        games += 1;
        faulty += usize::from(pdn.fault.is_some());
        report(&progress, &name, &pdn)?;
        let Annotated { game: annotated, mistakes, .. } = annotate(&judge, pdn, options.all)?;
        database.failure()?;
        bar.add(annotated.positions.len() as u64 + 1);
        let pdn = write_pdn(&game.board, &annotated)?;
        match format {
            Format::Text if games > 1 => out.text(&format!("\n{pdn}"))?,
            Format::Text => out.text(&pdn)?,
            Format::Tsv => out.text(&mistake_tsv(&annotated, &mistakes))?,
            Format::Json => out.json(&AnnotatedRow::new(&annotated, &mistakes, &pdn))?,
        }
        // Output is flushed after each game, so that finished games are kept if the run is
        // interrupted.
        out.flush()?;
        rows += &mistake_tsv(&annotated, &mistakes);
        if format == Format::Text {
            for mistake in &mistakes {
                list += &(mistake.text(&annotated) + "\n");
            }
        }
    }
    bar.finish();
    if games == 0 {
        return Err(Failure::Input(format!("{name}: expected games, found none")));
    }
    out.finish()?;
    match table {
        Some(mut table) => {
            table.text(&format!("{MISTAKE_COLUMNS}\n{rows}"))?;
            table.finish()?;
        }
        None => list.lines().for_each(|line| progress.say(line.into())),
    }
    if faulty > 0 {
        return Err(Failure::Games { faulty, games });
    }
    Ok(())
}

/// Reports the fault of a game. A game whose text cannot be kept is a failure, which leaves the
/// files as they are.
fn report(progress: &Progress, name: &str, pdn: &PdnGame) -> Result<(), Failure> {
    if let Some(contradiction) = pdn.contradiction() {
        progress.say(format!("game {}: {name}, line {}: {contradiction}", pdn.number, pdn.line));
    }
    match (&pdn.fault, &pdn.unread) {
        (None, _) => {}
        (Some(fault), Some(_)) => {
            print_line(&format!("game {} is kept as it is from here on: {fault}", pdn.number));
        }
        (Some(fault), None) => return Err(Failure::Unkept(fault.to_string())),
    }
    Ok(())
}
