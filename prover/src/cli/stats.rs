//! `prove stats`.

use std::io::{self, Write};

use clap::Args;

use super::common::{Failure, Format, StoredOptions};
use crate::egdb::Slice;
use crate::egdb::stats::{Counts, count};

#[derive(Args, Debug)]
#[command(after_help = "Example:
  prove stats --game 8x8 --db egdb --format tsv

A slice is written bm,bk,wm,wk (black men and kings, white men and kings), Black to move; the values are
those for Black. All positions with both sides on the board count, those with a capture too. After the
slices comes a total for each number of pieces.")]
pub(super) struct Options {
    #[command(flatten)]
    stored: StoredOptions,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let board = options.stored.board();
    let database = options.stored.load()?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let columns = ["slice", "positions", "win", "draw", "loss"].map(String::from);
    if options.format != Format::Json {
        print(&mut out, options.format, &columns)?;
    }
    let mut totals = vec![Counts::default(); usize::from(database.pieces()) + 1];
    for slice in Slice::all(board, database.pieces()) {
        let counts = count(&database, slice);
        totals[usize::from(slice.pieces())].add(counts);
        let [a, b, c, d] = slice.name().0;
        print(&mut out, options.format, &row(format!("{a},{b},{c},{d}"), &counts))?;
    }
    for (pieces, counts) in totals.iter().enumerate().skip(2) {
        print(&mut out, options.format, &row(format!("total {pieces}"), counts))?;
    }
    Ok(out.flush()?)
}

fn row(name: String, c: &Counts) -> [String; 5] {
    let number = |n: u64| n.to_string();
    [name, number(c.positions), number(c.win), number(c.draw()), number(c.loss)]
}

fn print(out: &mut impl Write, format: Format, row: &[String; 5]) -> io::Result<()> {
    let [name, positions, win, draw, loss] = row;
    match format {
        Format::Tsv => writeln!(out, "{}", row.join("\t")),
        Format::Text => writeln!(out, "{name:<12}{positions:>16}{win:>16}{draw:>16}{loss:>16}"),
        Format::Json => writeln!(
            out,
            r#"{{"slice":"{name}","positions":{positions},"win":{win},"draw":{draw},"loss":{loss}}}"#
        ),
    }
}
