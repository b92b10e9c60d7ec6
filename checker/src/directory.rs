//! A database as it lies on disk: `SPEC.md` §3, §8.3 – §8.5.
//!
//! Enforces: that every value of every slice with at most N′ pieces is right at the level asked for,
//! and that the files are those that the root stands for. Which slices there must be is computed from
//! the board: a database with a hole proves nothing.
//!
//! Soundness: at the level *exact* the values used for a certificate are those that `derive.rs`
//! derives from the rules, whatever the file has; the file's are only compared with them. At the level
//! *consistent* they are the file's, after every single one was found to follow from its successors' (`SPEC.md` §2: enough
//! for NotLost, because what is not lost there is closed).
//!
//! A file is read when it is hashed, when its values are checked, and when its table has to come back:
//! each time as a whole, and it must have the digest of the manifest. A table that comes back must have the
//! digest of the one that was verified; so nothing has to be trusted that makes it up again.
//!
//! Of a shard or a sample the values of other slices than those verified are the files', as its verdict says.
//!
//! Trusts: the journal, if there is one (`journal.rs`), and what it was told to take for granted.

use crate::block::Block;
use crate::database::{Database, Table};
use crate::derive::{First, Wrong, capture, groups, settle};
use crate::files::{Entry, Listing, compare_listing, list, read, read_hashed};
use crate::journal::{Journal, Verified};
use crate::memory::{batches, swap};
use crate::numbering::{Shape, group, slices, twin};
use crate::progress::Progress;
use crate::rules::{Board, Side};
use crate::verdict::{Finding, Stop};
use crate::work::{Sample, pairs};
use crate::{Level, Options};
use certificate_spec::Digest;
use certificate_spec::database::{DatabaseManifest, HEADER, RECORD, SliceName, SliceRecord};
use certificate_spec::slice::{SliceHead, SliceHeader};
use checker_decode::{Slice, Tables};
use rayon::prelude::*;
use std::array;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A database whose values have been checked, as far as was asked for.
pub(crate) struct CheckedDatabase {
    pub(crate) values: Database,
    pub(crate) root: Digest,
    /// The pairs of blocks that were looked at in a sample, and how many there are.
    pub(crate) sampled: (u64, u64),
}

/// What of the values is to be verified.
pub(crate) enum Extent {
    /// All.
    All,
    /// Those of these [`pairs`]; the others are taken for granted.
    Pairs(Range<usize>),
    /// Those of a sample of blocks; the others are taken for granted.
    Sample(Sample),
}

/// Checks the database of a board with at most `pieces` pieces (N′), and its root for so many if a
/// certificate names one. If `all` tables are wanted in the end, they are in memory then.
pub(crate) fn check(
    options: &Options,
    board: &Board,
    pieces: u8,
    (wanted_root, all): (Option<Digest>, bool),
    extent: &Extent,
    progress: &Progress,
) -> Result<CheckedDatabase, Stop> {
    let folder = Folder { path: options.db.join(board.name()), board };
    let mut listing = Listing::new();
    list(&folder.path, "", &mut listing)?;
    let manifest = folder.read_manifest()?;
    let root = folder.root(&manifest, pieces)?;
    let part = manifest.up_to(pieces);
    let file = folder.file("MANIFEST");
    if let Some(wanted) = wanted_root.filter(|&wanted| wanted != root) {
        return Err(Finding::new("database-root", wanted, root).file(file).into());
    }
    let names = manifest.slices.iter().map(|slice| slice.name.file_name());
    let names = names.chain(["MANIFEST".into()]);
    let wanted = names.map(|name| (name.into_bytes(), Entry::File)).collect();
    compare_listing(&folder.file(""), &wanted, &listing)?;

    let memory = options.memory.unwrap_or(u64::MAX);
    let mut batches = batches(board, pieces, memory, (options.journal.is_some(), all))?;
    let own: BTreeSet<[u8; 4]> = match extent {
        Extent::All => part.slices.iter().map(|record| record.name.0).collect(),
        Extent::Pairs(range) => {
            let pairs = pairs(board, pieces);
            let own = pairs.get(range.clone()).unwrap_or_default();
            own.iter().flat_map(|&slice| [slice.0, twin(slice).0]).collect()
        }
        Extent::Sample(_) => BTreeSet::new(),
    };
    batches.iter_mut().for_each(|batch| batch.retain(|slice| own.contains(&slice.0)));
    batches.retain(|batch| !batch.is_empty());
    let about = format!("{} {} {pieces} {root}", board.name(), options.level.word());
    let journal = options.journal.as_ref().map(|path| Journal::open(path, &about)).transpose()?;
    let (journal, verified) = journal.unzip();
    let mut check = Check {
        folder: &folder,
        records: &part.slices,
        own,
        units: tables(board, pieces),
        values: Database::new(board, pieces),
        verified: verified.unwrap_or_default(),
        memory,
        level: options.level,
        progress,
    };
    let values = check.check_heads().and_then(|()| {
        check.check_values(batches, journal)?;
        // A certificate asks for any of the values.
        let names = part.slices.iter().map(|record| record.name);
        let missing: Vec<_> = names.filter(|&name| check.values.table(name).is_none()).collect();
        let wanted = missing.into_iter().filter(|_| all);
        wanted.into_iter().try_for_each(|slice| check.restore(slice))?;
        match extent {
            Extent::Sample(sample) => check.check_sample(*sample, root),
            _ => Ok((0, 0)),
        }
    });
    match values {
        Ok(sampled) => Ok(CheckedDatabase { values: check.values, root, sampled }),
        Err(stop @ Stop::Error(_)) => Err(stop),
        // What has been found is the first of its kind; but the syntax of all files comes before values.
        Err(stop) => Err(check.check_syntax().err().unwrap_or(stop)),
    }
}

