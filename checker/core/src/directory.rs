//! A database as it lies on disk: `SPEC.md` §3, §8.3 – §8.5.
//!
//! Enforces: that every value of every slice that the cover admits is right at the level asked for,
//! and that the files are those that the root stands for. Which slices there must be is computed
//! from the board: a database with a hole proves nothing.
//!
//! Soundness: at the level *exact* the values used for a certificate are those that `derive.rs`
//! derives from the rules, whatever the file has; the file's are only compared with them. At the
//! level *consistent* they are the file's, after every single one was found to follow from its
//! successors' (`SPEC.md` §2: enough for NotLost, because what is not lost there is closed).
//!
//! A whole check begins with no table and no digest of one: nothing counts as verified that was not
//! verified here. Only where a part is checked may a source of tables say what was verified before.
//!
//! A file is read when it is hashed, when its values are checked, and when its table has to come
//! back: each time as a whole, and it must have the digest of the manifest. A table that comes back
//! must have the digest of the one that was verified; so nothing has to be trusted that makes it up
//! again.
//!
//! Where a part is checked, the values of slices that are not verified are the files', or those of
//! the source of tables; the digests of their tables are in what is returned.
//!
//! Trusts: of a whole check nothing but `derive.rs` and the files named in its head.

use crate::bits::Bits;
use crate::block::Block;
use crate::database::{Database, Table};
use crate::derive::{First, Wrong, capture, groups, settle};
use crate::files::{Entry, compare_listing};
use crate::folder::{Contents, Folder};
use crate::numbering::{Shape, pairs};
use crate::options::Options;
use crate::part::{Part, TableDigests};
use crate::rules::Board;
use crate::slice_file::SliceFiles;
use crate::verdict::{Finding, Stop};
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
use certificate_spec::database::{SliceName, SliceRecord};
use checker_aid::Plan;
use rayon::prelude::*;
use std::collections::HashSet;

/// The values of a database, and what was done to have them.
pub(crate) struct Values {
    /// The tables that are in memory: all of them, if they were wanted.
    pub(crate) database: Database,
    /// The numbers of the pairs of slices that were verified here, ascending.
    pub(crate) pairs: Vec<usize>,
    /// The digests of tables, where a part was checked.
    pub(crate) tables: TableDigests,
}

/// Checks the database of a board with this cover and root: all of it, or the pairs of slices and
/// the blocks that the `part` selects. With `keep_all` all tables are in memory in the end.
///
/// # Errors
/// What is wrong with it, or why it could not be checked.
pub(crate) fn check(
    options: &Options,
    board: &Board,
    cover: &Cover,
    root: Digest,
    part: Option<&Part<'_>>,
    keep_all: bool,
) -> Result<Values, Stop> {
    let folder = Folder { path: options.db.join(board.name()), board };
    let Contents { listing, restricted, manifest } = folder.read(Some(cover))?;
    if restricted.root() != root {
        let finding = Finding::new("database-root", root, restricted.root());
        return Err(finding.file(folder.file("MANIFEST")).into());
    }
    let names = manifest.slices.iter().map(|slice| slice.name.file_name());
    let names = names.chain(["MANIFEST".into()]);
    let wanted = names.map(|name| (name.into_bytes(), Entry::File)).collect();
    compare_listing(&folder.file(""), &wanted, &listing)?;

    let all_pairs = pairs(board, cover);
    let is_own = |i: &usize| part.is_none_or(|part| part.selection.has_pair(*i));
    let own_pairs: Vec<usize> = (0..all_pairs.len()).filter(is_own).collect();
    let both = |&i: &usize| [all_pairs[i], all_pairs[i].twin()];
    let own: HashSet<SliceName> = own_pairs.iter().flat_map(both).collect();
    let bytes = |slice| (slice, Shape::new(board, slice).indices.div_ceil(64).saturating_mul(16));
    let sizes: Vec<_> = restricted.slices.iter().map(|record| bytes(record.name)).collect();
    let plan = Plan::new(&sizes, options.memory);
    options.progress.show(&plan.estimate());
    let pair_by_pair = part.is_some_and(|part| part.source.wants_each_pair());
    let mut batches = plan.batches(pair_by_pair, keep_all).map_err(Stop::Error)?;
    batches.iter_mut().for_each(|batch| batch.retain(|slice| own.contains(slice)));
    batches.retain(|batch| !batch.is_empty());
    // Nothing else about the plan matters for what is verified, and this much is not taken on
    // trust.
    let is_right = |batch: &Vec<SliceName>| {
        batch.iter().all(|s| s.group() == batch[0].group() && batch.contains(&s.twin()))
    };
    if !batches.iter().all(is_right)
        || batches.iter().flatten().copied().collect::<HashSet<_>>() != own
    {
        return Err(Stop::Error("the slices were not planned as they must be".into()));
    }
    let tables = match part {
        None => TableDigests::default(),
        Some(part) => {
            let about = format!("{} {} {cover} {root}", board.name(), options.level.word());
            part.source.begin(&about).map_err(Stop::Error)?
        }
    };
    let mut check = Check {
        files: SliceFiles::new(&folder, &restricted.slices, cover.most_pieces()),
        own,
        values: Database::new(board, cover),
        tables,
        plan,
        options,
        part,
        settled: HashSet::new(),
    };
    let result = check.check_heads().and_then(|()| {
        check.check_values(batches)?;
        for slice in restricted.slices.iter().map(|record| record.name).filter(|_| keep_all) {
            if check.values.table(slice).is_none() {
                check.restore(slice)?;
            }
        }
        let part = part.filter(|part| part.selection.has_blocks());
        part.map_or(Ok(()), |part| check.check_blocks(part))
    });
    match result {
        Ok(()) => {
            let is_settled = |i: &usize| both(i).iter().all(|slice| check.settled.contains(slice));
            let pairs = own_pairs.into_iter().filter(is_settled).collect();
            Ok(Values { database: check.values, pairs, tables: check.tables })
        }
        Err(stop @ Stop::Error(_)) => Err(stop),
        // What has been found is the first of its kind; but the syntax of all files comes before
        // values.
        Err(stop) => {
            let judge = |record: &SliceRecord| check.files.read(record.name, |file| file.judge());
            check.own().try_for_each(judge).and(Err(stop))
        }
    }
}

