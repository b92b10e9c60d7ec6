//! Whether the values of a database are right: `SPEC.md` §8.3 – §8.5.
//!
//! Enforces: that every value of every slice that the cover admits is right at the level asked for,
//! and that the files are those that the root stands for. Which slices there must be is computed
//! from the board: a database with a hole proves nothing.
//!
//! Soundness: at the level *exact* the values used for a certificate are those that
//! `derive/pairs.rs` derives from the rules, whatever the file has; the file's are only compared
//! with them. At the level *consistent* they are the file's, after every single one was found to
//! follow from its successors' (`SPEC.md` §2: enough for NotLost, because what is not lost there is
//! closed).
//!
//! The tables of all slices that are needed have their place before anything is verified, and stay
//! until nodes and leaves have been checked. A whole check fills each of them from its file and
//! verifies it, and takes nothing from elsewhere: its store of tables is the core's own `Nothing`.
//! Only where a part is checked may a store say what was verified before; and a table of a slice
//! that is not verified is made from its file, or is a copy of the store's that is named by its
//! digest. What is looked up is never a file that others can write to.
//!
//! Trusts: of a whole check nothing but `derive/` and the files named in their heads. A file is
//! read when it is hashed and again when its values are: each time it must have the digest of the
//! manifest.

use super::manifest::Found;
use super::slice_file::{SliceFiles, decoding_tables};
use crate::derive::{First, Wrong, capture, groups, settle};
use crate::options::Options;
use crate::part::{Part, TableDigests};
use crate::rules::Bits;
use crate::values::{Block, Database, Shape, Table, pairs};
use crate::verdict::{Finding, Stop};
use certificate_spec::Digest;
use certificate_spec::database::{SliceName, SliceRecord};
use rayon::prelude::*;
use std::collections::HashSet;

/// The number of indices of the slices that are verified before any is recorded, unless one pair
/// has more.
const BATCH: u64 = 1 << 32;

/// The values of a database, and what was verified to get them.
pub(crate) struct Values {
    /// The tables of all slices that were needed.
    pub(crate) database: Database,
    /// The numbers of the pairs of slices that were verified here, ascending.
    pub(crate) pairs: Vec<usize>,
    /// The number of pairs whose tables were taken from the store, which says that they were
    /// verified before.
    pub(crate) believed: usize,
    /// The digests of the tables that were verified or taken for granted.
    pub(crate) digests: TableDigests,
}

/// Checks a database that was found: the pairs of slices and the blocks that the `part` selects.
///
/// # Errors
/// What is wrong with it, or why it could not be checked.
pub(crate) fn check(options: &Options, found: &Found<'_>, part: &Part<'_>) -> Result<Values, Stop> {
    let Found { folder, root, restricted, .. } = found;
    let (board, cover) = (folder.board, &restricted.cover);
    let all_pairs = pairs(board, cover);
    let is_own = |i: &usize| part.selection.has_pair(*i);
    let own_pairs: Vec<usize> = (0..all_pairs.len()).filter(is_own).collect();
    let both = |&i: &usize| [all_pairs[i], all_pairs[i].twin()];
    let own: HashSet<SliceName> = own_pairs.iter().flat_map(both).collect();
    let values = Database::new(board, cover, options, needed(part, &own))?;
    let about = format!("{} {} {cover} {root}", board.name(), options.level.word());
    part.store.begin(&about).map_err(Stop::Error)?;
    let decoding = decoding_tables(board, cover.most_pieces());
    let files = SliceFiles { folder, records: &restricted.slices, decoding: &decoding };
    let (digests, settled, believed) = Default::default();
    let mut check = Check { files, part, options, own, values, digests, settled, believed };
    if let Err(stop) = check.run() {
        return Err(check.first_of_its_kind(stop).about(None, Some(*root)));
    }
    let is_settled = |i: &usize| both(i).iter().all(|slice| check.settled.contains(slice));
    let pairs = own_pairs.into_iter().filter(is_settled).collect();
    let Check { values: database, digests, believed, .. } = check;
    Ok(Values { database, pairs, believed, digests })
}

/// Returns a test for the slices whose tables the check needs: the slices of `own`, and all slices
/// that captures and crownings lead to; or all slices, where any position may be looked up.
fn needed(part: &Part<'_>, own: &HashSet<SliceName>) -> impl Fn(SliceName) -> bool {
    let most = own.iter().map(|slice| slice.pieces()).max().unwrap_or(0);
    let crowned =
        |&SliceName([a, b, c, d]): &SliceName| Some(SliceName([c, d, a.checked_sub(1)?, b + 1]));
    let crowned: HashSet<SliceName> = own.iter().filter_map(crowned).collect();
    let all = part.needs_all();
    move |slice| all || slice.pieces() < most || own.contains(&slice) || crowned.contains(&slice)
}