/// The pieces and the root of the database of a board, as far as `pieces` if that is given.
pub(crate) fn identify(db: &Path, board: &Board, pieces: Option<u8>) -> Result<(u8, Digest), Stop> {
    let folder = Folder { path: db.join(board.name()), board };
    list(&folder.path, "", &mut Listing::new())?;
    let manifest = folder.read_manifest()?;
    let pieces = pieces.unwrap_or(manifest.pieces);
    Ok((pieces, folder.root(&manifest, pieces)?))
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

    /// The root of the part of the database with so many pieces.
    fn root(&self, manifest: &DatabaseManifest, pieces: u8) -> Result<Digest, Stop> {
        if pieces > manifest.pieces {
            let expected = format!("at least {pieces} pieces");
            let finding = Finding::new("database-manifest", expected, manifest.pieces);
            return Err(finding.file(self.file("MANIFEST")).at(14).into());
        }
        Ok(manifest.up_to(pieces).root())
    }

    /// Opens the file of a slice: its length and digest, and its head.
    fn open<'a>(&self, slice: &SliceRecord, tables: &'a Tables) -> Result<Slice<'a>, Stop> {
        let (rule, name) = ("slice-syntax", slice.name.file_name());
        let file = self.file(&name);
        let sealed = (slice.length, slice.digest);
        let bytes = read_hashed(&self.path.join(&name), &file, "slice-hash", sealed)?;
        let head = SliceHead::decode(&bytes, bytes.len() as u64);
        let head = head.map_err(|e| Stop::wire(rule, &file, e))?;
        let right = SliceHeader {
            name: slice.name,
            rows: self.board.rows(),
            columns: self.board.columns(),
            indices: Shape::new(self.board, slice.name).indices,
        };
        let units = if head.constant.is_some() { 0 } else { tables.units(slice.name) };
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
        Ok(Slice::new(tables, head, bytes))
    }
}

/// What there has to be known of the board to read slice files.
fn tables(board: &Board, pieces: u8) -> Tables {
    let near = |n| array::from_fn(|way| board.ways(n, Side::Black, true)[way].near);
    let (squares, men_squares) = (board.squares(), board.men_squares());
    let near = (0..squares as usize).map(near).collect();
    Tables::new(checker_decode::Board { squares, men_squares, near }, pieces)
}

/// What is being checked.
struct Check<'a> {
    folder: &'a Folder<'a>,
    records: &'a [SliceRecord],
    /// The slices that are to be verified here. The values of others are taken for granted.
    own: BTreeSet<[u8; 4]>,
    units: Tables,
    values: Database,
    /// The digests of tables that have been verified and are not in memory, and of others.
    verified: Verified,
    /// The most bytes that tables may take.
    memory: u64,
    level: Level,
    progress: &'a Progress,
}