/// What is being checked.
struct Check<'a> {
    files: SliceFiles<'a>,
    /// The slices that are to be verified here. The values of others are taken for granted.
    own: HashSet<SliceName>,
    values: Database,
    /// The digests of tables that have been verified and are not in memory, and of others; and of
    /// those that have been taken for granted.
    tables: TableDigests,
    plan: Plan,
    options: &'a Options,
    /// Who selects what is verified, if not all of it is.
    part: Option<&'a Part<'a>>,
    /// The slices whose values have been found right here.
    settled: HashSet<SliceName>,
}

impl Check<'_> {
    /// The slices that are to be verified, in order.
    fn own(&self) -> impl Iterator<Item = &SliceRecord> {
        self.files.records.iter().filter(|record| self.own.contains(&record.name))
    }

    /// Checks hashes and heads of the files that are verified: before any value (§9).
    fn check_heads(&self) -> Result<(), Stop> {
        // Saturating: the lengths are only claimed so far.
        let bytes = self.own().fold(0u64, |sum, slice| sum.saturating_add(slice.length));
        self.options.progress.begin("reading the database", bytes);
        let own: Vec<_> = self.own().collect();
        let wrong = own.into_par_iter().find_map_first(|record| {
            let wrong = self.files.open(record.name).err();
            self.options.progress.add(record.length);
            wrong
        });
        wrong.map_or(Ok(()), Err)
    }

    /// The table of a slice whose turn it is.
    fn table(&self, slice: SliceName) -> Result<&Table, Stop> {
        self.values.table(slice).ok_or_else(|| Stop::Error("a table is missing".into()))
    }

    /// Makes the table of a slice, with the values in its file.
    fn fill(&mut self, slice: SliceName) -> Result<(), Stop> {
        self.values.reserve(slice)?;
        let table = self.table(slice)?;
        let mark = |index, win, loss| table.mark(index, Bits { win, loss });
        self.files.read(slice, |file| file.read(mark))
    }

    /// Notes the digest of a slice's table, and returns the one noted before.
    fn note(&mut self, slice: SliceName, digest: Digest) -> Option<Digest> {
        match self.own.contains(&slice) {
            true => self.tables.verified.insert(slice, digest),
            false => self.tables.assumed.insert(slice, digest),
        }
    }

    /// Brings back the table of a slice that has been verified, or makes that of one whose values
    /// are taken for granted. Those of all slices with fewer pieces must be there.
    fn restore(&mut self, slice: SliceName) -> Result<(), Stop> {
        self.values.reserve(slice)?;
        let table = self.table(slice)?;
        let file = self.files.record(slice)?.digest;
        let taken = self.part.and_then(|part| part.source.read(file, &table.words));
        let digest = match taken.filter(|digest| *digest == table.digest()) {
            Some(digest) => digest,
            None => {
                self.fill(slice)?;
                capture(&self.values, slice)?;
                self.keep(slice)?
            }
        };
        let before = self.note(slice, digest);
        let is_right = before.map_or(!self.own.contains(&slice), |before| before == digest);
        let wrong = || format!("{} has other values than those verified before", slice.file_name());
        if is_right { Ok(()) } else { Err(Stop::Error(wrong())) }
    }

    /// Gives a table to the source of tables, which may do without it. Returns its digest.
    fn keep(&self, slice: SliceName) -> Result<Digest, Stop> {
        let table = self.table(slice)?;
        let file = self.files.record(slice)?.digest;
        let digest = table.digest();
        let kept =
            self.part.iter().try_for_each(|part| part.source.write(file, &table.words, digest));
        kept.unwrap_or_else(|e| self.options.progress.show(&format!("cannot keep a table: {e}")));
        Ok(digest)
    }

    /// Whether the values of a slice have been found right, here or as a source of tables says.
    fn is_verified(&self, slice: SliceName) -> bool {
        self.settled.contains(&slice) || self.tables.verified.contains_key(&slice)
    }

    /// Makes ready for the first of these batches: room, and tables for its slices and for those
    /// that moves lead to.
    fn prepare(&mut self, rest: &[Vec<SliceName>]) -> Result<(), Stop> {
        let is_there = |slice| self.values.table(slice).is_some();
        let (missing, out) = self.plan.swap(is_there, rest);
        for slice in out {
            // A table that was found wrong is not noted as verified; the rest of its group goes on.
            if !self.own.contains(&slice) || self.is_verified(slice) {
                self.note(slice, self.table(slice)?.digest());
            }
            self.values.release(slice);
        }
        missing.into_iter().try_for_each(|slice| {
            if rest[0].contains(&slice) { self.fill(slice) } else { self.restore(slice) }
        })
    }

    /// Checks the values in the files of these slices, the first group with something wrong to its
    /// end: what is first there is reported, whatever the batches. Of a part the digests of tables
    /// are kept.
    fn check_values(&mut self, mut batches: Vec<Vec<SliceName>>) -> Result<(), Stop> {
        let is_verified = |slice: &SliceName| self.tables.verified.contains_key(slice);
        batches.retain(|batch| !batch.iter().all(is_verified));
        let indices =
            batches.iter().flatten().map(|&s| Shape::new(self.files.folder.board, s).indices);
        let level = self.options.level;
        let progress = self.options.progress.clone();
        progress.begin("checking the database", indices.fold(0, u64::saturating_add));
        let first = First::default();
        for (i, batch) in batches.iter().enumerate() {
            self.prepare(&batches[i..])?;
            settle(&self.values, batch, level, |_| true, &first, &progress)?;
            if let Some(wrong) = first.get() {
                if batches.get(i + 1).is_none_or(|next| next[0].group() != batch[0].group()) {
                    return Err(self.wrong_value(wrong)?);
                }
                continue;
            }
            self.settled.extend(batch);
            if let Some(part) = self.part {
                for &slice in batch {
                    let digest = self.keep(slice)?;
                    self.note(slice, digest);
                }
                part.source.record(&self.tables).map_err(Stop::Error)?;
            }
        }
        Ok(())
    }

    /// Checks blocks one by one, all tables being there.
    fn check_blocks(&self, part: &Part<'_>) -> Result<(), Stop> {
        let level = self.options.level;
        let progress = &*self.options.progress;
        progress.begin("checking blocks", 0);
        let first = First::default();
        let slices: Vec<_> = self.files.records.iter().map(|record| record.name).collect();
        let is_wanted = |Block { slice, men, their_men }: Block| {
            part.has_block(&format!("{} {men} {their_men}", slice.file_name()))
        };
        for group in groups(&slices) {
            settle(&self.values, group, level, is_wanted, &first, progress)?;
            first.get().map_or(Ok(()), |wrong| Err(self.wrong_value(wrong)?))?;
        }
        Ok(())
    }

    /// The finding of a value that is not right.
    fn wrong_value(&self, wrong: Wrong) -> Result<Stop, Stop> {
        let name = |bits| match bits {
            Bits { win: 0, loss: 0 } => "draw",
            Bits { win: 0, .. } => "loss",
            Bits { loss: 0, .. } => "win",
            Bits { .. } => "win-and-loss",
        };
        let Wrong { slice, index, expected, found } = wrong;
        let finding = Finding::new("slice-value", name(expected), name(found));
        let finding = finding.file(self.files.folder.file(&slice.file_name()));
        let position =
            Shape::new(self.files.folder.board, slice).position(self.files.folder.board, index);
        Ok(Finding { position, ..finding.at(self.files.open(slice)?.offset(index)) }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certificate_spec::slice::{SliceHead, SliceHeader};
    use certificate_spec::value::Value;
    use std::collections::HashMap;
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
        let check = |records: &[SliceRecord], tables: TableDigests| {
            let mut check = Check {
                files: SliceFiles::new(&folder, records, 2),
                own: HashSet::from([slice]),
                values: Database::new(&board, &Cover::up_to(2)),
                tables,
                plan: Plan::new(&[], u64::MAX),
                options: &Options::new(""),
                part: None,
                settled: HashSet::new(),
            };
            let result = check.restore(slice);
            (result, check.table(slice).unwrap().digest())
        };
        let (bytes, other) = (file(&board, slice, Value::Draw), file(&board, slice, Value::Loss));
        fs::write(&path, &bytes).unwrap();
        let (result, digest) = check(&record(&bytes), TableDigests::default());
        assert!(matches!(result, Err(Stop::Error(_))));
        let verified = HashMap::from([(slice, digest)]);
        let verified = TableDigests { verified, ..TableDigests::default() };
        assert_eq!(check(&record(&bytes), verified.clone()), (Ok(()), digest));
        // The same length, another digest; and with that digest in the manifest, other values.
        fs::write(&path, &other).unwrap();
        let (result, _) = check(&record(&bytes), verified.clone());
        assert!(matches!(result, Err(Stop::Refuted(f)) if f.rule == "slice-hash"));
        let (result, _) = check(&record(&other), verified);
        assert!(matches!(result, Err(Stop::Error(_))));
    }
}
