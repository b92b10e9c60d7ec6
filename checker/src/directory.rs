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

use crate::Level;
use crate::database::{Database, Table};
use crate::derive::{Inconsistency, OutOfMemory, derive, first_inconsistency};
use crate::files::{Entry, Listing, compare_listing, list, read, read_hashed, require_directory};
use crate::numbering::{Shape, slices};
use crate::progress::Progress;
use crate::rules::Board;
use crate::verdict::{Finding, Stop};
use certificate_spec::Digest;
use certificate_spec::database::{
    DatabaseManifest, GROUP, HEADER, RECORD, SliceHeader, SliceRecord, decode_slice,
};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// A database whose values have been checked.
pub(crate) struct CheckedDatabase {
    pub(crate) values: Database,
    pub(crate) pieces: u8,
    pub(crate) root: Digest,
}

/// What is asked of a database.
pub(crate) struct Wanted {
    /// N′, or all pieces that the database has.
    pub(crate) pieces: Option<u8>,
    /// The root for N′ that a certificate names.
    pub(crate) root: Option<Digest>,
    pub(crate) level: Level,
}

impl From<OutOfMemory> for Stop {
    fn from(_: OutOfMemory) -> Stop {
        Stop::memory()
    }
}

/// Checks the database of a board.
pub(crate) fn check(
    db: &Path,
    board: &Board,
    wanted: &Wanted,
    progress: &Progress,
) -> Result<CheckedDatabase, Stop> {
    let folder = Folder { path: db.join(board.name()), board };
    require_directory(&folder.path)?;
    let manifest = folder.read_manifest()?;
    let pieces = wanted.pieces.unwrap_or(manifest.pieces);
    let refuted = |rule| Finding::new(rule, folder.file("MANIFEST"));
    if pieces > manifest.pieces {
        let finding =
            refuted("database-manifest").at(14).expected(format!("at least {pieces} pieces"));
        return Err(finding.found(manifest.pieces).refuted());
    }
    let part = manifest.up_to(pieces);
    let root = part.root();
    if let Some(want) = wanted.root.filter(|&want| want != root) {
        return Err(refuted("database-root").expected(want).found(root).refuted());
    }
    folder.check_listing(&manifest)?;

    // All files before any value (§9). What is read here is kept only if it is to be used.
    progress.begin("reading the database", part.slices.iter().map(|slice| slice.length).sum());
    let keep = wanted.level == Level::Consistent;
    let read = |slice: &SliceRecord| {
        let table = folder.read_slice(slice);
        progress.add(slice.length);
        table.map(|table| keep.then_some(table))
    };
    // Not collected into one result at once: with threads, that would not be the first error.
    let tables: Vec<Result<Option<Table>, Stop>> = part.slices.par_iter().map(read).collect();
    let tables: Vec<Table> =
        tables.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;

    let values = match wanted.level {
        Level::Consistent => {
            let values = Database::new(board, pieces, tables);
            if let Some(Inconsistency { slice, index, once }) =
                first_inconsistency(&values, pieces, progress)?
            {
                return Err(folder.wrong_value(&once, &values.tables()[slice], index));
            }
            values
        }
        Level::Exact => {
            // As much memory as the files, all of which are there, have bytes.
            let values = derive(board, pieces, progress)?;
            folder.compare(&part, &values, progress)?;
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
        let refuted = |offset| Finding::new(rule, file.as_str()).at(offset);
        let size = (manifest.rows, manifest.columns);
        if size != (self.board.rows(), self.board.columns()) {
            let found = format!("{}x{}", size.0, size.1);
            return Err(refuted(12).expected(self.board.name()).found(found).refuted());
        }
        let most = self.board.squares();
        if !(2..=most).contains(&u32::from(manifest.pieces)) {
            let finding = refuted(14).expected(format!("2 to {most} pieces"));
            return Err(finding.found(manifest.pieces).refuted());
        }
        let wanted = slices(self.board, manifest.pieces);
        for i in 0..wanted.len().max(manifest.slices.len()) {
            let (want, found) = (wanted.get(i), manifest.slices.get(i).map(|slice| &slice.name));
            if want != found {
                let words = |name: Option<&certificate_spec::database::SliceName>| {
                    name.map_or("the end".into(), |name| name.file_name())
                };
                let finding = refuted((HEADER + RECORD * i) as u64);
                return Err(finding.expected(words(want)).found(words(found)).refuted());
            }
        }
        Ok(manifest)
    }

    fn check_listing(&self, manifest: &DatabaseManifest) -> Result<(), Stop> {
        let mut wanted = Listing::from([(b"MANIFEST".to_vec(), Entry::File)]);
        wanted
            .extend(manifest.slices.iter().map(|s| (s.name.file_name().into_bytes(), Entry::File)));
        let mut found = Listing::new();
        list(&self.path, "", &mut found)?;
        compare_listing(&self.file(""), &wanted, &found)
    }

    /// Reads a slice: its length and digest, its header, and its values, unjudged.
    fn read_slice(&self, slice: &SliceRecord) -> Result<Table, Stop> {
        let name = slice.name.file_name();
        let file = self.file(&name);
        let sealed = (slice.length, slice.digest);
        let bytes = read_hashed(&self.path.join(&name), &file, "slice-hash", sealed)?;
        let rule = "slice-syntax";
        let (header, groups) = decode_slice(&bytes).map_err(|e| Stop::wire(rule, &file, e))?;
        let refuted = |offset| Finding::new(rule, file.as_str()).at(offset);
        if header.name != slice.name {
            let finding = refuted(12).expected(name).found(header.name.file_name());
            return Err(finding.refuted());
        }
        let shape = Shape::new(self.board, slice.name);
        let right = shape.map(|shape| SliceHeader {
            name: slice.name,
            rows: self.board.rows(),
            columns: self.board.columns(),
            indices: shape.indices,
        });
        match (shape, right) {
            (Some(shape), Some(right)) if right == header => {
                debug_assert_eq!(groups.len() as u64, shape.indices.div_ceil(64) * GROUP as u64);
                Table::from_groups(shape, groups).ok_or_else(Stop::memory)
            }
            (_, right) => {
                let words =
                    |h: SliceHeader| format!("{}x{} and {} indices", h.rows, h.columns, h.indices);
                let expected = right.map_or("fewer than 2^64 indices".into(), words);
                Err(refuted(16).expected(expected).found(words(header)).refuted())
            }
        }
    }

    /// Compares the values of all slices with the right ones.
    fn compare(
        &self,
        manifest: &DatabaseManifest,
        right: &Database,
        progress: &Progress,
    ) -> Result<(), Stop> {
        progress.begin(
            "comparing the database",
            manifest.slices.iter().map(|slice| slice.length).sum(),
        );
        let compare = |(slice, right): (&SliceRecord, &Table)| {
            // Read and hashed again rather than kept: one slice a thread is in memory, not all.
            let wrong =
                self.read_slice(slice).and_then(|found| match right.first_difference(&found) {
                    Some(index) => Err(self.wrong_value(right, &found, index)),
                    None => Ok(()),
                });
            progress.add(slice.length);
            wrong.err()
        };
        let wrong =
            manifest.slices.par_iter().zip(right.tables()).map(compare).find_first(Option::is_some);
        progress.end();
        wrong.flatten().map_or(Ok(()), Err)
    }

    fn wrong_value(&self, right: &Table, found: &Table, index: u64) -> Stop {
        let shape = right.shape;
        let position = shape.position(self.board, index);
        let words = |table: &Table| match (table.win.read(index, 1), table.loss.read(index, 1)) {
            (0, 0) if position.is_none() => "no-position",
            (0, 0) => "draw",
            (0, _) => "loss",
            (_, 0) => "win",
            _ => "win-and-loss",
        };
        let group = index / 64 * GROUP as u64;
        let finding = Finding::new("slice-value", self.file(&shape.slice.file_name()));
        let finding = finding.at(HEADER as u64 + group).expected(words(right)).found(words(found));
        match position {
            Some(p) => finding.position(&p).refuted(),
            None => finding.refuted(),
        }
    }
}
