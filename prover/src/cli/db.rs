//! `prove db`.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
#[cfg(feature = "farm")]
use draughtproof_farm::SliceStore;
use draughtproof_proof::prepare_database::{
    Holding, Room, check_depth_memory, check_map_space, load_finished, map, prepare,
    prepare_depths, prepare_slices, unmap,
};
use serde::Serialize;

use super::failure::Failure;
#[cfg(not(feature = "farm"))]
use super::left_out::SliceStore;
use super::options::BuildOptions;
use super::result::{Format, ResultOptions, ResultWriter};
use super::values::MapSpace;
use crate::egdb::exchange::{Compared, Difference, compare_values, export, import};
use crate::egdb::{PairEvent, Slice, Store};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove db --game 8x8 --pieces 5 --db egdb --depth
  prove db --game 8x8 --pieces 7,8:4                  up to 7 pieces, and up to 8 with at most 4 a side
  prove db --game 8x8 --pieces 6 --map                what searches need, ready before the first
  prove db --game 8x8 --pieces 8 --db egdb --partly   as many slices as this machine can solve
  prove db --game 8x8 --pieces 5 --export 8x8-5       a directory to copy; sha256sum -c SHA256SUMS holds there
  prove db --game 8x8 --pieces 5 --import 8x8-5       on another machine: verified, then put in place
  prove db --game 8x8 --pieces 5 --slice 2-0-1-1      two men against a man and a king, and its twin
  prove db --game 8x8 --pieces 5 --slice 2-0-1-1 --store s3://bucket/egdb   the same, without a shared --db
  prove db --game 8x8 --pieces 5 --store s3://bucket/egdb                   all that is there, and the rest built
  prove db --game 8x8 --pieces 5 --compare other.tsv  values of another program: FEN<TAB>win, draw or loss

With --slice the slices that these follow from must be in --db. Others may be built there at the same time, \
from other machines, too; when all are there, `prove db` without --slice checks them and makes one database of \
them. `prove plan --script slurm` writes this as jobs for a cluster. With --store, slices that are missing in --db are \
fetched from an object store if they are there, and with --slice those that were built are left there. For S3 the \
variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, for another server, AWS_ENDPOINT_URL (with \
AWS_ALLOW_HTTP=true if it has no TLS) say how one gets in.

What is there is verified against its hashes and used. Each slice is written as soon as it and its twin \
are solved; so the command can be killed at any time, started again, and goes on from there.")]
pub(super) struct Options {
    #[command(flatten)]
    build: BuildOptions,
    /// Store the depths of wins and losses, too, beside the database: in DIR/RxC.depth
    #[arg(long)]
    depth: bool,
    /// If some slices need more memory than there may be, build the others, and leave the rest to a
    /// run with more
    #[arg(long)]
    partly: bool,
    /// Build only the slice A-B-C-D and its twin, from finished ones: A men and B kings of the side
    /// to move, C men and D kings of the other; may be given several times
    #[arg(long = "slice", value_name = "A-B-C-D", value_parser = parse_slice,
          conflicts_with_all = ["depth", "partly", "map_space", "unmap", "export", "import", "compare"])]
    slices: Vec<Slice>,
    /// Fetch slices that are missing in --db from this object store, s3://bucket/prefix or a
    /// directory; with --slice leave there what was built
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["unmap", "export", "import", "compare"])]
    store: Option<String>,
    /// Make the tables that searches map into memory, too, in DIR/RxC.tables: two bits a position.
    /// With --slice also use those that are there
    #[arg(long)]
    map: bool,
    /// Remove those tables, and do nothing else
    #[arg(long, conflicts_with_all = ["map", "depth", "partly", "map_space"])]
    unmap: bool,
    /// Write the database, and depths if there are any, to the directory OUT, with sizes and
    /// checksums, and do nothing else
    #[arg(long, value_name = "OUT", conflicts_with_all = ["map", "depth", "partly", "map_space", "unmap"])]
    export: Option<PathBuf>,
    /// First take the database from the directory FROM that --export has written, verify it, and
    /// put it in place where there is none
    #[arg(long, value_name = "FROM", conflicts_with_all = ["export", "unmap"])]
    import: Option<PathBuf>,
    /// Compare the values in FILE, lines of FEN<TAB>value, with the database, and show those that
    /// differ; status 1 if there is one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["export", "import", "map", "depth", "partly", "unmap"])]
    compare: Option<PathBuf>,
    #[command(flatten)]
    space: MapSpace,
    #[command(flatten)]
    result: ResultOptions,
}

