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
//! A whole check begins with no table and no digest of one: nothing counts as verified that was not
//! verified here. Only where a part is checked may a source of tables say what was verified before,
//! and the values of slices that are not verified are the files' or those of the source.
//!
//! Blocks are settled layer by layer, those with the men farther ahead first, so that of large
//! slices only a few layers need be in memory at a time. A value that is needed and not in memory
//! is an error of its own, and never a value. A file is read when it is hashed, when its values are
//! checked, and when something of its table has to come back (once for all layers of a slice that
//! are needed one after the other): each time it must have the digest of the manifest.
//!
//! Trusts: of a whole check nothing but `derive/`, `claimed.rs` and the files named in their heads.

use super::claimed::ClaimedValues;
use super::manifest::Found;
use super::order::{Order, Wanted};
use super::slice_file::{SliceFiles, decoding_tables};
use crate::derive::{First, Wrong, advances, groups, settle, settle_advance};
use crate::options::Options;
use crate::part::{Part, TableDigests};
use crate::rules::Bits;
use crate::values::{Block, Database, Shape, pairs};
use crate::verdict::{Finding, Stop};
use certificate_spec::database::{SliceName, SliceRecord};
use checker_aid::{Layer, Step};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// The values of a database, and what was verified to get them.
pub(crate) struct Values {
    /// The tables that are in memory: all of them, if they were wanted.
    pub(crate) database: Database,
    /// The numbers of the pairs of slices that were verified here, ascending.
    pub(crate) pairs: Vec<usize>,
    /// The digests of what was verified or taken for granted.
    pub(crate) digests: TableDigests,
}

/// Checks a database that was found: the pairs of slices and the blocks that the `part` selects.
///
/// # Errors
/// What is wrong with it, or why it could not be checked.
pub(crate) fn check(
    options: &Options,
    found: &Found<'_>,
    part: &Part<'_>,
    wanted: &Wanted<'_>,
) -> Result<Values, Stop> {
    check_values(options, found, part, wanted).map_err(|stop| stop.of_database(found.root))
}

fn check_values(
    options: &Options,
    found: &Found<'_>,
    part: &Part<'_>,
    wanted: &Wanted<'_>,
) -> Result<Values, Stop> {
    let Found { folder, cover, root, restricted } = found;
    let board = folder.board;
    let all_pairs = pairs(board, cover);
    let is_own = |i: &usize| part.selection.has_pair(*i);
    let own_pairs: Vec<usize> = (0..all_pairs.len()).filter(is_own).collect();
    let both = |&i: &usize| [all_pairs[i], all_pairs[i].twin()];
    let own: HashSet<SliceName> = own_pairs.iter().flat_map(both).collect();
    let mut order = Order::new(options, found, part, &own, wanted)?;
    let about = format!("{} {} {cover} {root}", board.name(), options.level.word());
    let digests = part.source.begin(&about).map_err(Stop::Error)?;
    order.batches.retain(|batch| !batch.iter().all(|s| digests.verified.contains_key(s)));
    let (steps, then) = order.steps(board, wanted)?;
    let decoding = decoding_tables(board, cover.most_pieces());
    let claimed = ClaimedValues {
        files: SliceFiles::new(folder, &restricted.slices, &decoding),
        part,
        progress: &options.progress,
        own,
        values: Database::new(board, cover),
        digests,
        opened: HashMap::new(),
    };
    let mut check = Check { claimed, options, wanted, settled: HashSet::new() };
    if let Err(stop) = check.run(&order.batches, steps, &then) {
        return Err(check.first_of_its_kind(stop));
    }
    let is_settled = |i: &usize| both(i).iter().all(|slice| check.settled.contains(slice));
    let pairs = own_pairs.into_iter().filter(is_settled).collect();
    let ClaimedValues { values, digests, .. } = check.claimed;
    Ok(Values { database: values, pairs, digests })
}

/// The state of a check of a database.
struct Check<'a> {
    claimed: ClaimedValues<'a>,
    options: &'a Options,
    wanted: &'a Wanted<'a>,
    /// The slices whose values have been found right here.
    settled: HashSet<SliceName>,
}

