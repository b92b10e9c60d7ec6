//! All blocks in the right order: the exact values of a database from the rules alone, and the
//! operator applied once to values that are given (`SPEC.md` §8.5).
//!
//! Order: fewer pieces first (jumps), then fewer men (crownings), then men farther ahead (steps of
//! men). A block and its twin, the same men with the other side to move, are solved together: king
//! steps lead from one to the other and back. So everything that a block looks at is either finished
//! or the block's own twin. Blocks with equally many pieces, men and rows advanced never lead to one
//! another, so they are solved in parallel.
//!
//! Trusts: `block.rs`. The exact values are derived without a look at any file.

use crate::block::{Block, Half, KingSets, Source};
use crate::database::{Database, Table};
use crate::memory::batches;
use crate::numbering::{sets, twin};
use crate::progress::Progress;
use crate::rules::Board;
use crate::verdict::Stop;
use certificate_spec::database::SliceName;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Derives the exact values of all positions of the board with at most `pieces` pieces.
///
/// # Errors
/// There is not enough memory for the tables.
pub fn derive(board: &Board, pieces: u8, progress: &Progress) -> Result<Database, Stop> {
    let mut values = Database::new(board, pieces);
    progress.begin("deriving the database", values.indices());
    let mut kings = Vec::new();
    for slices in batches(board, pieces, u64::MAX, (false, false))? {
        slices.iter().try_for_each(|&slice| values.reserve(slice))?;
        derive_slices(source(&values, &mut kings, &slices), &slices, progress);
    }
    values.is_complete()?;
    Ok(values)
}

/// What blocks of these slices have in common. `kings` grows with the number of pieces.
pub(crate) fn source<'a>(
    values: &'a Database,
    kings: &'a mut Vec<KingSets>,
    slices: &[SliceName],
) -> Source<'a> {
    // Either side has a piece, so none has all of them.
    let most = slices.iter().map(|slice| slice.pieces()).max().unwrap_or(0);
    let numbers = (0..=u8::MAX).take_while(|&k| u32::from(k) < most).skip(kings.len());
    kings.extend(numbers.map(|k| KingSets::new(values.board(), k)));
    Source { values, kings }
}

/// Calls `work` for one of each block and its twin in these slices of a group, in an order in which what
/// they look at has been done before.
fn for_each_pair(source: Source<'_>, slices: &[SliceName], work: impl Fn(Block) + Sync) {
    // No move leads from a slice to one with as many pieces and men, except to its twin.
    // A twin is done together with its slice, so one of the two does for both.
    slices.par_iter().filter(|slice| slice.0 >= twin(**slice).0).for_each(|&slice| {
        for_each_block(source.values.board(), slice, |block| {
            // In a slice that is its own twin, each pair of blocks comes up twice.
            if slice != twin(slice) || block.men <= block.their_men {
                work(block);
            }
        });
    });
}

/// Says that a block and its twin, in tables like this, are done.
fn is_done(block: Block, table: &Table, progress: &Progress) {
    let size = table.shape.rows * table.shape.columns;
    progress.add(if block == block.twin() { size } else { 2 * size });
}

/// Fills the tables of these slices of a group with the exact values.
pub(crate) fn derive_slices(source: Source<'_>, slices: &[SliceName], progress: &Progress) {
    for_each_pair(source, slices, |block| solve(source, block, progress));
}

/// Finds the least fixed point for a block and its twin: from nothing settled, until nothing more
/// gets settled.
fn solve(source: Source<'_>, block: Block, progress: &Progress) {
    let (mut own, mut other) =
        (Half::new(source, block, true), Half::new(source, block.twin(), true));
    while own.step(&other.values) | other.step(&own.values) {}
    let tables = [block, block.twin()].map(|block| source.values.table(block.slice));
    if let [Some(table), Some(twin)] = tables {
        own.write(table);
        other.write(twin);
        is_done(block, table, progress);
    }
}

/// A value that does not follow from its successors'.
pub(crate) struct Wrong {
    pub(crate) slice: SliceName,
    pub(crate) index: u64,
    /// What follows: whether it is a win, and whether it is a loss.
    pub(crate) expected: (bool, bool),
    /// What is given.
    pub(crate) found: (bool, bool),
}

