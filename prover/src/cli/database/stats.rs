//! `prove stats`.

use crate::board::Position;
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{MachineOptions, StoredOptions};
use crate::cli::output::{PageOptions, Table};
use crate::egdb::numbers::grouped;
use crate::egdb::stats::Counts;
use crate::egdb::{BuildSession, Depths, Slice, StoreError, Value, Values};
use certificate_spec::database::DatabaseManifest;
use clap::Args;
use draughtproof_proof::report::{SliceRow, database_page};
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("stats"))]
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
    let mut session = BuildSession::new(&store, &manifest.cover, options.machine.memory())?;
    let mut rows = count(options, &manifest, &mut session, &depths)?;
    let Some(format) = options.page.table_format() else {
        // Only a page shows example positions.
        let values = session.into_values(options.machine.memory() / 2);
        for row in &mut rows {
            row.example = example(&depths, &values, row.slice)?;
        }
        out.text(&database_page(board, &manifest, &rows))?;
        return out.finish();
    };
    print(Table::new(out, format), manifest.cover.most_pieces(), &rows)
}

/// Counts the values of each slice of a database.
fn count(
    options: &Options,
    manifest: &DatabaseManifest,
    session: &mut BuildSession<'_>,
    depths: &Depths,
) -> Result<Vec<SliceRow>, Failure> {
    let board = options.stored.board();
    let figures = session.store().figures();
    let work = manifest.slices.iter().map(|r| Slice::from(r.name).indices(board)).sum();
    let progress = options.machine.progress();
    let bar = progress.start(format!("counting {}", board.name()), work, "index");
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
    Ok(rows)
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

/// The numbers of positions with each value, in a slice or with one number of pieces.
#[derive(Serialize)]
struct Row {
    slice: String,
    positions: u64,
    win: u64,
    draw: u64,
    loss: u64,
    longest: Option<u32>,
}

impl Row {
    fn new(slice: String, counts: &Counts, longest: Option<u32>) -> Self {
        let &Counts { positions, win, loss, .. } = counts;
        Row { slice, positions, win, draw: counts.draw(), loss, longest }
    }

    fn text(&self) -> String {
        let Row { slice, positions, win, draw, loss, longest } = self;
        let longest = longest.map_or("-".into(), |longest| longest.to_string());
        let [positions, win, draw, loss] = [positions, win, draw, loss].map(|n| grouped(*n));
        format!("{slice:<12}{positions:>16}{win:>16}{draw:>16}{loss:>16}{longest:>9}")
    }
}

fn print(mut table: Table, pieces: u8, rows: &[SliceRow]) -> Result<(), Failure> {
    let [slice, positions, win, draw, loss, longest] =
        ["slice", "positions", "win", "draw", "loss", "longest"];
    table.text(&format!("{slice:<12}{positions:>16}{win:>16}{draw:>16}{loss:>16}{longest:>9}"))?;
    for row in rows {
        let [a, b, c, d] = row.slice.name().0;
        let row = Row::new(format!("{a},{b},{c},{d}"), &row.counts, row.longest);
        table.row(&row, &row.text())?;
    }
    for n in 2..=pieces {
        let mut all = Counts::default();
        // The longest depth is known only if it is known for all slices.
        let mut longest = Some(0);
        for row in rows.iter().filter(|row| row.slice.pieces() == n) {
            all.add(row.counts);
            longest = longest.zip(row.longest).map(|(all, one): (u32, u32)| all.max(one));
        }
        let row = Row::new(format!("total {n}"), &all, longest);
        table.row(&row, &row.text())?;
    }
    table.finish()
}
