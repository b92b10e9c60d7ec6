//! The claimed values: what the slice files say, in memory as far as they are needed, layer by
//! layer.
//!
//! A layer begins with the values of quiet positions that its file gives. If it is to be verified,
//! `derive` completes it and holds it against the rules. If it was verified before and has had to
//! go, or is taken for granted, its other values are those that captures lead to.
//!
//! Enforces: that a layer that comes back has the digest that it had when it went, and that a table
//! is named by the digest of what is in memory. So neither the code that decodes files nor a source
//! of tables need be trusted, nor the plan of what is in memory when (`order.rs`). Trusts:
//! `derive/pairs.rs` for the values of positions with a capture.

use super::slice_file::SliceFiles;
use crate::derive::capture;
use crate::part::{Part, TableDigests};
use crate::rules::Bits;
use crate::values::{Database, Table};
use crate::verdict::Stop;
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_aid::decode::Slice;
use checker_aid::{Layer, Progress, Step};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What the slice files say, as far as it is in memory.
pub(crate) struct ClaimedValues<'a> {
    pub(crate) files: SliceFiles<'a>,
    pub(crate) part: &'a Part<'a>,
    pub(crate) progress: &'a Progress,
    /// The slices that are verified, here or as a journal says. Others are taken for granted.
    pub(crate) own: HashSet<SliceName>,
    /// What is in memory.
    pub(crate) values: Database,
    pub(crate) digests: TableDigests,
    /// Files of slices of which only some layers have been read.
    pub(crate) opened: HashMap<SliceName, Slice<'a>>,
}

