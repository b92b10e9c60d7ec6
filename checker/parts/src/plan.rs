//! Which tables are in memory, and when.
//!
//! Slices are checked in batches: a group (as many pieces, as many men), part of one, or at least a slice
//! and its twin. While a batch is checked there are in memory the tables of
//!
//! * all slices with fewer pieces, where captures lead,
//! * the slices that a crowning without a capture leads to: from (a, b, c, d) to (c, d, a − 1, b + 1),
//! * the batch itself, and whatever else there is room for.
//!
//! Enforces: the bound on all of them together. Trusts: nothing; where a move leads to a slice that is not in
//! memory nothing is verified, and a table that comes back must be the one that went (`directory.rs`).

use crate::database::{Bits, Database};
use crate::numbering::{Shape, slices, twin};
use crate::rules::Board;
use crate::verdict::Stop;
use certificate_spec::database::SliceName;
use std::cmp::Reverse;
use std::collections::HashSet;

/// The bytes of the tables of slices.
fn bytes(board: &Board, slices: impl IntoIterator<Item = SliceName>) -> u64 {
    let shapes = slices.into_iter().map(|slice| Shape::new(board, slice));
    let bytes = shapes.map(|shape| Bits::bytes(shape.indices).saturating_mul(2));
    bytes.fold(0, u64::saturating_add)
}

/// The slices of a batch and those that a crowning leads to.
fn needs(batch: &[SliceName]) -> HashSet<SliceName> {
    let crowned = |&SliceName([a, b, c, d])| Some(SliceName([c, d, a.checked_sub(1)?, b + 1]));
    batch.iter().filter_map(crowned).chain(batch.iter().copied()).collect()
}

fn judge(needed: u64, memory: u64, what: &str) -> Result<(), Stop> {
    let text = format!("memory: the tables for {what} take {needed} bytes, the bound is {memory}");
    if needed <= memory { Ok(()) } else { Err(Stop::Error(text)) }
}

/// All slices with at most so many pieces, in batches as large as the bound on `memory` admits, or else of
/// a `pair` each.
///
/// # Errors
/// The bound is too low for a pair, or for `all` tables in the end where they are wanted.
pub(crate) fn batches(
    board: &Board,
    pieces: u8,
    memory: u64,
    (pair, all): (bool, bool),
) -> Result<Vec<Vec<SliceName>>, Stop> {
    let (mut batches, mut fewer) = (Vec::new(), 0u64);
    for slices in slices(board, pieces).chunk_by(|s, t| s.pieces() == t.pieces()) {
        let needed = |batch: &[SliceName]| bytes(board, needs(batch)).saturating_add(fewer);
        for group in slices.chunk_by(|s, t| s.order().1 == t.order().1) {
            let mut batch = Vec::new();
            for &slice in group.iter().filter(|slice| slice.0 >= twin(**slice).0) {
                let mut both = vec![twin(slice), slice];
                both.dedup();
                judge(needed(&both), memory, &slice.file_name())?;
                let more = [&batch[..], &both].concat();
                if batch.is_empty() || !pair && needed(&more) <= memory {
                    batch = more;
                } else {
                    batches.push(std::mem::replace(&mut batch, both));
                }
            }
            batches.push(batch);
        }
        fewer = fewer.saturating_add(bytes(board, slices.iter().copied()));
    }
    judge(if all { fewer } else { 0 }, memory, "a certificate")?;
    Ok(batches)
}

/// What the first batch of the `rest` needs and is not in memory, in order; and what has to go to make
/// room for it: of the tables that it does not need those that no other needs, then those needed latest.
pub(crate) fn swap(
    values: &Database,
    rest: &[Vec<SliceName>],
    memory: u64,
) -> (Vec<SliceName>, Vec<SliceName>) {
    let pieces = rest.iter().flatten().next().map_or(0, |slice| slice.pieces());
    let now: HashSet<_> = rest.iter().take(1).flat_map(|batch| needs(batch)).collect();
    let is_needed = |slice: &SliceName| slice.pieces() < pieces || now.contains(slice);
    let is_there = |slice: &SliceName| values.table(*slice).is_some();
    let all = || values.shapes().iter().map(|shape| shape.slice);
    let missing: Vec<_> = all().filter(|slice| is_needed(slice) && !is_there(slice)).collect();
    let there = all().filter(is_there).chain(missing.iter().copied());
    let mut held = bytes(values.board(), there);
    let mut out = Vec::new();
    if held > memory {
        let rest: Vec<_> = rest.iter().map(|batch| needs(batch)).collect();
        out.extend(all().filter(|slice| is_there(slice) && !is_needed(slice)));
        out.sort_by_cached_key(|slice| {
            Reverse(rest.iter().position(|needs| needs.contains(slice)).unwrap_or(usize::MAX))
        });
        out.retain(|&slice| {
            let goes = held > memory;
            held -= if goes { bytes(values.board(), [slice]) } else { 0 };
            goes
        });
    }
    (missing, out)
}
