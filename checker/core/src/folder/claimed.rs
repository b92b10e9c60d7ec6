//! Which tables of a database are in memory: they are filled from slice files, removed, and made
//! again.
//!
//! Enforces: that a stretch that comes back has the digest of the stretch that was removed, and
//! that a table of which nothing was in memory has the digest of the table verified before; so the
//! code that makes a table again need not be trusted. Trusts: `derive.rs` for the values of
//! positions with a capture. The plan is not trusted (`directory.rs`).

use super::values::Check;
use crate::derive::capture;
use crate::rules::Bits;
use crate::values::Shape;
use crate::values::{CHUNK, Table, digest_of_chunks};
use crate::verdict::Stop;
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_aid::{Layer, Step};
use rayon::prelude::*;
use std::collections::HashSet;
use std::ops::Range;

impl Check<'_> {
    /// The table of a slice of which something is in memory.
    pub(crate) fn table(&self, slice: SliceName) -> Result<&Table, Stop> {
        self.values.table(slice).ok_or_else(|| Stop::Error("a table is missing".into()))
    }

    /// The layers of a slice.
    pub(crate) fn layers(&self, slice: SliceName) -> impl Iterator<Item = Layer> + use<> {
        let board = self.values.board();
        (0..Shape::new(board, slice).layers(board)).map(move |advance| Layer { slice, advance })
    }

    /// Allocates what is not in memory of layers of a slice, as draws. Returns the numbers of those
    /// stretches.
    fn reserve(&mut self, layers: &[Layer]) -> Result<Vec<usize>, Stop> {
        let mut made = Vec::new();
        for &layer in layers {
            made.extend(self.values.reserve_layer(layer)?);
        }
        Ok(made)
    }

    /// Puts the values in a slice's file into stretches that are allocated. With `rest` the parts
    /// in which no position lies are decoded, too: every part must come out.
    fn fill(&mut self, slice: SliceName, stretches: &[usize], rest: bool) -> Result<(), Stop> {
        let is_whole = self.layers(slice).nth(1).is_none();
        if !self.opened.contains_key(&slice) {
            self.opened.insert(slice, self.files.open(slice)?);
        }
        let table = self.table(slice)?;
        let wanted = table.marked(stretches.iter().copied());
        let mut possible = wanted.clone();
        if rest && !is_whole {
            let all = self.layers(slice).flat_map(|layer| self.values.stretches(layer));
            possible = table.marked(all);
        }
        let is_wanted = |indices: Range<u64>| {
            let numbers = table.number(indices.start)..=table.number(indices.end - 1);
            let has = |marked: &[bool]| marked[numbers.clone()].iter().any(|&is| is);
            has(&wanted) || rest && !has(&possible)
        };
        let mark = |index, win, loss| {
            if wanted[table.number(index)] {
                table.mark(index, Bits { win, loss });
            }
        };
        let file = self.opened.get(&slice);
        let read = file.map_or(Ok(()), |file| file.read(is_wanted, mark));
        read.map_err(|offset| self.files.wrong_payload(slice, offset))?;
        if is_whole {
            self.opened.remove(&slice);
        }
        Ok(())
    }

    /// Notes the digest of a slice's table. If one was noted before it must be the same; for a
    /// slice that is verified here one must have been noted.
    pub(crate) fn note(&mut self, slice: SliceName, digest: Digest) -> Result<(), Stop> {
        let (is_own, tables) = (self.own.contains(&slice), &mut self.tables);
        let digests = if is_own { &mut tables.verified } else { &mut tables.assumed };
        match digests.insert(slice, digest) {
            Some(before) if before == digest => Ok(()),
            None if !is_own => Ok(()),
            _ => Err(Self::other_values(slice)),
        }
    }

    fn other_values(slice: SliceName) -> Stop {
        let name = slice.file_name();
        Stop::Error(format!("{name} has other values than those verified before"))
    }

    /// Brings back layers of a slice whose values have been verified or are taken for granted. The
    /// slices that captures lead to must be in memory.
    pub(crate) fn restore(&mut self, slice: SliceName, layers: &[Layer]) -> Result<(), Stop> {
        self.values.make_table(slice)?;
        let is_known = |n: &usize| self.stretches.get(&slice).is_some_and(|s| s.contains_key(n));
        let wanted = layers.iter().flat_map(|&layer| self.values.stretches(layer));
        let is_all = self.layers(slice).all(|layer| layers.contains(&layer));
        if !is_all && !wanted.collect::<Vec<_>>().iter().all(is_known) {
            let digest = self.digest_piece_by_piece(slice)?;
            self.note(slice, digest)?;
        }
        let mut made = self.reserve(layers)?;
        if is_all && let Some(part) = self.part {
            let table = self.table(slice)?;
            let digest = part.source.read(self.files.record(slice)?.digest, table);
            if let Some(digest) = digest.filter(|digest| *digest == table.digest()) {
                return self.note(slice, digest);
            }
            // The source may have left anything in the table.
            layers.iter().for_each(|&layer| self.values.release(layer));
            made = self.reserve(layers)?;
        }
        self.make_again(slice, &made)?;
        let digests = self.stretches.get(&slice);
        if made.iter().all(|n| digests.is_some_and(|digests| digests.contains_key(n))) {
            return Ok(());
        }
        // Then the whole table is in memory.
        let digest = self.keep(slice)?;
        self.note(slice, digest)
    }

    /// Makes stretches again from the slice's file. They must have the digests noted for them, if
    /// any.
    fn make_again(&mut self, slice: SliceName, stretches: &[usize]) -> Result<(), Stop> {
        self.fill(slice, stretches, false)?;
        let wanted = self.table(slice)?.marked(stretches.iter().copied());
        capture(&self.values, slice, |number| wanted[number])?;
        let (table, digests) = (self.table(slice)?, self.stretches.get(&slice));
        let is_right = |number: &usize| {
            let noted = digests.and_then(|digests| digests.get(number));
            let stretch = table.stretch(*number);
            stretch.is_some_and(|s| noted.is_none_or(|noted| *noted == s.digest()))
        };
        let is_right = stretches.par_iter().all(is_right);
        if is_right { Ok(()) } else { Err(Self::other_values(slice)) }
    }

    /// The digest of a slice's table that need not be in memory as a whole: missing stretches come
    /// back temporarily, a piece at a time, and the digests of the stretches are noted.
    pub(crate) fn digest_piece_by_piece(&mut self, slice: SliceName) -> Result<Digest, Stop> {
        // The number of chunks made at a time: 8 MiB.
        const PIECE: u64 = 64;
        let layers: Vec<Layer> = self.layers(slice).collect();
        self.values.make_table(slice)?;
        let possible = layers.iter().flat_map(|&layer| self.values.stretches(layer));
        let possible: Vec<usize> = possible.collect();
        let possible = self.table(slice)?.marked(possible.into_iter());
        let shape = Shape::new(self.values.board(), slice);
        let mut chunks = Vec::new();
        let mut made: Vec<usize> = Vec::new();
        let count = shape.indices.div_ceil(64 * CHUNK);
        let mut end = 0;
        while end < count {
            let first = end;
            end = count.min(first + PIECE);
            self.values.make_table(slice)?;
            let table = self.table(slice)?;
            let last = shape.indices.min(end * 64 * CHUNK) - 1;
            let numbers = table.number(first * 64 * CHUNK)..=table.number(last);
            let is_missing = |n: &usize| possible[*n] && table.stretch(*n).is_none();
            let missing: Vec<usize> = numbers.filter(is_missing).collect();
            for &number in &missing {
                self.values.reserve_stretch(slice, number)?;
            }
            self.make_again(slice, &missing)?;
            let table = self.table(slice)?;
            let digest = |n: &usize| Some((*n, table.stretch(*n)?.digest()));
            let digests: Vec<_> = missing.par_iter().filter_map(digest).collect();
            let pieces = first..end;
            chunks
                .extend(pieces.into_par_iter().map(|i| table.chunk_digests(i)).collect::<Vec<_>>());
            made.extend(missing);
            let is_done = |n: &usize| table.indices(*n).end <= end * 64 * CHUNK;
            let (done, rest) = made.iter().partition(|n| is_done(n));
            made = rest;
            self.stretches.entry(slice).or_default().extend(digests);
            let done: Vec<usize> = done;
            done.into_iter().for_each(|number| self.values.release_stretch(slice, number));
        }
        Ok(digest_of_chunks(&chunks))
    }

    /// Gives a table to the source of tables, which may do without it. Returns its digest.
    pub(crate) fn keep(&self, slice: SliceName) -> Result<Digest, Stop> {
        let table = self.table(slice)?;
        let file = self.files.record(slice)?.digest;
        let digest = table.digest();
        let view = table.view();
        let kept = self.part.iter().try_for_each(|part| part.source.write(file, view, digest));
        kept.unwrap_or_else(|e| self.options.progress.show(&format!("cannot keep a table: {e}")));
        Ok(digest)
    }

    /// Removes a layer from memory, and notes the digests of its stretches.
    fn release(&mut self, layer: Layer) -> Result<(), Stop> {
        let (table, stretches) = (self.table(layer.slice)?, self.values.stretches(layer));
        let digest = |n: usize| Some((n, table.stretch(n)?.digest()));
        let digests: Vec<_> = stretches.into_par_iter().filter_map(digest).collect();
        self.stretches.entry(layer.slice).or_default().extend(digests);
        self.values.release(layer);
        Ok(())
    }

    /// Makes ready for a layer of a batch: allocates memory, and brings the values of its blocks
    /// and of those that moves lead to. `begun` has the layers of the batch that came from their
    /// files before.
    pub(crate) fn prepare(
        &mut self,
        Step { out, bring }: Step,
        batch: &[SliceName],
        begun: &mut HashSet<Layer>,
    ) -> Result<(), Stop> {
        out.into_iter().try_for_each(|layer| self.release(layer))?;
        for layers in bring.chunk_by(|one, other| one.slice == other.slice) {
            let slice = layers[0].slice;
            if !batch.contains(&slice) {
                self.restore(slice, layers)?;
                continue;
            }
            let is_first = !begun.iter().any(|layer| layer.slice == slice);
            let (new, old): (Vec<Layer>, Vec<Layer>) =
                layers.iter().partition(|&&layer| begun.insert(layer));
            let made = self.reserve(&new)?;
            self.fill(slice, &made, is_first)?;
            if !old.is_empty() {
                self.restore(slice, &old)?;
            }
        }
        Ok(())
    }
}
