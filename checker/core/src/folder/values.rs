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
//! A file is read when it is hashed, when its values are checked, and when something of its table
//! has to come back: each time as a whole, and it must have the digest of the manifest. Tables are
//! in memory by stretches: a block, or a whole table of small blocks. A stretch that comes back
//! in memory by stretches: a block, or a whole table of small blocks. A stretch that comes back
//! must have the digest of the one that was verified, so the code that makes it again need not be
//! trusted. Blocks are settled layer by layer, those with the men farther ahead first, so that of
//! large slices only a few layers are in memory at a time. A value that is needed and not in memory
//! is an error of its own, and never a value.
//!
//! Where a part is checked, the values of slices that are not verified are the files', or those of
//! the source of tables; the digests of their tables are in what is returned.
//!
//! Trusts: of a whole check nothing but `derive.rs` and the files named in its head.

use super::manifest::Found;
use super::slice_file::{SliceFiles, decoding_tables};
use crate::derive::{First, Wrong, advances, groups, settle, settle_advance};
use crate::options::Options;
use crate::part::{Part, TableDigests};
use crate::proof::Positions;
use crate::rules::Bits;
use crate::rules::Board;
use crate::values::Block;
use crate::values::Database;
use crate::values::{Shape, pairs, slices};
use crate::verdict::{Finding, Stop};
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
use certificate_spec::database::{SliceName, SliceRecord};
use checker_aid::decode::Slice;
use checker_aid::{Layer, Plan, Step};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// The values of a database, and what was verified to get them.
pub(crate) struct Values {
    /// The tables that are in memory: all of them, if they were wanted.
    pub(crate) database: Database,
    /// The numbers of the pairs of slices that were verified here, ascending.
    pub(crate) pairs: Vec<usize>,
    /// The digests of tables, where a part was checked.
    pub(crate) tables: TableDigests,
}

/// The positions whose values are wanted after a check.
pub(crate) enum Wanted<'a> {
    /// No values are needed afterwards.
    Nothing,
    /// All positions: all tables are in memory at the end.
    All,
    /// These positions: no table need be in memory at the end.
    Positions(&'a Positions),
}

/// Whether the tables of all slices of a database fit into memory.
pub(crate) fn fits(options: &Options, board: &Board, cover: &Cover) -> bool {
    plan(options, board, &slices(board, cover)).fits()
}

/// The rows that men have advanced in the blocks of a layer: those of a slice with small blocks are
/// all in one.
fn together(board: &Board, layer: &Layer) -> impl Iterator<Item = usize> + use<> {
    let has_large_blocks = Shape::new(board, layer.slice).has_large_blocks();
    let advance = layer.advance;
    advances(board, &[layer.slice]).filter(move |&n| !has_large_blocks || n == advance)
}

fn plan(options: &Options, board: &Board, slices: &[SliceName]) -> Plan {
    let bytes = |&slice: &SliceName| (slice, Shape::new(board, slice).layer_bytes(board));
    let rows = usize::from(board.rows().saturating_sub(2));
    Plan::new(slices.iter().map(bytes).collect(), rows, options.memory)
}