impl ClaimedValues<'_> {
    /// Makes ready for a step of the plan. The layers of slices in `batch` that have not been in
    /// memory get the values in their files; all others are complete afterwards.
    ///
    /// # Errors
    /// A file is wrong, or the plan asks for a layer that its slice does not have.
    pub(crate) fn change(&mut self, step: Step, batch: &[SliceName]) -> Result<(), Stop> {
        for &layer in step.out.iter().chain(&step.bring) {
            // A slice with small blocks has one layer, which must not be had by another name.
            if !self.values.layers(layer.slice).any(|there| there == layer) {
                return Err(Stop::Error("there is no such layer".into()));
            }
        }
        for layer in step.out {
            self.note(layer)?;
            self.values.release(layer);
        }
        for layers in step.bring.chunk_by(|one, other| one.slice == other.slice) {
            let slice = layers[0].slice;
            if !batch.contains(&slice) {
                self.restore(slice, layers)?;
                continue;
            }
            let is_old = |layer: &&Layer| self.digests.layers.contains_key(*layer);
            let (old, new): (Vec<Layer>, Vec<Layer>) = layers.iter().partition(is_old);
            let is_first = self.values.table(slice).is_none()
                && !self.values.layers(slice).any(|layer| is_old(&&layer));
            if !new.is_empty() {
                let made = self.reserve(&new)?;
                self.read(slice, &made, is_first)?;
            }
            if !old.is_empty() {
                self.restore(slice, &old)?;
            }
        }
        Ok(())
    }

    /// The table of a slice of which something is in memory.
    fn table(&self, slice: SliceName) -> Result<&Table, Stop> {
        self.values.table(slice).ok_or_else(|| Stop::Error("a table is missing".into()))
    }

    /// Allocates what is not in memory of layers, as draws. Returns the numbers of those stretches.
    fn reserve(&mut self, layers: &[Layer]) -> Result<Vec<usize>, Stop> {
        let mut made = Vec::new();
        for &layer in layers {
            made.extend(self.values.reserve(layer)?);
        }
        Ok(made)
    }

    /// Puts the values that a slice's file gives of quiet positions into stretches that are
    /// allocated. With `is_first` the parts of the file in which no position lies are judged, too:
    /// every part must come out.
    fn read(&mut self, slice: SliceName, made: &[usize], is_first: bool) -> Result<(), Stop> {
        let file = match self.opened.remove(&slice) {
            Some(file) => file,
            None => self.files.open(slice)?,
        };
        let table = self.table(slice)?;
        let wanted = table.marked(made);
        let layers: Vec<Layer> = self.values.layers(slice).collect();
        // Where a file is not read for the first time, nothing is asked of this.
        let asked = if is_first { &layers[..] } else { &[] };
        let possible = asked.iter().flat_map(|&layer| self.values.stretches(layer));
        let possible = table.marked(&possible.collect::<Vec<_>>());
        let is_wanted = |indices: Range<u64>| {
            let numbers = table.number(indices.start)..=table.number(indices.end - 1);
            let has = |marked: &[bool]| marked[numbers.clone()].contains(&true);
            has(&wanted) || is_first && !has(&possible)
        };
        let mark = |index, win, loss| {
            if wanted[table.number(index)] {
                table.mark(index, Bits { win, loss });
            }
        };
        let read = file.read(is_wanted, mark);
        read.map_err(|offset| self.files.wrong_payload(slice, offset))?;
        if layers.len() > 1 {
            self.opened.insert(slice, file);
        }
        Ok(())
    }

    /// Brings layers of a slice whose values have been verified or are taken for granted. The
    /// slices that captures lead to must be in memory.
    fn restore(&mut self, slice: SliceName, layers: &[Layer]) -> Result<(), Stop> {
        let is_all = self.values.layers(slice).all(|layer| layers.contains(&layer));
        let mut made = self.reserve(layers)?;
        let mut is_there = false;
        if is_all && self.part.source.has_tables() {
            let table = self.table(slice)?;
            let said = self.part.source.read(self.files.record(slice)?.digest, table);
            is_there = said.is_some_and(|digest| digest == table.digest());
            if !is_there {
                // The source may have left anything in the table.
                layers.iter().for_each(|&layer| self.values.release(layer));
                made = self.reserve(layers)?;
            }
        }
        if !is_there {
            self.read(slice, &made, false)?;
            layers.iter().try_for_each(|&layer| capture(&self.values, layer))?;
        }
        let is_known = layers.iter().all(|layer| self.digests.layers.contains_key(layer));
        layers.iter().try_for_each(|&layer| self.note(layer))?;
        if is_all && self.part.selection.names_tables() {
            self.name(slice, self.own.contains(&slice))
        } else if self.own.contains(&slice) && !is_known {
            // What counts as verified has a digest.
            Err(other_values(slice))
        } else {
            Ok(())
        }
    }

    /// Notes the digest of a layer that is in memory and complete. If one was noted before it must
    /// be the same.
    pub(crate) fn note(&mut self, layer: Layer) -> Result<(), Stop> {
        // There is a layer without a block where a row is too short for all men of a side, and then
        // there need be no table.
        let table = self.values.table(layer.slice);
        let digest = |&n: &usize| Some(table?.stretch(n)?.digest().0);
        let digests = self.values.stretches(layer).par_iter().map(digest).collect();
        let digests: Option<Vec<[u8; 32]>> = digests;
        let digests = digests.ok_or_else(|| Stop::Error("a layer is missing".into()))?;
        let digest = Digest::of(digests.as_flattened());
        match self.digests.layers.insert(layer, digest) {
            Some(before) if before != digest => Err(other_values(layer.slice)),
            _ => Ok(()),
        }
    }

    /// Notes the digests of all layers of a slice that was verified, of those that are in memory.
    /// Returns the digest of them all.
    pub(crate) fn note_slice(&mut self, slice: SliceName) -> Result<Digest, Stop> {
        let layers: Vec<Layer> = self.values.layers(slice).collect();
        let mut digests = Vec::new();
        for layer in layers {
            if self.values.has(layer) {
                self.note(layer)?;
            }
            let digest = self.digests.layers.get(&layer).map(|digest| digest.0);
            digests.push(digest.ok_or_else(|| Stop::Error("a layer is missing".into()))?);
        }
        Ok(Digest::of(digests.as_flattened()))
    }

    /// Names the table of a slice that is all in memory by its digest, and offers it to the source
    /// of tables, which may do without it. If a digest was noted before it must be the same; one
    /// was noted if the slice `was_verified`.
    pub(crate) fn name(&mut self, slice: SliceName, was_verified: bool) -> Result<(), Stop> {
        let is_own = self.own.contains(&slice);
        if !self.values.layers(slice).all(|layer| self.values.has(layer)) {
            return Err(Stop::Error("a layer is missing".into()));
        }
        let table = self.values.table(slice);
        let table = table.ok_or_else(|| Stop::Error("a table is missing".into()))?;
        let digest = table.digest();
        let digests = &mut self.digests;
        let digests = if is_own { &mut digests.verified } else { &mut digests.assumed };
        match digests.insert(slice, digest) {
            Some(before) if before == digest => return Ok(()),
            None if !was_verified => {}
            _ => return Err(other_values(slice)),
        }
        let file = self.files.record(slice)?.digest;
        if let Err(error) = self.part.source.write(file, table.view(), digest) {
            self.progress.show(&format!("cannot keep a table: {error}"));
        }
        Ok(())
    }
}

