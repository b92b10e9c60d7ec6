//! `prove stats`.

use clap::Args;
use draughtproof_proof::report::{SliceRow, database_page};

use crate::board::Position;
use crate::cli::failure::Failure;
use crate::cli::options::{MachineOptions, StoredOptions};
use crate::cli::output::{PageFormat, PageOptions, ResultWriter};
use crate::egdb::stats::Counts;
use crate::egdb::{BuildSession, Depths, Slice, StoreError, Value, Values};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove stats --game 8x8 --db egdb --format tsv
  prove stats --game 8x8 --db egdb --html --out stats.html

A slice is written bm,bk,wm,wk (black men and kings, white men and kings), Black to move; the values are \
those for Black. All positions with both sides on the board count, those with a capture too. The last \
column is the longest depth of a win or loss in plies (`prove db --depth`), or - where depths are not \
stored. After the slices comes a total for each number of pieces.")]
pub(crate) struct Options {
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    page: PageOptions,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    options.machine.start()?;
    let mut out = options.page.begin()?;
    let board = options.stored.board();
    let store = options.stored.store();
    let manifest = options.stored.manifest(&store)?;
    let depths = options.stored.depths()?;
    let figures = store.figures();
    let mut session = BuildSession::new(&store, &manifest.cover, options.machine.memory())?;
    let work = manifest.slices.iter().map(|r| Slice::from(r.name).indices(board)).sum();
    let progress = options.machine.progress();
    let bar = progress.start(format!("counting {}", board.name()), work, "positions");
    let mut rows = Vec::new();
    for record in &manifest.slices {
        let slice = Slice::from(record.name);
        let noted = figures.iter().find(|f| f.slice == record.name);
        rows.push(SliceRow {
            slice,
            counts: session.count(slice)?,
            bytes: record.length,
            longest: depths.longest(slice)?,
            example: None,
            seconds: noted.map(|f| f.solve_seconds + f.write_seconds),
        });
        bar.add(slice.indices(board));
    }
    bar.finish();
    if options.page.format() == PageFormat::Html {
        // Only a page shows example positions.
        let values = session.into_values(options.machine.memory() / 2);
        for row in &mut rows {
            row.example = example(&depths, &values, row.slice)?;
        }
    }
    match options.page.format() {
        PageFormat::Html => out.text(&database_page(board, &manifest, &rows))?,
        format => print_all(&mut out, format, manifest.cover.most_pieces(), &rows)?,
    }
    out.finish()
}

/// A position of a slice with its longest depth, and its value; `None` where depths are not stored.
fn example(
    depths: &Depths,
    values: &Values,
    slice: Slice,
) -> Result<Option<(Position, Value)>, StoreError> {
    let Some(position) = depths.longest_position(slice)? else { return Ok(None) };
    Ok(values.try_probe(&position)?.map(|value| (position, value)))
}

fn print_all(
    out: &mut ResultWriter,
    format: PageFormat,
    pieces: u8,
    rows: &[SliceRow],
) -> Result<(), Failure> {
    let columns = ["slice", "positions", "win", "draw", "loss", "longest"].map(String::from);
    if format != PageFormat::Json {
        print(out, format, &columns)?;
    }
    for r in rows {
        let [a, b, c, d] = r.slice.name().0;
        print(out, format, &row(format!("{a},{b},{c},{d}"), &r.counts, r.longest))?;
    }
    for n in 2..=pieces {
        let mut all = Counts::default();
        // The longest depth is known only if it is known for all slices.
        let mut longest = Some(0);
        for r in rows.iter().filter(|r| r.slice.pieces() == n) {
            all.add(r.counts);
            longest = longest.zip(r.longest).map(|(all, one): (u32, u32)| all.max(one));
        }
        print(out, format, &row(format!("total {n}"), &all, longest))?;
    }
    Ok(())
}

fn row(name: String, c: &Counts, longest: Option<u32>) -> [String; 6] {
    let number = |n: u64| n.to_string();
    let longest = longest.map_or("-".into(), |longest| longest.to_string());
    [name, number(c.positions), number(c.win), number(c.draw()), number(c.loss), longest]
}

fn print(out: &mut ResultWriter, format: PageFormat, row: &[String; 6]) -> Result<(), Failure> {
    let [name, positions, win, draw, loss, longest] = row;
    match format {
        PageFormat::Tsv => out.line(&row.join("\t")),
        PageFormat::Text => {
            let counts = format!("{name:<12}{positions:>16}{win:>16}{draw:>16}{loss:>16}");
            out.line(&format!("{counts}{longest:>9}"))
        }
        PageFormat::Json | PageFormat::Html => {
            let longest = if longest == "-" { "null" } else { longest };
            out.line(&format!(
                r#"{{"slice":"{name}","positions":{positions},"win":{win},"draw":{draw},"loss":{loss},"longest":{longest}}}"#
            ))
        }
    }
}
