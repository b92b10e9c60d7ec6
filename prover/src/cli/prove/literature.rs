//! `prove literature`.

use std::path::{Path, PathBuf};

use crate::board::{Board, Game, Position};
use crate::cli::failure::Failure;
use crate::cli::notes::notes;
use crate::cli::options::{MachineOptions, StoredOptions, ValuesOptions};
use crate::cli::output::{ResultOptions, Table};
use crate::egdb::{StoreError, Value, Values};
use clap::Args;
use draughtproof_play::literature::{Evidence, Known, Outcomes, Published, read_literature};
use draughtproof_proof::certificate::Stored;
use draughtproof_proof::progress::Progress;
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("literature"))]
pub(crate) struct Options {
    /// The file of published values
    #[arg(value_name = "FILE")]
    literature: PathBuf,
    /// Certificates
    #[arg(value_name = "CERT")]
    certificates: Vec<PathBuf>,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    values: ValuesOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let game = options.stored.game();
    let literature = read_literature(&options.literature, game)?;
    let mut table = options.result.begin_table()?;
    let progress = options.machine.progress();
    let mut evidence = Evidence::new(&game.board);
    for directory in &options.certificates {
        add(&mut evidence, game, directory, &progress)?;
    }
    options.machine.start()?;
    let values = options.stored.open_if_there(&options.machine, &options.values)?;
    let mut rows = Vec::new();
    for published in &literature {
        let position = &published.position;
        let in_database = value(&game.board, &values, position)?;
        rows.push((published, evidence.of(position, in_database)?));
    }
    let counts = Counts::of(&rows);
    print(&mut table, &rows, &counts)?;
    table.finish()?;
    match counts.disagree {
        0 => Ok(()),
        disagree => Err(Failure::Disagreements { disagree, lines: counts.lines }),
    }
}

/// Adds the claim of the certificate in a directory to the evidence.
fn add(
    evidence: &mut Evidence<'_>,
    game: &Game,
    directory: &Path,
    progress: &Progress,
) -> Result<(), Failure> {
    let stored = Stored::read(directory)?;
    let name = directory.display();
    if stored.game.to_string() != game.to_string() {
        let found = &stored.game;
        let what = format!("{name}/CLAIM: expected game {game} as in --game, found game {found}");
        return Err(Failure::Input(what));
    }
    let assumed = stored.assumed();
    if assumed > 0 {
        progress.say(format!(
            "{name} does not count: it rests on assumed positions, {assumed} of them"
        ));
        return Ok(());
    }
    let outcomes = Outcomes::of_claim(stored.claim.value);
    Ok(evidence.add(&stored.start, outcomes, name.to_string())?)
}

/// The number of lines of each kind.
#[derive(Serialize)]
struct Counts {
    lines: usize,
    agree: usize,
    disagree: usize,
    open: usize,
}

impl Counts {
    fn of(rows: &[(&Published, Known)]) -> Counts {
        let agreements = || rows.iter().map(|(published, known)| known.agreement(published.value));
        let count = |wanted| agreements().filter(|agreement| *agreement == wanted).count();
        let [agree, disagree, open] = ["agree", "disagree", "open"].map(count);
        Counts { lines: rows.len(), agree, disagree, open }
    }
}

/// A line of the output.
#[derive(Serialize)]
struct Row<'a> {
    line: usize,
    position: &'a str,
    published: &'static str,
    proved: &'static str,
    by: &'a [String],
    result: &'static str,
}

fn print(table: &mut Table, rows: &[(&Published, Known)], counts: &Counts) -> Result<(), Failure> {
    table.columns(&["line", "position", "published", "proved", "by", "result"])?;
    for (published, known) in rows {
        let row = Row {
            line: published.line,
            position: &published.text,
            published: published.value.word(),
            proved: known.outcomes.word(),
            by: &known.sources,
            result: known.agreement(published.value),
        };
        table.row(&row, &text(&row))?;
    }
    let Counts { lines, agree, disagree, open } = counts;
    let summary = format!("{lines} compared: {agree} agree, {disagree} disagree, {open} open");
    table.counts(counts, &summary)
}

/// A line in aligned columns.
fn text(row: &Row<'_>) -> String {
    let Row { line, position, published, proved, by, result } = row;
    let by = if by.is_empty() { "-".into() } else { by.join(", ") };
    format!("{result:<9}{line:>5}  {position:<40} {published:<15}{proved:<15}{by}")
}

/// The value from the database, if it covers the position, or from the rules, if a side has no
/// pieces.
fn value(board: &Board, values: &Values, position: &Position) -> Result<Option<Value>, StoreError> {
    if !position.both_sides() {
        return Ok(Some(if board.can_move(position) { Value::Win } else { Value::Loss }));
    }
    values.try_probe(position)
}