impl Check<'_> {
    /// Checks all that is to be checked, in the order of §9: hashes and heads, values, and blocks
    /// that were chosen by themselves.
    fn run(
        &mut self,
        batches: &[Vec<SliceName>],
        steps: Vec<Step>,
        then: &[Vec<Layer>],
    ) -> Result<(), Stop> {
        self.check_heads()?;
        let mut steps = steps.into_iter();
        let board = self.claimed.files.folder.board;
        let indices = batches.iter().flatten().map(|&s| Shape::new(board, s).indices);
        let progress = &self.options.progress;
        progress.begin("checking indices of the database", indices.fold(0, u64::saturating_add));
        let first = First::default();
        for (i, batch) in batches.iter().enumerate() {
            self.check_batch(batch, &mut steps, &first)?;
            if first.get().is_none() {
                self.write_down(batch)?;
            } else if batches.get(i + 1).is_none_or(|next| next[0].group() != batch[0].group()) {
                break;
            }
        }
        first.get().map_or(Ok(()), |wrong| Err(self.wrong_value(wrong)?))?;
        progress.begin("decoding layers that nodes and leaves need", then.len() as u64);
        for (layers, step) in then.iter().zip(steps) {
            self.claimed.opened.retain(|slice, _| layers.iter().any(|l| l.slice == *slice));
            self.claimed.change(step, &[])?;
            layers.iter().try_for_each(|&layer| self.answer(layer))?;
            progress.add(1);
        }
        self.claimed.opened.clear();
        if self.claimed.part.selection.has_blocks() { self.check_blocks() } else { Ok(()) }
    }

    /// The slices that are to be verified, in order.
    fn own(&self) -> impl Iterator<Item = &SliceRecord> {
        let ClaimedValues { files, own, .. } = &self.claimed;
        files.records.iter().filter(|record| own.contains(&record.name))
    }

    /// The error that is reported: the syntax of all files comes before values.
    fn first_of_its_kind(&self, stop: Stop) -> Stop {
        if matches!(stop, Stop::Error(_)) {
            return stop;
        }
        let judge = |record: &SliceRecord| self.claimed.files.judge(record.name);
        self.own().try_for_each(judge).err().unwrap_or(stop)
    }

    /// Checks hashes and heads of the files that are verified: before any value (§9).
    fn check_heads(&self) -> Result<(), Stop> {
        // Saturating: the lengths are only claimed so far.
        let bytes = self.own().fold(0u64, |sum, slice| sum.saturating_add(slice.length));
        self.options.progress.begin("reading the database", bytes);
        let own: Vec<_> = self.own().collect();
        let wrong = own.into_par_iter().find_map_first(|record| {
            let wrong = self.claimed.files.judge_head(record.name).err();
            self.options.progress.add(record.length);
            wrong
        });
        wrong.map_or(Ok(()), Err)
    }

    /// Checks the values of the slices of a batch, to the end even if one is wrong, so that the
    /// error reported is the first one of its group, whatever the batches are.
    fn check_batch(
        &mut self,
        batch: &[SliceName],
        steps: &mut impl Iterator<Item = Step>,
        first: &First,
    ) -> Result<(), Stop> {
        let Options { level, progress, .. } = self.options;
        let board = self.claimed.files.folder.board;
        let mut settled = 0;
        for advance in advances(board, batch) {
            self.claimed.change(steps.next().unwrap_or_default(), batch)?;
            let values = &self.claimed.values;
            settled += settle_advance(values, batch, advance, *level, |_| true, first, progress)?;
            for &slice in batch {
                self.answer(Layer { slice, advance })?;
            }
        }
        self.claimed.opened.clear();
        let all = batch
            .iter()
            .fold(0u64, |sum, &slice| sum.saturating_add(Shape::new(board, slice).blocks(board)));
        match settled == all {
            true => Ok(()),
            false => Err(Stop::Error(format!("{settled} of {all} blocks were checked"))),
        }
    }

    /// Looks up the positions of a layer whose values are wanted. (A slice with small blocks is one
    /// layer, with the number of the advance that comes last.)
    fn answer(&self, layer: Layer) -> Result<(), Stop> {
        match self.wanted {
            Wanted::Positions(positions) => positions.answer(&self.claimed.values, layer),
            Wanted::All | Wanted::Nothing => Ok(()),
        }
    }

    /// Counts the slices of a batch as right. Their digests are noted for the
    /// verdict on a shard, which names tables, and for a journal.
    fn write_down(&mut self, batch: &[SliceName]) -> Result<(), Stop> {
        self.settled.extend(batch);
        let Part { selection, source, .. } = self.claimed.part;
        for &slice in batch {
            let noted = source.is_journal().then(|| self.claimed.note_slice(slice)).transpose()?;
            if selection.names_tables() {
                self.claimed.name(slice, false)?;
            } else if let Some(digest) = noted {
                self.claimed.digests.verified.insert(slice, digest);
            }
        }
        source.record(&self.claimed.digests).map_err(Stop::Error)
    }

    /// Checks selected blocks one by one, with all tables in memory.
    fn check_blocks(&self) -> Result<(), Stop> {
        let ClaimedValues { files, values, part, .. } = &self.claimed;
        let Options { level, progress, .. } = self.options;
        progress.begin("checking blocks", 0);
        let first = First::default();
        let slices: Vec<_> = files.records.iter().map(|record| record.name).collect();
        let is_wanted = |Block { slice, men, their_men }: Block| {
            part.has_block(&format!("{} {men} {their_men}", slice.file_name()))
        };
        for group in groups(&slices) {
            settle(values, group, *level, is_wanted, &first, progress)?;
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
        let SliceFiles { folder, .. } = &self.claimed.files;
        let finding = Finding::new("slice-value", name(expected), name(found));
        let finding = finding.file(folder.file(&slice.file_name()));
        let position = Shape::new(folder.board, slice).position(folder.board, index);
        let offset = self.claimed.files.open(slice)?.offset(index);
        Ok(Finding { position, ..finding.at(offset) }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::manifest::Folder;
    use super::*;
    use crate::part::Nothing;
    use crate::rules::Board;
    use crate::values::slices;
    use certificate_spec::Digest;
    use certificate_spec::cover::Cover;
    use certificate_spec::slice::{SliceHead, SliceHeader};
    use certificate_spec::value::Value;
    use std::fs;

    /// Checks a database of 4x4 in which every quiet position is a win, by this plan.
    fn check_by(steps: Vec<Step>) -> Result<(), Stop> {
        let board = Board::new(4, 4).unwrap();
        let cover = Cover::up_to(2);
        let place = tempfile::tempdir().unwrap();
        let all = slices(&board, &cover);
        let record = |&name: &SliceName| {
            let indices = Shape::new(&board, name).indices;
            let header = SliceHeader { name, rows: 4, columns: 4, indices };
            let (constant, frequencies) = (Some(Value::Win), Default::default());
            let bytes = SliceHead { header, constant, frequencies, units: Vec::new() }.encode();
            fs::write(place.path().join(name.file_name()), &bytes).unwrap();
            SliceRecord { name, length: bytes.len() as u64, digest: Digest::of(&bytes) }
        };
        let records: Vec<SliceRecord> = all.iter().map(record).collect();
        let folder = Folder { path: place.path().into(), board: &board };
        let decoding = decoding_tables(&board, 2);
        let options = Options::new("");
        let claimed = ClaimedValues {
            files: SliceFiles::new(&folder, &records, &decoding),
            part: &Part::new(&Nothing, &Nothing),
            progress: &options.progress,
            own: all.iter().copied().collect(),
            values: Database::new(&board, &cover),
            digests: TableDigests::default(),
            opened: HashMap::new(),
        };
        let wanted = &Wanted::Nothing;
        let mut check = Check { claimed, options: &options, wanted, settled: HashSet::new() };
        let batches: Vec<Vec<SliceName>> = groups(&all).map(<[SliceName]>::to_vec).collect();
        check.run(&batches, steps, &[])
    }

    /// The plan may leave out what it likes, and then nothing is verified.
    #[test]
    fn plans_that_bring_too_little_or_too_late() {
        let board = Board::new(4, 4).unwrap();
        let all = slices(&board, &Cover::up_to(2));
        let batches: Vec<&[SliceName]> = groups(&all).collect();
        // A step for each advance of each batch, the first or the last of which brings all.
        let plan = |is_first: bool| {
            let mut steps = Vec::new();
            for batch in &batches {
                let begin = steps.len();
                steps.extend(advances(&board, batch).map(|_| Step::default()));
                let at = if is_first { begin } else { steps.len() - 1 };
                steps[at].bring = batch.iter().map(|&slice| Layer { slice, advance: 0 }).collect();
            }
            steps
        };
        assert!(
            matches!(check_by(plan(true)), Err(Stop::Refuted(f, _)) if f.rule == "slice-value")
        );
        assert!(matches!(check_by(plan(false)), Err(Stop::Refuted(..) | Stop::Error(_))));
        assert!(matches!(check_by(Vec::new()), Err(Stop::Error(_))));
        let mut late = plan(true);
        late.rotate_right(1);
        assert!(matches!(check_by(late), Err(Stop::Error(_))));
    }
}
