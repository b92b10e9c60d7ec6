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
those for Black. All positions with both sides on the board count, those with a capture too. The last
column is the longest depth of a win or loss in plies (`prove db --depth`), or - where depths are not
stored. After the slices comes a total for each number of pieces.")]
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
    let columns = ["slice", "positions", "win", "draw", "loss", "longest"].map(String::from);
    if options.format != Format::Json {
        print(&mut out, options.format, &columns)?;
    }
    let depths = options.stored.depths()?;
    // For each number of pieces the counts, and the longest depth if those of all slices are there.
    let zero = (Counts::default(), Some(0));
    let mut totals = vec![zero; usize::from(database.pieces()) + 1];
    for slice in Slice::all(board, database.pieces()) {
        let (counts, longest) = (count(&database, slice), depths.longest(slice)?);
        let total = &mut totals[usize::from(slice.pieces())];
        total.0.add(counts);
        total.1 = total.1.zip(longest).map(|(all, one)| all.max(one));
        let [a, b, c, d] = slice.name().0;
        print(&mut out, options.format, &row(format!("{a},{b},{c},{d}"), &counts, longest))?;
    }
    for (pieces, (counts, longest)) in totals.iter().enumerate().skip(2) {
        print(&mut out, options.format, &row(format!("total {pieces}"), counts, *longest))?;
    }
    Ok(out.flush()?)
}

fn row(name: String, c: &Counts, longest: Option<u32>) -> [String; 6] {
    let number = |n: u64| n.to_string();
    let longest = longest.map_or("-".into(), |longest| longest.to_string());
    [name, number(c.positions), number(c.win), number(c.draw()), number(c.loss), longest]
}

fn print(out: &mut impl Write, format: Format, row: &[String; 6]) -> io::Result<()> {
    let [name, positions, win, draw, loss, longest] = row;
    match format {
        Format::Tsv => writeln!(out, "{}", row.join("\t")),
        Format::Text => {
            write!(out, "{name:<12}{positions:>16}{win:>16}{draw:>16}{loss:>16}")?;
            writeln!(out, "{longest:>9}")
        }
        Format::Json => {
            let longest = if longest == "-" { "null" } else { longest };
            writeln!(
                out,
                r#"{{"slice":"{name}","positions":{positions},"win":{win},"draw":{draw},"loss":{loss},"longest":{longest}}}"#
            )
        }
    }
}