/// Checks a database that was found: all of it, or the pairs of slices and the blocks that the
/// `part` selects.
///
/// # Errors
/// What is wrong with it, or why it could not be checked.
pub(crate) fn check(
    options: &Options,
    found: &Found<'_>,
    part: Option<&Part<'_>>,
    wanted: &Wanted<'_>,
) -> Result<Values, Stop> {
    let Found { folder, cover, root, restricted } = found;
    let board = folder.board;
    let all_pairs = pairs(board, cover);
    let is_own = |i: &usize| part.is_none_or(|part| part.selection.has_pair(*i));
    let own_pairs: Vec<usize> = (0..all_pairs.len()).filter(is_own).collect();
    let both = |&i: &usize| [all_pairs[i], all_pairs[i].twin()];
    let own: HashSet<SliceName> = own_pairs.iter().flat_map(both).collect();
    let all: Vec<SliceName> = restricted.slices.iter().map(|record| record.name).collect();
    let plan = plan(options, board, &all);
    options.progress.show(&plan.estimate());
    let pair_by_pair = part.is_some_and(|part| part.source.wants_each_pair());
    // A shard states the digests of whole tables that it takes for granted.
    let by_layers = own.len() == all.len();
    let keep_all = matches!(wanted, Wanted::All);
    let batches = plan.batches(pair_by_pair, keep_all, by_layers);
    let mut batches = batches.map_err(Stop::Error)?;
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
    batches.retain(|batch| !batch.iter().all(|slice| tables.verified.contains_key(slice)));
    let layers = |&slice: &SliceName| {
        let layers = 0..Shape::new(board, slice).layers(board);
        layers.map(move |advance| Layer { slice, advance })
    };
    let positions = match wanted {
        Wanted::Positions(positions) => Some(*positions),
        Wanted::All | Wanted::Nothing => None,
    };
    // The positions wanted of slices that are not checked now, which are not looked up while
    // checking.
    let checked: HashSet<&SliceName> = batches.iter().flatten().collect();
    let is_asked = |layer: &Layer| {
        positions.is_some_and(|p| together(board, layer).any(|n| p.has(layer.slice, n)))
    };
    let others = all.iter().filter(|slice| !checked.contains(slice));
    let lookups: Vec<Layer> = others.flat_map(layers).filter(is_asked).collect();
    let mut then: Vec<Vec<Layer>> = lookups.iter().map(|&layer| vec![layer]).collect();
    then.extend(keep_all.then(|| all.iter().flat_map(layers).collect()));
    let steps = plan.schedule(&batches, then).map_err(Stop::Error)?;
    let decoding = decoding_tables(board, cover.most_pieces());
    let mut check = Check {
        files: SliceFiles::new(folder, &restricted.slices, &decoding),
        opened: HashMap::new(),
        own,
        values: Database::new(board, cover),
        tables,
        stretches: HashMap::new(),
        options,
        part,
        positions,
        settled: HashSet::new(),
    };
    let result = check.check_heads().and_then(|()| {
        check.check_values(&batches, &lookups, steps)?;
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
        // The error found is the first of its kind, but the syntax of all files comes before
        // values.
        Err(stop) => {
            let judge = |record: &SliceRecord| check.files.judge(record.name);
            check.own().try_for_each(judge).and(Err(stop))
        }
    }
}

/// The state of a check of a database.
pub(crate) struct Check<'a> {
    pub(crate) files: SliceFiles<'a>,
    /// The files of the batch that are read layer by layer.
    pub(crate) opened: HashMap<SliceName, Slice<'a>>,
    /// The slices that are to be verified here. The values of other slices are taken for granted.
    pub(crate) own: HashSet<SliceName>,
    pub(crate) values: Database,
    /// The digests of tables that have been verified, here or as a source of tables says, and of
    /// those that have been taken for granted.
    pub(crate) tables: TableDigests,
    /// The digests of stretches that have been in memory, verified or taken for granted.
    pub(crate) stretches: HashMap<SliceName, HashMap<usize, Digest>>,
    pub(crate) options: &'a Options,
    /// The selection of what is verified and the source of tables, if the check is of a part.
    pub(crate) part: Option<&'a Part<'a>>,
    /// The positions whose values are wanted, if not all tables are in memory at the end.
    pub(crate) positions: Option<&'a Positions>,
    /// The slices whose values have been found right here.
    pub(crate) settled: HashSet<SliceName>,
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

    /// Checks the values in the files of these slices. The first group with a wrong value is
    /// checked to its end, so that the error reported is the first one there, whatever the batches
    /// are. For a part the digests of tables are kept. At the end the layers are in memory that the
    /// last step asks for.
    fn check_values(
        &mut self,
        batches: &[Vec<SliceName>],
        lookups: &[Layer],
        steps: Vec<Step>,
    ) -> Result<(), Stop> {
        let board = self.files.folder.board;
        let indices = batches.iter().flatten().map(|&s| Shape::new(board, s).indices);
        let level = self.options.level;
        let progress = self.options.progress.clone();
        progress.begin("checking the database", indices.fold(0, u64::saturating_add));
        let first = First::default();
        let mut steps = steps.into_iter();
        for (i, batch) in batches.iter().enumerate() {
            let mut begun = HashSet::new();
            for advance in advances(board, batch) {
                self.prepare(steps.next().unwrap_or_default(), batch, &mut begun)?;
                settle_advance(&self.values, batch, advance, level, |_| true, &first, &progress)?;
                if first.get().is_none() {
                    batch.iter().try_for_each(|&slice| self.look_up(slice, advance))?;
                }
            }
            self.opened.clear();
            if let Some(wrong) = first.get() {
                if batches.get(i + 1).is_none_or(|next| next[0].group() != batch[0].group()) {
                    return Err(self.wrong_value(wrong)?);
                }
                continue;
            }
            self.settled.extend(batch);
            if let Some(part) = self.part {
                for &slice in batch {
                    let digest = match self.values.has_all(slice) {
                        true => self.keep(slice)?,
                        false => self.digest_piece_by_piece(slice)?,
                    };
                    self.tables.verified.insert(slice, digest);
                }
                part.source.record(&self.tables).map_err(Stop::Error)?;
                self.opened.clear();
            }
        }
        for layer in lookups {
            self.opened.retain(|slice, _| *slice == layer.slice);
            self.prepare(steps.next().unwrap_or_default(), &[], &mut HashSet::new())?;
            together(board, layer).try_for_each(|advance| self.look_up(layer.slice, advance))?;
        }
        steps.try_for_each(|step| self.prepare(step, &[], &mut HashSet::new()))?;
        self.opened.clear();
        Ok(())
    }

    /// Looks up the positions whose values are wanted in the blocks of a slice whose men have
    /// advanced `advance` rows.
    fn look_up(&self, slice: SliceName, advance: usize) -> Result<(), Stop> {
        self.positions.map_or(Ok(()), |positions| positions.answer(&self.values, slice, advance))
    }

    /// Checks selected blocks one by one, with all tables in memory.
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
    use super::super::manifest::Folder;
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
            let decoding = decoding_tables(&board, 2);
            let mut check = Check {
                files: SliceFiles::new(&folder, records, &decoding),
                opened: HashMap::new(),
                own: HashSet::from([slice]),
                values: Database::new(&board, &Cover::up_to(2)),
                tables,
                stretches: HashMap::new(),
                options: &Options::new(""),
                part: None,
                positions: None,
                settled: HashSet::new(),
            };
            let result = check.restore(slice, &[Layer { slice, advance: 0 }]);
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