/// The result of `--export`, in JSON.
#[derive(Serialize)]
struct Written {
    directory: String,
    files: usize,
    bytes: u64,
    root: String,
}

/// The result of `--compare`: counts of lines by how their values agree with the database.
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
    found: &'a str,
    database: &'a str,
}

/// The result of a build: the database that is now there.
#[derive(Serialize)]
struct Built {
    board: String,
    pieces: String,
    slices: usize,
    bytes: u64,
    root: String,
}

/// The result of `--slice` for a slice and its twin.
#[derive(Serialize)]
struct Pair {
    slice: String,
    twin: String,
    /// Whether the slices were built by this run.
    built: bool,
    bytes: u64,
}

/// The result of `--unmap`: the tables that were removed.
#[derive(Serialize)]
struct Removed {
    removed: String,
    bytes: u64,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let BuildOptions { cover, machine, .. } = &options.build;
    let store = options.build.start()?;
    let mut out = options.result.begin()?;
    let format = options.result.format;
    if options.unmap {
        let bytes = unmap(&store, &machine.progress())?;
        let removed = store.tables().display().to_string();
        match format {
            Format::Text => out.line(&format!("removed {removed}, {bytes} bytes"))?,
            Format::Tsv => out.line(&format!("removed\tbytes\n{removed}\t{bytes}"))?,
            Format::Json => out.json(&Removed { removed, bytes })?,
        }
        return out.finish();
    }
    if let Some(directory) = &options.export {
        let exported = export(&store, cover, directory)?;
        let written = Written {
            directory: directory.display().to_string(),
            files: exported.files,
            bytes: exported.bytes,
            root: exported.root,
        };
        let Written { directory, files, bytes, root } = &written;
        match format {
            Format::Text => {
                out.line(&format!("{directory}: {files} files, {bytes} bytes, root={root}"))?;
            }
            Format::Tsv => {
                out.line("directory\tfiles\tbytes\troot")?;
                out.line(&format!("{directory}\t{files}\t{bytes}\t{root}"))?;
            }
            Format::Json => out.json(&written)?,
        }
        return out.finish();
    }
    if let Some(file) = &options.compare {
        return compare(options, &store, file, out);
    }
    if !options.slices.is_empty() {
        return build_slices(options, &store, out);
    }
    if let Some(from) = &options.import {
        let there = import(&store, from)?;
        machine.progress().say(format!("{}: {there} pieces, verified", from.display()));
    }
    if let Some(slices) = slice_store(options)? {
        let _lock = store.lock_with_others()?;
        slices.fetch_all(&store, cover)?;
    }
    let room = options.space.room(machine);
    // If the depths are there already, no memory is needed to find them.
    if options.depth && !store.finished()?.0.includes(cover) {
        check_depth_memory(store.board(), cover, machine.memory())?;
    }
    if options.map {
        check_map_space(&store, cover, &room)?;
    }
    prepare(&store, cover, &room, options.partly, &machine.progress())?;
    if options.depth {
        prepare_depths(&store, cover, machine.memory(), &machine.progress())?;
    }
    if options.map {
        map(&store, cover, &room, &machine.progress())?;
    }
    let manifest = store.manifest_of(cover)?;
    let built = Built {
        board: store.board().name(),
        pieces: cover.to_string(),
        slices: manifest.slices.len(),
        bytes: manifest.slices.iter().map(|s| s.length).sum(),
        root: manifest.root().to_string(),
    };
    let Built { board, pieces, slices, bytes, root } = &built;
    match format {
        Format::Text => out.line(&format!(
            "database {board} with {pieces} pieces: {slices} slices, {bytes} bytes, root={root}"
        ))?,
        Format::Tsv => {
            out.line("board\tpieces\tslices\tbytes\troot")?;
            out.line(&format!("{board}\t{pieces}\t{slices}\t{bytes}\t{root}"))?;
        }
        Format::Json => out.json(&built)?,
    }
    out.finish()
}