impl Wrong {
    /// The first of the positions from `index` on that are set in `wrong`, given the bits of win and loss
    /// that 64 of them should have and have.
    pub(crate) fn new(
        slice: SliceName,
        index: u64,
        wrong: u64,
        expected: (u64, u64),
        found: (u64, u64),
    ) -> Wrong {
        let n = wrong.trailing_zeros().min(63);
        let bits = |(win, loss)| ((win >> n) & 1 == 1, (loss >> n) & 1 == 1);
        let (expected, found) = (bits(expected), bits(found));
        Wrong { slice, index: index + u64::from(n), expected, found }
    }
}

/// The first of what several threads find wrong, in the order of the slices.
#[derive(Default)]
pub(crate) struct First(Mutex<Option<Wrong>>);

impl First {
    pub(crate) fn report(&self, wrong: Wrong) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = |wrong: &Wrong| (wrong.slice.order(), wrong.index);
        if first.as_ref().is_none_or(|first| key(&wrong) < key(first)) {
            *first = Some(wrong);
        }
    }

    pub(crate) fn take(&self) -> Option<Wrong> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Completes the tables of slices that have the values of quiet positions: the values of all others are
/// those that captures yield. Reports where, first in each block, what is there is not what follows from the
/// values of other blocks: if `exact`, the least fixed point, else the operator applied once to all positions.
///
/// (A quiet position without a given value would count as a draw, and that is found wrong if it is none.)
pub(crate) fn follow_slices(
    source: Source<'_>,
    slices: &[SliceName],
    exact: bool,
    is_wanted: impl Fn(Block) -> bool + Sync,
    first: &First,
    progress: &Progress,
) {
    for_each_pair(source, slices, |block| {
        if !is_wanted(block) {
            return;
        }
        let pair = [block, block.twin()];
        let [Some(own), Some(other)] = pair.map(|block| source.values.table(block.slice)) else {
            // Never; but nothing that is not there may pass as right.
            return first.report(Wrong::new(block.slice, 0, 0, (0, 0), (0, 0)));
        };
        let tables = [own, other];
        let mut halves = pair.map(|block| Half::new(source, block, true));
        halves.iter().zip(tables).for_each(|(half, table)| half.write(table));
        let read = |i: usize| pair[i].words(tables[i]).map(|(at, _)| tables[i].read(at)).collect();
        let found: [Vec<_>; 2] = [read(0), read(1)];
        let [mine, theirs] = &mut halves;
        if exact {
            while mine.step(&theirs.values) | theirs.step(&mine.values) {}
        } else {
            mine.step(&found[1]);
            theirs.step(&found[0]);
        }
        for i in [0, 1] {
            let words = pair[i].words(tables[i]).zip(&halves[i].values).zip(&found[i]);
            for (((at, row), &expected), &found) in words {
                let wrong = ((expected.0 ^ found.0) | (expected.1 ^ found.1)) & row;
                if wrong != 0 {
                    first.report(Wrong::new(pair[i].slice, at, wrong, expected, found));
                    break;
                }
            }
        }
        is_done(block, own, progress);
    });
}

/// Fills in the values of all positions of a slice that are not quiet.
pub(crate) fn capture(source: Source<'_>, slice: SliceName) {
    if let Some(table) = source.values.table(slice) {
        let write = |block| Half::new(source, block, false).write(table);
        for_each_block(source.values.board(), slice, write);
    }
}

/// Calls `work` for each block of a slice whose men do not overlap, in parallel, but those with the
/// men farther ahead first.
fn for_each_block(board: &Board, slice: SliceName, work: impl Fn(Block) + Sync) {
    let [a, _, c, _] = slice.0;
    let (men, their_men) = (men_by_advance(board, a), men_by_advance(board, c));
    for total in (0..men.len() + their_men.len()).rev() {
        let mut blocks = Vec::new();
        for (advance, sets) in men.iter().enumerate() {
            if let Some(theirs) = total.checked_sub(advance).and_then(|rest| their_men.get(rest)) {
                let all = sets.iter().flat_map(|&men| theirs.iter().map(move |&t| (men, t)));
                blocks.extend(all.filter(|&(men, theirs)| men & board.turned(theirs) == 0));
            }
        }
        blocks.par_iter().for_each(|&(men, their_men)| work(Block { slice, men, their_men }));
    }
}

