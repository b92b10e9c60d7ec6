//! A database as it lies on disk: `SPEC.md` §3, §8.3 – §8.5.
//!
//! Enforces: that every value of every slice with at most N′ pieces is right at the level asked for,
//! and that the files are those that the root stands for. Which slices there must be is computed from
//! the board: a database with a hole proves nothing.
//!
//! Soundness: at the level *exact* the values used for a certificate are those that `derive.rs`
//! derived from the rules; the file's are only compared with them. At the level *consistent* they are
//! the file's, after every single one was found to follow from its successors' (`SPEC.md` §2: enough
//! for NotLost, because what is not lost there is closed).

use crate::block::Source;
use crate::database::{Database, Table};
use crate::derive::{derive, follow};
use crate::files::{Entry, Listing, compare_listing, list, read, read_hashed};
use crate::numbering::{Shape, slices};
use crate::progress::Progress;
use crate::rules::Board;
use crate::verdict::{Finding, Stop};
use crate::{Level, Options};
use certificate_spec::Digest;
use certificate_spec::database::{
    DatabaseManifest, GROUP, HEADER, RECORD, SliceHeader, SliceName, SliceRecord, decode_slice,
};
use rayon::prelude::*;
use std::path::PathBuf;

/// A database whose values have been checked.
pub(crate) struct CheckedDatabase {
    pub(crate) values: Database,
    pub(crate) pieces: u8,
    pub(crate) root: Digest,
}

/// Checks the database of a board: all of it or with at most `pieces` pieces (N′), and its root for
/// so many if a certificate names one.
pub(crate) fn check(
    options: &Options,
    board: &Board,
    pieces: Option<u8>,
    wanted_root: Option<Digest>,
    progress: &Progress,
) -> Result<CheckedDatabase, Stop> {
    let folder = Folder { path: options.db.join(board.name()), board };
    let mut listing = Listing::new();
    list(&folder.path, "", &mut listing)?;
    let manifest = folder.read_manifest()?;
    let pieces = pieces.unwrap_or(manifest.pieces);
    let file = folder.file("MANIFEST");
    if pieces > manifest.pieces {
        let expected = format!("at least {pieces} pieces");
        let finding = Finding::new("database-manifest", expected, manifest.pieces);
        return Err(finding.file(file).at(14).into());
    }
    let part = manifest.up_to(pieces);
    let root = part.root();
    if let Some(wanted) = wanted_root.filter(|&wanted| wanted != root) {
        return Err(Finding::new("database-root", wanted, root).file(file).into());
    }
    let names = manifest.slices.iter().map(|slice| slice.name.file_name());
    let names = names.chain(["MANIFEST".into()]);
    let wanted = names.map(|name| (name.into_bytes(), Entry::File)).collect();
    compare_listing(&folder.file(""), &wanted, &listing)?;

    // All files before any value (§9). What is read here is kept only if it is to be used.
    // Saturating: the lengths are only claimed so far.
    let bytes = part.slices.iter().fold(0u64, |sum, slice| sum.saturating_add(slice.length));
    progress.begin("reading the database", bytes);
    let read = |slice: &SliceRecord| {
        let table = folder.read_slice(slice);
        progress.add(slice.length);
        table.map(|table| (options.level == Level::Consistent).then_some(table))
    };
    // Not collected into one result at once: with threads, that would not be the first error.
    let tables: Vec<Result<Option<Table>, Stop>> = part.slices.par_iter().map(read).collect();
    let tables: Vec<Option<Table>> = tables.into_iter().collect::<Result<_, _>>()?;

    let values = match options.level {
        Level::Exact => {
            // As much memory as the files, all of which are there, have bytes.
            let values = derive(board, pieces, progress)?;
            progress.begin("comparing the database", bytes);
            // Read and hashed again rather than kept: one slice a thread is in memory, not all.
            let compare = |(slice, right): (&SliceRecord, &Table)| {
                let found = folder.read_slice(slice);
                progress.add(slice.length);
                found.and_then(|found| folder.compare(right, &found)).err()
            };
            match part.slices.par_iter().zip(values.tables()).find_map_first(compare) {
                Some(stop) => return Err(stop),
                None => values,
            }
        }
        Level::Consistent => {
            let tables = tables.into_iter().flatten().collect();
            let values = Database::new(board, pieces, tables);
            let source = Source::new(&values, pieces);
            progress.begin("checking the database", values.indices());
            for given in values.tables() {
                folder.compare(&follow(&source, given.shape.slice)?, given)?;
                progress.add(given.shape.indices);
            }
            values
        }
    };
    Ok(CheckedDatabase { values, pieces, root })
}