/// The object store of `--store`, if there is one.
fn slice_store(options: &Options) -> Result<Option<SliceStore>, Failure> {
    let Some(place) = &options.store else { return Ok(None) };
    Ok(Some(SliceStore::open(place, &options.build.machine.progress())?))
}

fn parse_slice(text: &str) -> Result<Slice, String> {
    Slice::parse(text).ok_or_else(|| "expected four numbers, as in 2-0-1-1".into())
}

/// Builds some slices, and reports for each pair whether it was there already.
fn build_slices(options: &Options, store: &Store, mut out: ResultWriter) -> Result<(), Failure> {
    let BuildOptions { cover, machine, .. } = &options.build;
    let board = store.board();
    if let Some(slice) = options.slices.iter().find(|slice| !slice.exists(board, cover)) {
        let (slice, board) = (slice.name().file_name(), board.name());
        return Err(Failure::Input(format!(
            "--slice: expected one of {board} with {cover} pieces, found {slice}"
        )));
    }
    let (memory, progress) = (machine.memory(), machine.progress());
    let elsewhere = slice_store(options)?;
    if let Some(elsewhere) = &elsewhere {
        let _lock = store.lock_with_others()?;
        elsewhere.fetch_needs(store, &options.slices)?;
    }
    let done = prepare_slices(store, cover, &options.slices, memory, options.map, &progress)?;
    if let Some(elsewhere) = &elsewhere {
        elsewhere.leave(store, &options.slices)?;
    }
    if options.result.format == Format::Tsv {
        out.line("slice\ttwin\tbuilt\tbytes")?;
    }
    for (slice, event) in done {
        let bytes = match slice == slice.twin() {
            true => store.record(slice)?.length,
            false => store.record(slice)?.length + store.record(slice.twin())?.length,
        };
        let [slice, twin] = [slice, slice.twin()].map(|slice| slice.name().file_name());
        let built = event == PairEvent::Built;
        match options.result.format {
            Format::Text => {
                let how = if built { "built" } else { "there, verified" };
                out.line(&format!("slice {slice} with its twin {twin}: {how}, {bytes} bytes"))?;
            }
            Format::Tsv => out.line(&format!("{slice}\t{twin}\t{built}\t{bytes}"))?,
            Format::Json => out.json(&Pair { slice, twin, built, bytes })?,
        }
    }
    out.finish()
}

/// Shows the lines of a file whose values differ from the database, and the counts.
fn compare(
    options: &Options,
    store: &Store,
    path: &Path,
    mut out: ResultWriter,
) -> Result<(), Failure> {
    let BuildOptions { cover, machine, .. } = &options.build;
    let file = File::open(path).map_err(|source| Failure::File { path: path.into(), source })?;
    let room = options.space.room(machine);
    let room = Room { holding: Some(Holding::MappedIfThere), ..room };
    let values = load_finished(store, cover, &room, &machine.progress())?;
    let format = options.result.format;
    if format == Format::Tsv {
        out.line("line\tfen\tfound\tdatabase")?;
    }
    let show = |difference: &Difference| {
        let Difference { line, fen, found, database } = difference;
        let found = found.name();
        let database = database.name();
        match format {
            Format::Text => {
                out.line(&format!("line {line}\t{fen}\tfound {found}\tdatabase {database}"))
            }
            Format::Tsv => out.line(&format!("{line}\t{fen}\t{found}\t{database}")),
            Format::Json => out.json(&Other { line: *line, fen, found, database }),
        }
    };
    let Compared { agree, disagree, unknown } =
        compare_values(&values, path, BufReader::new(file), show)?;
    let compared = agree + disagree + unknown;
    match format {
        Format::Text => out.line(&format!(
            "{compared} compared: {agree} agree, {disagree} disagree, {unknown} not covered"
        ))?,
        // TSV has the differing lines only.
        Format::Tsv => {}
        Format::Json => out.json(&Counts { compared, agree, disagree, not_covered: unknown })?,
    }
    out.finish()?;
    match disagree {
        0 => Ok(()),
        disagree => Err(Failure::Differences { disagree, lines: compared }),
    }
}
