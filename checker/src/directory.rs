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

use crate::database::{Bits, Database, Table};
use crate::derive::{First, Wrong, derive_group, follow_group, in_order};
use crate::files::{Entry, Listing, compare_listing, list, read, read_hashed};
use crate::numbering::{Shape, slices};
use crate::progress::Progress;
use crate::rules::Board;
use crate::units::{Layout, Slice, Tables, Word};
use crate::verdict::{Finding, Stop};
use crate::{Level, Options};
use certificate_spec::Digest;
use certificate_spec::database::{DatabaseManifest, HEADER, RECORD, SliceName, SliceRecord};
use certificate_spec::slice::{SliceHead, SliceHeader};
use rayon::prelude::*;
use std::collections::BTreeMap;
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

    // All files before any value (§9).
    // Saturating: the lengths are only claimed so far.
    let bytes = part.slices.iter().fold(0u64, |sum, slice| sum.saturating_add(slice.length));
    progress.begin("reading the database", bytes);
    let open = |slice: &SliceRecord| {
        let file = folder.open(slice);
        progress.add(slice.length);
        file
    };
    let opened: Vec<Result<Slice, Stop>> = part.slices.par_iter().map(open).collect();
    let tables = Tables::new(board, pieces);
    // Not collected in parallel: that would not be the first error.
    let files: Result<Vec<&Slice>, &Stop> = opened.iter().map(Result::as_ref).collect();
    let values = match files {
        Ok(files) => folder.check_values(&files, &tables, options.level, pieces, progress),
        Err(stop) => Err(stop.clone()),
    };
    match values {
        Ok(values) => Ok(CheckedDatabase { values, pieces, root }),
        Err(stop @ Stop::Error(_)) => Err(stop),
        // What has been found is the first of its kind; but the syntax of all files comes before values.
        Err(stop) => Err(folder.first_error_of_syntax(opened, &tables).unwrap_or(stop)),
    }
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

    /// Opens the file of a slice: its length and digest, and its head.
    fn open(&self, slice: &SliceRecord) -> Result<Slice, Stop> {
        let (rule, name) = ("slice-syntax", slice.name.file_name());
        let file = self.file(&name);
        let sealed = (slice.length, slice.digest);
        let bytes = read_hashed(&self.path.join(&name), &file, "slice-hash", sealed)?;
        let head = SliceHead::decode(&bytes, bytes.len() as u64);
        let head = head.map_err(|e| Stop::wire(rule, &file, e))?;
        let shape = Shape::new(self.board, slice.name);
        let right = SliceHeader {
            name: slice.name,
            rows: self.board.rows(),
            columns: self.board.columns(),
            indices: shape.indices,
        };
        let units = if head.constant.is_some() { 0 } else { Layout::new(&shape).count };
        let words = |h: SliceHeader, units| {
            let name = h.name.file_name();
            format!("{name} of {}x{}, {} indices, {units} units", h.rows, h.columns, h.indices)
        };
        let found = head.header;
        let fields = [
            (12, found.name == right.name),
            (16, (found.rows, found.columns) == (right.rows, right.columns)),
            (24, found.indices == right.indices),
            (36, head.units.len() as u64 == units),
        ];
        if let Some((offset, _)) = fields.into_iter().find(|&(_, is_right)| !is_right) {
            let finding =
                Finding::new(rule, words(right, units), words(found, head.units.len() as u64));
            return Err(finding.file(file).at(offset).into());
        }
        Ok(Slice::new(shape, head, bytes))
    }

    /// Reads the values of a slice and judges its syntax.
    fn read(
        &self,
        slice: &Slice,
        tables: &Tables<'_>,
        sink: impl Fn(Word) + Sync,
    ) -> Result<(), Stop> {
        let read = slice.read(tables, sink);
        read.map_err(|finding| finding.file(self.file(&slice.shape.slice.file_name())).into())
    }

    /// The first error of hash or syntax in files of which none is known to be right.
    fn first_error_of_syntax(
        &self,
        opened: Vec<Result<Slice, Stop>>,
        tables: &Tables<'_>,
    ) -> Option<Stop> {
        opened.into_iter().find_map(|slice| match slice {
            // In a file without units, nothing but the head.
            Ok(slice) if slice.is_constant() => None,
            Ok(slice) => self.read(&slice, tables, |_| {}).err(),
            Err(stop) => Some(stop),
        })
    }

    /// Checks the values in the files of all slices, which are given in order, group by group: so there
    /// is no more memory taken than for the first group with something wrong.
    fn check_values(
        &self,
        files: &[&Slice],
        tables: &Tables<'_>,
        level: Level,
        pieces: u8,
        progress: &Progress,
    ) -> Result<Database, Stop> {
        let values = Database::new(self.board, pieces);
        progress.begin("checking the database", values.indices());
        let mut files = files.iter();
        in_order(&values, |source, group| {
            let files: Vec<(&Slice, &Table)> = (files.by_ref().take(group.len()))
                .filter_map(|&file| Some((file, values.table(file.shape.slice)?)))
                .collect();
            let mut given = BTreeMap::new();
            match level {
                Level::Exact => derive_group(source, group, progress),
                Level::Consistent => {
                    for &(file, table) in &files {
                        let quiet = Bits::zeros(file.shape.indices)?;
                        self.read(file, tables, |word| {
                            quiet.set(word.index, word.quiet);
                            table.win.set(word.index, word.win);
                            table.loss.set(word.index, word.loss);
                        })?;
                        given.insert(file.shape.slice.0, quiet);
                    }
                }
            }
            match level {
                Level::Exact => files.iter().try_for_each(|(file, table)| {
                    let first = First::default();
                    self.read(file, tables, |word| {
                        let (expected, found) = (table.read(word.index), (word.win, word.loss));
                        let wrong = (expected.0 ^ found.0) | (expected.1 ^ found.1);
                        if wrong & word.quiet != 0 {
                            let slice = file.shape.slice;
                            let wrong = wrong & word.quiet;
                            first.report(Wrong::new(slice, word.index, wrong, expected, found));
                        }
                    })?;
                    first.found().map_or(Ok(()), |wrong| Err(self.wrong_value(file, &wrong)))
                }),
                Level::Consistent => match follow_group(source, group, &given, progress) {
                    Some(wrong) => match files.iter().find(|f| f.0.shape.slice == wrong.slice) {
                        Some((file, _)) => Err(self.wrong_value(file, &wrong)),
                        None => Err(Stop::Error("a slice is missing".into())),
                    },
                    None => Ok(()),
                },
            }
        })?;
        Ok(values)
    }

    /// The finding of a value that is not right.
    fn wrong_value(&self, slice: &Slice, wrong: &Wrong) -> Stop {
        let word = |bits| match bits {
            (false, false) => "draw",
            (false, true) => "loss",
            (true, false) => "win",
            (true, true) => "win-and-loss",
        };
        let finding = Finding::new("slice-value", word(wrong.expected), word(wrong.found));
        let file = self.file(&slice.shape.slice.file_name());
        let position = slice.shape.position(self.board, wrong.index);
        Finding { position, ..finding.file(file).at(slice.offset(wrong.index)) }.into()
    }
}