/// `<db>/<RxC>`.
struct Folder<'a> {
    path: PathBuf,
    board: &'a Board,
}

impl Folder<'_> {
    /// What a verdict calls a file of this folder.
    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.board.name())
    }

    fn read_manifest(&self) -> Result<DatabaseManifest, Stop> {
        let rule = "database-manifest";
        let file = self.file("MANIFEST");
        let bytes = read(&self.path.join("MANIFEST"), &file, u64::MAX)?;
        let manifest = DatabaseManifest::decode(&bytes).map_err(|e| Stop::wire(rule, &file, e))?;
        let refuted = |offset: usize, expected: String, found: String| {
            Err(Finding::new(rule, expected, found).file(&*file).at(offset as u64).into())
        };
        let DatabaseManifest { rows, columns, pieces, .. } = manifest;
        if (rows, columns) != (self.board.rows(), self.board.columns()) {
            return refuted(12, self.board.name(), format!("{rows}x{columns}"));
        }
        let most = self.board.squares();
        if !(2..=most).contains(&u32::from(pieces)) {
            return refuted(14, format!("2 to {most} pieces"), pieces.to_string());
        }
        let end = || ["the end".to_string()];
        let wanted = slices(self.board, pieces).into_iter().map(SliceName::file_name).chain(end());
        let found = manifest.slices.iter().map(|slice| slice.name.file_name()).chain(end());
        match wanted.zip(found).enumerate().find(|(_, (want, found))| want != found) {
            Some((i, (want, found))) => refuted(HEADER + RECORD * i, want, found),
            None => Ok(manifest),
        }
    }

    /// Reads a slice: its length and digest, its header, and its values, unjudged.
    fn read_slice(&self, slice: &SliceRecord) -> Result<Table, Stop> {
        let (rule, name) = ("slice-syntax", slice.name.file_name());
        let file = self.file(&name);
        let sealed = (slice.length, slice.digest);
        let bytes = read_hashed(&self.path.join(&name), &file, "slice-hash", sealed)?;
        let (header, groups) = decode_slice(&bytes).map_err(|e| Stop::wire(rule, &file, e))?;
        let right = SliceHeader {
            name: slice.name,
            rows: self.board.rows(),
            columns: self.board.columns(),
            indices: Shape::new(self.board, slice.name).indices,
        };
        if header != right {
            let words = |h: SliceHeader| {
                let name = h.name.file_name();
                format!("{name} of {}x{} and {} indices", h.rows, h.columns, h.indices)
            };
            let offset = if header.name == right.name { 16 } else { 12 };
            let finding = Finding::new(rule, words(right), words(header));
            return Err(finding.file(file).at(offset).into());
        }
        let table = Table::empty(self.board, slice.name)?;
        table.fill(groups);
        Ok(table)
    }

    /// Compares the values of a slice with the right ones.
    fn compare(&self, right: &Table, found: &Table) -> Result<(), Stop> {
        let Some(index) = right.first_difference(found) else {
            return Ok(());
        };
        let position = right.shape.position(self.board, index);
        let words = |table: &Table| match table.bits(index) {
            (false, false) if position.is_none() => "no-position",
            (false, false) => "draw",
            (false, true) => "loss",
            (true, false) => "win",
            (true, true) => "win-and-loss",
        };
        let file = self.file(&right.shape.slice.file_name());
        let offset = HEADER as u64 + index / 64 * GROUP as u64;
        let finding = Finding::new("slice-value", words(right), words(found)).file(file).at(offset);
        Err(Finding { position, ..finding }.into())
    }
}