fn other_values(slice: SliceName) -> Stop {
    Stop::Error(format!("{} has other values than those verified before", slice.file_name()))
}

#[cfg(test)]
mod tests {
    use super::super::manifest::Folder;
    use super::super::slice_file::decoding_tables;
    use super::*;
    use crate::part::Nothing;
    use crate::rules::Board;
    use crate::values::Shape;
    use certificate_spec::cover::Cover;
    use certificate_spec::database::SliceRecord;
    use certificate_spec::slice::{SliceHead, SliceHeader};
    use certificate_spec::value::Value;
    use std::fs;
    use std::path::Path;

    const SLICE: SliceName = SliceName([0, 1, 0, 1]);
    const LAYER: Layer = Layer { slice: SLICE, advance: 0 };

    /// A file that says that all quiet positions have this value.
    fn file(board: &Board, constant: Value) -> Vec<u8> {
        let header = SliceHeader {
            name: SLICE,
            rows: board.rows(),
            columns: board.columns(),
            indices: Shape::new(board, SLICE).indices,
        };
        let (constant, frequencies) = (Some(constant), Default::default());
        SliceHead { header, constant, frequencies, units: Vec::new() }.encode()
    }

    /// Calls `work` with nothing in memory of a database in a folder whose manifest has these
    /// records.
    fn with<T>(
        board: &Board,
        cover: &Cover,
        path: &Path,
        records: &[SliceRecord],
        work: impl FnOnce(&mut ClaimedValues<'_>) -> T,
    ) -> T {
        let folder = Folder { path: path.into(), board };
        let decoding = decoding_tables(board, cover.most_pieces());
        work(&mut ClaimedValues {
            files: SliceFiles::new(&folder, records, &decoding),
            part: &Part::new(&Nothing, &Nothing),
            progress: &Progress::default(),
            own: HashSet::new(),
            values: Database::new(board, cover),
            digests: TableDigests::default(),
            opened: HashMap::new(),
        })
    }

    /// Restores the slice from a folder whose manifest lists a file with these bytes.
    fn restore(
        path: &Path,
        listed: &[u8],
        own: &[SliceName],
        layers: &HashMap<Layer, Digest>,
    ) -> Result<Digest, Stop> {
        let (length, digest) = (listed.len() as u64, Digest::of(listed));
        let records = [SliceRecord { name: SLICE, length, digest }];
        with(&Board::new(4, 4).unwrap(), &Cover::up_to(2), path, &records, |claimed| {
            claimed.own = own.iter().copied().collect();
            claimed.digests.layers = layers.clone();
            claimed.restore(SLICE, &[LAYER])?;
            Ok(claimed.digests.layers[&LAYER])
        })
    }

    #[test]
    fn what_comes_back_must_be_what_went() {
        let board = Board::new(4, 4).unwrap();
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(SLICE.file_name());
        let bytes = file(&board, Value::Draw);
        let other = file(&board, Value::Loss);
        let nothing = HashMap::new();
        fs::write(&path, &bytes).unwrap();
        // Values that are taken for granted get their digest; of a slice that was verified there is
        // one.
        let digest = restore(place.path(), &bytes, &[], &nothing).unwrap();
        let known = HashMap::from([(LAYER, digest)]);
        assert!(matches!(restore(place.path(), &bytes, &[SLICE], &nothing), Err(Stop::Error(_))));
        assert_eq!(restore(place.path(), &bytes, &[SLICE], &known), Ok(digest));
        // The same length, another digest; and with that digest in the manifest, other values.
        fs::write(&path, &other).unwrap();
        let result = restore(place.path(), &bytes, &[SLICE], &known);
        assert!(matches!(result, Err(Stop::Refuted(f, _)) if f.rule == "slice-hash"));
        for own in [&[SLICE][..], &[]] {
            let result = restore(place.path(), &other, own, &known);
            assert_eq!(result, Err(other_values(SLICE)));
        }
    }

    /// Three men of one side do not fit into the first row of this board.
    #[test]
    fn a_layer_without_a_block_comes_and_goes() {
        let board = Board::new(8, 4).unwrap();
        let slice = SliceName([3, 2, 0, 2]);
        with(&board, &Cover::up_to(7), Path::new(""), &[], |claimed| {
            let layers: Vec<Layer> = claimed.values.layers(slice).collect();
            assert!(layers.len() > 10);
            claimed.reserve(&layers).unwrap();
            assert!(claimed.values.stretches(layers[0]).is_empty());
            for &layer in layers.iter().rev() {
                claimed.note(layer).unwrap();
                claimed.values.release(layer);
            }
            assert!(claimed.values.table(slice).is_none());
        });
    }

    /// A slice may be among those to be verified whose layers have all been verified before.
    #[test]
    fn a_batch_with_nothing_new() {
        let board = Board::new(4, 4).unwrap();
        let place = tempfile::tempdir().unwrap();
        let bytes = file(&board, Value::Draw);
        fs::write(place.path().join(SLICE.file_name()), &bytes).unwrap();
        let (length, digest) = (bytes.len() as u64, Digest::of(&bytes));
        let records = [SliceRecord { name: SLICE, length, digest }];
        with(&board, &Cover::up_to(2), place.path(), &records, |claimed| {
            let bring = || Step { bring: vec![LAYER], ..Step::default() };
            claimed.own.insert(SLICE);
            claimed.change(bring(), &[SLICE]).unwrap();
            capture(&claimed.values, LAYER).unwrap();
            claimed.change(Step { out: vec![LAYER], ..Step::default() }, &[SLICE]).unwrap();
            assert_eq!(claimed.change(bring(), &[SLICE]), Ok(()));
            assert!(claimed.values.has(LAYER));
        });
    }

    /// Whatever the plan says: a layer has one name, and a table is named only as a whole.
    #[test]
    fn plans_that_lie() {
        let board = Board::new(8, 4).unwrap();
        let large = SliceName([3, 2, 0, 2]);
        with(&board, &Cover::up_to(7), Path::new(""), &[], |claimed| {
            let alias = Layer { advance: 1, ..LAYER };
            let no_layer = Err(Stop::Error("there is no such layer".into()));
            for (out, bring) in [(vec![alias], vec![]), (vec![], vec![alias])] {
                assert_eq!(claimed.change(Step { out, bring }, &[SLICE]), no_layer);
            }
            let layers: Vec<Layer> = claimed.values.layers(large).collect();
            claimed.reserve(&layers).unwrap();
            claimed.values.release(layers[5]);
            let missing = Err(Stop::Error("a layer is missing".into()));
            assert_eq!(claimed.name(large, false), missing);
        });
    }
}