impl Check<'_> {
    fn is_own(&self, slice: SliceName) -> bool {
        self.own.contains(&slice.0)
    }

    /// Checks hashes and heads of the files that are verified: before any value (§9).
    fn check_heads(&self) -> Result<(), Stop> {
        // Saturating: the lengths are only claimed so far.
        let own = || self.records.iter().filter(|record| self.is_own(record.name));
        let bytes = own().fold(0u64, |sum, slice| sum.saturating_add(slice.length));
        self.progress.begin("reading the database", bytes);
        let wrong = own().collect::<Vec<_>>().into_par_iter().find_map_first(|record| {
            let wrong = self.folder.open(record, &self.units).err();
            self.progress.add(record.length);
            wrong
        });
        wrong.map_or(Ok(()), Err)
    }

    /// Opens the file of a slice.
    fn open(&self, slice: SliceName) -> Result<Slice<'_>, Stop> {
        let place = self.records.binary_search_by_key(&slice.order(), |r| r.name.order());
        let record = place.ok().and_then(|i| self.records.get(i));
        let record = record.ok_or_else(|| Stop::Error("a slice is missing".into()))?;
        self.folder.open(record, &self.units)
    }

    /// Reads the values of a slice from its file and judges its syntax.
    fn read(&self, slice: SliceName, sink: impl Fn(u64, u64, u64) + Sync) -> Result<(), Stop> {
        self.open(slice)?.read(sink).map_err(|offset| {
            let expected = "a checksum, and a code of the unit's values";
            let finding = Finding::new("slice-syntax", expected, "something else").at(offset);
            finding.file(self.folder.file(&slice.file_name())).into()
        })
    }

    /// Finds the first error of hash or syntax in files of which none is known to be right.
    fn check_syntax(&self) -> Result<(), Stop> {
        let mut own = self.records.iter().filter(|record| self.is_own(record.name));
        own.try_for_each(|record| self.read(record.name, |_, _, _| {}))
    }

    /// The table of a slice whose turn it is.
    fn table(&self, slice: SliceName) -> Result<&Table, Stop> {
        self.values.table(slice).ok_or_else(|| Stop::Error("a table is missing".into()))
    }

    /// Makes the table of a slice, with the values in its file.
    fn fill(&mut self, slice: SliceName) -> Result<(), Stop> {
        self.values.reserve(slice)?;
        let table = self.table(slice)?;
        self.read(slice, |index, win, loss| table.add(index, win, loss))
    }

    /// Brings back the table of a slice that has been verified, or makes that of one whose values are taken for
    /// granted. Those of all slices with fewer pieces must be there.
    fn restore(&mut self, slice: SliceName) -> Result<(), Stop> {
        self.fill(slice)?;
        capture(&self.values, slice);
        self.values.is_complete()?;
        let (name, digest) = (slice.file_name(), self.table(slice)?.digest());
        let error = format!("{name} has other values than those verified before");
        match self.verified.get(&name) {
            Some(verified) if *verified == digest => Ok(()),
            None if !self.is_own(slice) => Ok(()),
            _ => Err(Stop::Error(error)),
        }
    }

    /// Makes ready for the first of these batches: room, and tables for its slices and for those that moves
    /// lead to.
    fn prepare(&mut self, rest: &[Vec<SliceName>]) -> Result<(), Stop> {
        let (missing, out) = swap(&self.values, rest, self.memory);
        for slice in out {
            self.verified.insert(slice.file_name(), self.table(slice)?.digest());
            self.values.release(slice);
        }
        missing.into_iter().try_for_each(|slice| {
            let is_new = rest.iter().take(1).flatten().any(|&s| s == slice);
            if is_new { self.fill(slice) } else { self.restore(slice) }
        })
    }

    /// Checks the values in the files of these slices, the first group with something wrong to its end: what
    /// is first there is reported, whatever the batches.
    fn check_values(
        &mut self,
        mut batches: Vec<Vec<SliceName>>,
        mut journal: Option<Journal>,
    ) -> Result<(), Stop> {
        batches.retain(|batch| {
            !batch.iter().all(|slice| self.verified.contains_key(&slice.file_name()))
        });
        let indices = batches.iter().flatten().map(|&s| Shape::new(self.folder.board, s).indices);
        self.progress.begin("checking the database", indices.fold(0, u64::saturating_add));
        let first = First::default();
        for (i, batch) in batches.iter().enumerate() {
            self.prepare(&batches[i..])?;
            settle(&self.values, batch, self.level, |_| true, &first, self.progress);
            self.values.is_complete()?;
            let of = |batch: &Vec<SliceName>| batch.first().map(|&slice| group(slice));
            match (first.take(), &mut journal) {
                (Some(wrong), _) if batches.get(i + 1).and_then(of) != of(batch) => {
                    return Err(self.wrong_value(&wrong)?);
                }
                (Some(wrong), _) => first.report(wrong),
                (None, Some(journal)) => {
                    let tables = batch.iter().map(|&slice| Ok((slice, self.table(slice)?)));
                    let entry =
                        |(slice, table): (SliceName, &Table)| (slice.file_name(), table.digest());
                    journal
                        .add(&tables.map(|pair| pair.map(entry)).collect::<Result<_, Stop>>()?)?;
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Checks a sample of blocks, all tables being there. Returns how many pairs of blocks it had, of how many.
    fn check_sample(&mut self, sample: Sample, root: Digest) -> Result<(u64, u64), Stop> {
        self.progress.begin("checking blocks", 0);
        let (first, looked_at, all) = (First::default(), AtomicU64::new(0), AtomicU64::new(0));
        let slices: Vec<_> = self.records.iter().map(|record| record.name).collect();
        for group in groups(&slices) {
            let is_wanted = |block: Block| {
                let Block { slice, men, their_men } = block;
                let has = sample.has(root, &format!("{} {men} {their_men}", slice.file_name()));
                all.fetch_add(1, Relaxed);
                looked_at.fetch_add(has.into(), Relaxed);
                has
            };
            settle(&self.values, group, self.level, is_wanted, &first, self.progress);
            self.values.is_complete()?;
            if let Some(wrong) = first.take() {
                return Err(self.wrong_value(&wrong)?);
            }
        }
        Ok((looked_at.into_inner(), all.into_inner()))
    }

    /// The finding of a value that is not right.
    fn wrong_value(&self, wrong: &Wrong) -> Result<Stop, Stop> {
        let word = |bits| match bits {
            (false, false) => "draw",
            (false, true) => "loss",
            (true, false) => "win",
            (true, true) => "win-and-loss",
        };
        let finding = Finding::new("slice-value", word(wrong.expected), word(wrong.found));
        let Wrong { slice, index, .. } = *wrong;
        let finding = finding.file(self.folder.file(&slice.file_name()));
        let position = Shape::new(self.folder.board, slice).position(self.folder.board, index);
        Ok(Finding { position, ..finding.at(self.open(slice)?.offset(index)) }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certificate_spec::slice::Value;
    use std::fs;

    /// A file that says that all quiet positions have this value.
    fn file(board: &Board, slice: SliceName, constant: Value) -> Vec<u8> {
        let shape = Shape::new(board, slice);
        let (rows, columns) = (board.rows(), board.columns());
        let header = SliceHeader { name: slice, rows, columns, indices: shape.indices };
        let (constant, frequencies) = (Some(constant), Default::default());
        SliceHead { header, constant, frequencies, units: Vec::new() }.encode()
    }

    #[test]
    fn a_file_changed_before_it_is_read_again() {
        let (board, slice) = (Board::new(4, 4).unwrap(), SliceName([0, 1, 0, 1]));
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(slice.file_name());
        let folder = Folder { path: place.path().into(), board: &board };
        let record = |bytes: &[u8]| {
            [SliceRecord { name: slice, length: bytes.len() as u64, digest: Digest::of(bytes) }]
        };
        let check = |records: &[SliceRecord], verified: Verified| {
            let mut check = Check {
                folder: &folder,
                records,
                own: BTreeSet::from([slice.0]),
                units: tables(&board, 2),
                values: Database::new(&board, 2),
                verified,
                memory: u64::MAX,
                level: Level::Exact,
                progress: &Progress::new(true),
            };
            let result = check.restore(slice);
            (result, check.table(slice).unwrap().digest())
        };
        let (bytes, other) = (file(&board, slice, Value::Draw), file(&board, slice, Value::Loss));
        fs::write(&path, &bytes).unwrap();
        let (result, digest) = check(&record(&bytes), Verified::new());
        assert!(matches!(result, Err(Stop::Error(_))));
        let verified = Verified::from([(slice.file_name(), digest)]);
        assert_eq!(check(&record(&bytes), verified.clone()), (Ok(()), digest));
        // The same length, another digest; and with that digest in the manifest, other values.
        fs::write(&path, &other).unwrap();
        let (result, _) = check(&record(&bytes), verified.clone());
        assert!(matches!(result, Err(Stop::Refuted(f)) if f.rule == "slice-hash"));
        let (result, _) = check(&record(&other), verified);
        assert!(matches!(result, Err(Stop::Error(_))));
    }
}