/// The sets of `count` men by the number of rows that they have advanced together.
fn men_by_advance(board: &Board, count: u8) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); usize::from(count) * usize::from(board.rows()) + 1];
    for men in sets(board.men_squares(), count) {
        let rows = board.row_masks().iter().enumerate();
        let advance: usize = rows.map(|(r, row)| r * (men & row).count_ones() as usize).sum();
        all[advance].push(men);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Value;
    use crate::numbering::slices;
    use crate::rules::Position;

    /// The operator at one position, move by move.
    fn value_by_moves(values: &Database, p: &Position, successors: &mut Vec<Position>) -> Value {
        values.board().moves(p, successors);
        let value =
            |y: &Position| if y.has_both_sides() { values.value(y) } else { Some(Value::Loss) };
        if successors.iter().any(|y| value(y) == Some(Value::Loss)) {
            Value::Win
        } else if successors.iter().all(|y| value(y) == Some(Value::Win)) {
            Value::Loss
        } else {
            Value::Draw
        }
    }

    /// Random bits (splitmix64).
    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (*seed ^ *seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Room for all values.
    fn empty(board: &Board, pieces: u8) -> Database {
        let mut values = Database::new(board, pieces);
        slices(board, pieces).into_iter().for_each(|slice| values.reserve(slice).unwrap());
        values
    }

    /// Random values: half of them wins, or with `more` 31 of 32, so that losses follow too.
    fn random_values(board: &Board, pieces: u8, more: bool, seed: &mut u64) -> Database {
        let values = empty(board, pieces);
        for table in values.tables() {
            for i in (0..table.shape.indices).step_by(64) {
                let wins = (0..if more { 5 } else { 1 }).fold(0, |wins, _| wins | random(seed));
                table.win.set(i, wins);
                table.loss.set(i, random(seed) & !wins);
            }
        }
        values
    }

    /// The operator applied once to the given values.
    fn follow(source: Source<'_>, out: &Database) {
        for table in out.tables() {
            let slice = table.shape.slice;
            let twin = source.values.table(twin(slice)).unwrap();
            for_each_block(out.board(), slice, |block| {
                let mut half = Half::new(source, block, true);
                half.step(
                    &block.twin().words(twin).map(|(at, _)| twin.read(at)).collect::<Vec<_>>(),
                );
                half.write(table);
            });
        }
    }

    /// Every index of every slice, whatever the values are: they need not be those of the game, so
    /// each of a position's moves matters at some of them.
    fn compare(rows: u8, columns: u8, pieces: u8) {
        let board = Board::new(rows, columns).unwrap();
        let (mut seed, mut successors) = (0, Vec::new());
        for more in [false, true] {
            let values = random_values(&board, pieces, more, &mut seed);
            let kings: Vec<_> = (0..pieces).map(|k| KingSets::new(&board, k)).collect();
            let followed = empty(&board, pieces);
            follow(Source { values: &values, kings: &kings }, &followed);
            for table in followed.tables() {
                let slice = table.shape.slice;
                for index in 0..table.shape.indices {
                    let p = table.shape.position(&board, index);
                    let value = p.map(|p| value_by_moves(&values, &p, &mut successors));
                    let bits = (value == Some(Value::Win), value == Some(Value::Loss));
                    assert_eq!(table.bits(index), bits, "{} {slice:?} {p:?}", board.name());
                }
            }
        }
    }

    #[test]
    fn no_value_without_those_that_it_rests_on() {
        let board = Board::new(4, 4).unwrap();
        let right = derive(&board, 3, &Progress::new(true)).unwrap();
        assert!(right.is_complete().is_ok());
        // Captures lead to slices with fewer pieces, crownings to those with fewer men.
        for (slices, fits) in [
            ([SliceName([0, 1, 0, 1]); 2], true),
            ([SliceName([0, 1, 0, 2]), SliceName([0, 2, 0, 1])], false),
            ([SliceName([0, 1, 1, 0]), SliceName([1, 0, 0, 1])], false),
        ] {
            let mut values = Database::new(&board, 3);
            slices.iter().for_each(|&slice| values.reserve(slice).unwrap());
            let mut kings = Vec::new();
            derive_slices(source(&values, &mut kings, &slices), &slices, &Progress::new(true));
            assert_eq!(values.is_complete().is_ok(), fits, "{slices:?}");
        }
    }

    #[test]
    fn one_by_one_on_small_boards() {
        for (rows, columns, pieces) in [(3, 3, 4), (4, 2, 5), (3, 5, 6), (4, 4, 6), (5, 3, 6)] {
            compare(rows, columns, pieces);
        }
    }

    #[test]
    fn one_by_one_on_larger_boards() {
        // The smallest board on which a king can jump in a circle, over four pieces, is 6x6.
        for (rows, columns, pieces) in [(6, 6, 5), (8, 8, 3), (5, 5, 5), (8, 2, 5), (3, 7, 5)] {
            compare(rows, columns, pieces);
        }
    }
}
