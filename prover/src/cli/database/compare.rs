//! `prove db compare`.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use crate::cli::failure::Failure;
use crate::cli::notes::notes;
use crate::cli::options::{MachineOptions, StoredOptions, ValuesOptions};
use crate::cli::output::{Format, ResultOptions, Table};
use crate::egdb::exchange::{Compared, Difference, compare_values};
use clap::Args;
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("db compare"))]
pub(super) struct Options {
    /// The file of values
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    values: ValuesOptions,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

/// The numbers of lines, by how their values agree with the database.
#[derive(Serialize)]
struct Counts {
    compared: u64,
    agree: u64,
    disagree: u64,
    not_covered: u64,
}

/// A line of a file whose value differs from that of the database.
#[derive(Serialize)]
struct Other<'a> {
    line: usize,
    fen: &'a str,
    found: &'static str,
    database: &'static str,
}

/// Shows the lines of a file whose values differ from the database, and the counts.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    options.machine.start()?;
    let mut table = options.result.begin_table()?;
    let path = &options.file;
    let file = File::open(path).map_err(|source| Failure::file(path, source))?;
    let values = options.stored.open(&options.machine, &options.values)?;
    table.columns(&["line", "fen", "found", "database"])?;
    let compared = compare_values(&values, path, BufReader::new(file), |difference| {
        show(&mut table, difference)
    })?;
    let Compared { agree, disagree, unknown } = compared;
    let lines = agree + disagree + unknown;
    // TSV has the differing lines only.
    if options.result.format != Format::Tsv {
        let text =
            format!("{lines} compared: {agree} agree, {disagree} disagree, {unknown} not covered");
        let counts = Counts { compared: lines, agree, disagree, not_covered: unknown };
        table.counts(&counts, &text)?;
    }
    table.finish()?;
    match disagree {
        0 => Ok(()),
        disagree => Err(Failure::Differences { disagree, lines }),
    }
}

fn show(table: &mut Table, difference: &Difference) -> Result<(), Failure> {
    let &Difference { line, ref fen, found, database } = difference;
    let found = found.name();
    let database = database.name();
    let text = format!("line {line}\t{fen}\tfound {found}\tdatabase {database}");
    table.row(&Other { line, fen, found, database }, &text)
}
