//! All blocks in the right order: the exact values of a database from the rules alone, and the
//! operator applied once to values that are given (`SPEC.md` §8.5).
//!
//! Order: fewer pieces first (jumps), then fewer men (crownings), then men farther ahead (steps of
//! men). A block and its twin, the same men with the other side to move, are solved together: king
//! steps lead from one to the other and back. So everything that a block looks at is either finished
//! or the block's own twin. Blocks with equally many pieces, men and rows advanced never lead to one
//! another, so they are solved in parallel.
//!
//! Trusts: `block.rs`. Never looks at a file.

use crate::block::{Block, Half, KingSets, Source, read};
use crate::database::{Database, Table};
use crate::numbering::{sets, slices, twin};
use crate::progress::Progress;
use crate::rules::{Board, squares_in};
use certificate_spec::database::SliceName;
use rayon::prelude::*;

/// There is not enough memory for the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory;

/// Derives the exact values of all positions of the board with at most `pieces` pieces.
///
/// # Errors
/// [`OutOfMemory`].
pub fn derive(board: &Board, pieces: u8, progress: &Progress) -> Result<Database, OutOfMemory> {
    let values = Database::empty(board, pieces).ok_or(OutOfMemory)?;
    let source = Source { values: &values, kings: &all_king_sets(board, pieces) };
    progress.begin("deriving the database", indices(&values));
    let slices = slices(board, pieces);
    let same_men = |s: &SliceName, t: &SliceName| {
        let ((pieces, men, _), (pieces2, men2, _)) = (s.order(), t.order());
        (pieces, men) == (pieces2, men2)
    };
    // No move leads from a slice to one with as many pieces and men, except to its twin.
    for group in slices.chunk_by(same_men) {
        group.par_iter().for_each(|&slice| {
            let tables = (values.table(slice), values.table(twin(slice)));
            // The twin is done together with its slice, so the one with more men does for both.
            if let (Some(own), Some(other)) = tables
                && slice.0 >= twin(slice).0
            {
                for_each_block(board, slice, |pair, block| {
                    // In a slice that is its own twin, each pair of blocks comes up twice.
                    if slice == twin(slice) && block.men > block.their_men {
                        return;
                    }
                    pair.solve(&source, block);
                    pair.own.write(block, own);
                    pair.other.write(block.twin(), other);
                    let size = u64::from(own.shape.rows) * u64::from(own.shape.columns);
                    progress.add(if block.men == block.their_men { size } else { 2 * size });
                });
            }
        });
    }
    progress.end();
    Ok(values)
}

/// A value that does not follow from the values that the database gives to the successors.
pub(crate) struct Inconsistency {
    /// The number of its slice.
    pub(crate) slice: usize,
    pub(crate) index: u64,
    /// The slice with the values that do follow.
    pub(crate) once: Table,
}

/// The first inconsistency of the values, in order of slices and indices.
///
/// # Errors
/// [`OutOfMemory`].
pub(crate) fn first_inconsistency(
    values: &Database,
    pieces: u8,
    progress: &Progress,
) -> Result<Option<Inconsistency>, OutOfMemory> {
    let source = Source { values, kings: &all_king_sets(values.board(), pieces) };
    progress.begin("checking the database", indices(values));
    for (slice, given) in values.tables().iter().enumerate() {
        let once = Table::empty(given.shape).ok_or(OutOfMemory)?;
        let name = given.shape.slice;
        if let Some(other) = values.table(twin(name)) {
            for_each_block(values.board(), name, |pair, block| {
                let (win, loss) = read(block.twin(), other);
                pair.own.prepare(&source, block);
                pair.own.step(&source, block, &win, &loss);
                pair.own.write(block, &once);
            });
        }
        progress.add(given.shape.indices);
        if let Some(index) = once.first_difference(given) {
            return Ok(Some(Inconsistency { slice, index, once }));
        }
    }
    progress.end();
    Ok(None)
}

/// A block and its twin.
#[derive(Default)]
struct Pair {
    own: Half,
    other: Half,
}

impl Pair {
    /// Finds the least fixed point: from nothing settled, until nothing more gets settled.
    fn solve(&mut self, source: &Source<'_>, block: Block) {
        let Pair { own, other } = self;
        own.prepare(source, block);
        other.prepare(source, block.twin());
        loop {
            let (win, loss) = other.values();
            let own_changed = own.step(source, block, win, loss);
            let (win, loss) = own.values();
            let other_changed = other.step(source, block.twin(), win, loss);
            if !own_changed && !other_changed {
                return;
            }
        }
    }
}

/// Calls `work` for each block of a slice whose men do not overlap, in parallel, but those with the
/// men farther ahead first.
fn for_each_block(board: &Board, slice: SliceName, work: impl Fn(&mut Pair, Block) + Sync) {
    let [a, _, c, _] = slice.0;
    let (men, their_men) = (men_by_advance(board, a), men_by_advance(board, c));
    for total in (0..men.len() + their_men.len()).rev() {
        let mut items = Vec::new();
        for (advance, sets) in men.iter().enumerate() {
            if let Some(theirs) = total.checked_sub(advance).and_then(|rest| their_men.get(rest)) {
                items.extend(sets.iter().map(|&men| (men, theirs)));
            }
        }
        items.par_iter().for_each_init(Pair::default, |pair, &(men, theirs)| {
            for &their_men in theirs {
                if men & board.turned(their_men) == 0 {
                    work(pair, Block { slice, men, their_men });
                }
            }
        });
    }
}

/// The sets of `count` men by the number of rows that they have advanced together.
fn men_by_advance(board: &Board, count: u8) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = Vec::new();
    for men in sets(board.men_squares(), count) {
        let advance = squares_in(men).map(|square| board.row_of(square)).sum();
        if all.len() <= advance {
            all.resize(advance + 1, Vec::new());
        }
        all[advance].push(men);
    }
    all
}

fn all_king_sets(board: &Board, pieces: u8) -> Vec<KingSets> {
    (0..pieces).map(|k| KingSets::new(board, k)).collect()
}

fn indices(values: &Database) -> u64 {
    values.tables().iter().map(|table| table.shape.indices).sum()
}