/// The state of a check of a database.
struct Check<'a> {
    files: SliceFiles<'a>,
    part: &'a Part<'a>,
    options: &'a Options,
    /// The slices that are verified, here or as the store says. Others are taken for granted.
    own: HashSet<SliceName>,
    values: Database,
    digests: TableDigests,
    /// The slices whose values have been found right here.
    settled: HashSet<SliceName>,
    believed: usize,
}

impl Check<'_> {
    /// Checks all that is to be checked, in the order of §9: hashes and heads, values, and blocks
    /// that were chosen by themselves.
    fn run(&mut self) -> Result<(), Stop> {
        self.check_heads()?;
        let shapes: Vec<Shape> = self.values.tables().iter().map(|table| table.shape).collect();
        let own = shapes.iter().filter(|shape| self.own.contains(&shape.slice));
        let indices = own.fold(0u64, |sum, shape| sum.saturating_add(shape.indices));
        self.options.progress.begin("checking indices of the database", indices);
        let slices: Vec<SliceName> = shapes.iter().map(|shape| shape.slice).collect();
        for group in groups(&slices) {
            let (own, given): (Vec<_>, Vec<_>) = group.iter().partition(|s| self.own.contains(s));
            given.into_iter().try_for_each(|slice| self.take_for_granted(slice))?;
            self.check_group(&own)?;
        }
        if self.part.selection.has_blocks() { self.check_blocks() } else { Ok(()) }
    }

    /// The slices that are to be verified, in order.
    fn own(&self) -> impl Iterator<Item = &SliceRecord> {
        self.files.records.iter().filter(|record| self.own.contains(&record.name))
    }

    /// The error that is reported: the syntax of all files comes before values.
    fn first_of_its_kind(&self, stop: Stop) -> Stop {
        if matches!(stop, Stop::Error(_)) {
            return stop;
        }
        let judge = |record: &SliceRecord| self.files.judge(record.name);
        self.own().try_for_each(judge).err().unwrap_or(stop)
    }

    /// Checks hashes and heads of the files that are verified: before any value (§9).
    fn check_heads(&self) -> Result<(), Stop> {
        // Saturating: the lengths are only claimed so far.
        let bytes = self.own().fold(0u64, |sum, slice| sum.saturating_add(slice.length));
        self.options.progress.begin("reading the database", bytes);
        let own: Vec<_> = self.own().collect();
        let wrong = own.into_par_iter().find_map_first(|record| {
            let wrong = self.files.judge_head(record.name).err();
            self.options.progress.add(record.length);
            wrong
        });
        wrong.map_or(Ok(()), Err)
    }

    /// Checks the values of slices of a group, to the end even if one is wrong, so that the error
    /// reported is the first one of the group.
    fn check_group(&mut self, slices: &[SliceName]) -> Result<(), Stop> {
        let first = First::default();
        let mut batch: Vec<SliceName> = Vec::new();
        let mut size = 0u64;
        for &slice in slices.iter().filter(|slice| slice.0 >= slice.twin().0) {
            let indices = self.values.table(slice).shape.indices.saturating_mul(2);
            if size.saturating_add(indices) > BATCH {
                self.check_batch(&std::mem::take(&mut batch), &first)?;
                size = 0;
            }
            if !self.believe(slice)? {
                batch.push(slice);
                size = size.saturating_add(indices);
            }
        }
        self.check_batch(&batch, &first)?;
        first.get().map_or(Ok(()), |wrong| Err(self.wrong_value(wrong)?))
    }

    /// Checks the values of pairs of slices, and records them unless one of the group is wrong.
    fn check_batch(&mut self, pairs: &[SliceName], first: &First) -> Result<(), Stop> {
        let slices: Vec<SliceName> = pairs.iter().flat_map(|&pair| both(pair)).collect();
        slices.iter().try_for_each(|&slice| self.read(slice))?;
        let Options { level, progress, .. } = self.options;
        settle(&self.values, &slices, *level, |_| true, first, progress);
        match first.get() {
            Some(_) => Ok(()),
            None => pairs.iter().try_for_each(|&pair| self.write_down(pair)),
        }
    }

    /// Puts the values of quiet positions that a slice's file has into its table, which is empty.
    fn read(&self, slice: SliceName) -> Result<(), Stop> {
        let table = self.values.table(slice);
        let mark = |index, win, loss| table.mark(index, Bits { win, loss });
        let read = self.files.open(slice)?.read(mark);
        read.map_err(|offset| self.files.wrong_payload(slice, offset))
    }

    /// Copies the table of a slice from the store. It must have the digest that it is said to have
    /// and, if that is given, this one; else the table is empty afterwards.
    fn copy(&self, slice: SliceName, right: Option<Digest>) -> Result<Option<Digest>, Stop> {
        let file = self.files.record(slice)?.digest;
        let Some((said, mut from)) = self.part.store.open(file) else { return Ok(None) };
        let table = self.values.table(slice);
        let is_copied = right.is_none_or(|right| right == said)
            && table.read_from(&mut *from).is_ok()
            && table.digest() == said;
        if !is_copied {
            table.clear();
            self.part.store.reject(file);
        }
        Ok(is_copied.then_some(said))
    }

    /// Fills the table of a slice that is not verified here: with the store's, or with the values
    /// in its file and what captures lead to.
    fn take_for_granted(&mut self, slice: SliceName) -> Result<(), Stop> {
        // A journal has what it says was verified. Another table might not be there any more when
        // the check goes on, and the note would not name it.
        let is_shared = !self.part.store.records();
        let copied = if is_shared { self.copy(slice, None)? } else { None };
        if copied.is_none() {
            self.read(slice)?;
            capture(&self.values, slice);
        }
        if self.part.selection.names_tables() {
            let digest = copied.unwrap_or_else(|| self.values.table(slice).digest());
            self.digests.assumed.insert(slice, digest);
            if is_shared && copied.is_none() {
                self.keep(slice, digest)?;
            }
        }
        Ok(())
    }

    /// Copies the tables of a pair of slices that the store says was verified before, if it has
    /// both. It is told of each that is not right.
    fn believe(&mut self, pair: SliceName) -> Result<bool, Stop> {
        let said = |slice| Some((slice, self.part.store.verified(slice)?));
        let Some(tables) = both(pair).map(said).collect::<Option<Vec<_>>>() else {
            return Ok(false);
        };
        let mut is_copied = true;
        for &(slice, digest) in &tables {
            is_copied &= self.copy(slice, Some(digest))?.is_some();
        }
        if is_copied {
            self.digests.verified.extend(tables);
            self.believed += 1;
        } else {
            both(pair).for_each(|slice| self.values.table(slice).clear());
        }
        Ok(is_copied)
    }

    /// Counts the slices of a pair as right. Their tables are named for the verdict on a shard, and
    /// for a store.
    fn write_down(&mut self, pair: SliceName) -> Result<(), Stop> {
        self.settled.extend(both(pair));
        if !self.part.selection.names_tables() && !self.part.store.records() {
            return Ok(());
        }
        let mut tables = Vec::new();
        for slice in both(pair) {
            let digest = self.values.table(slice).digest();
            self.keep(slice, digest)?;
            tables.push((slice, digest));
        }
        self.part.store.record(&tables).map_err(Stop::Error)?;
        self.digests.verified.extend(tables);
        Ok(())
    }

    /// Offers a table to the store, which may do without it.
    fn keep(&self, slice: SliceName, digest: Digest) -> Result<(), Stop> {
        let (file, table): (_, &Table) = (self.files.record(slice)?, self.values.table(slice));
        let kept = self.part.store.keep(file.digest, digest, &|to| table.write_to(to));
        if let Err(error) = kept {
            self.options.progress.show(&format!("cannot keep a table: {error}"));
        }
        Ok(())
    }

    /// Checks selected blocks one by one, given the values of all others.
    fn check_blocks(&self) -> Result<(), Stop> {
        let Options { level, progress, .. } = self.options;
        progress.begin("checking blocks", 0);
        let first = First::default();
        let is_wanted = |Block { slice, men, their_men }: Block| {
            self.part.has_block(&format!("{} {men} {their_men}", slice.file_name()))
        };
        for group in groups(&self.values.slices) {
            settle(&self.values, group, *level, is_wanted, &first, progress);
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
        let SliceFiles { folder, .. } = &self.files;
        let finding = Finding::new("slice-value", name(expected), name(found));
        let finding = finding.file(folder.file(&slice.file_name()));
        let position = Shape::new(folder.board, slice).position(folder.board, index);
        let offset = self.files.open(slice)?.offset(index);
        Ok(Finding { position, ..finding.at(offset) }.into())
    }
}

/// A slice and its twin, or the one that is its own twin.
fn both(pair: SliceName) -> impl Iterator<Item = SliceName> {
    let twin = Some(pair.twin()).filter(|&twin| twin != pair);
    [pair].into_iter().chain(twin)
}
