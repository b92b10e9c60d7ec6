//! All blocks in the right order: the exact values of a database from the rules alone, and the
//! operator applied once to values that are given (`SPEC.md` §8.5).
//!
//! Order: fewer pieces first (jumps), then fewer men (crownings), then men farther ahead (steps of
//! men). A block and its twin, the same men with the other side to move, are solved together: king
//! steps lead from one to the other and back. So everything that a block looks at is either
//! finished or the block's own twin. Blocks with equally many pieces, men and rows advanced never
//! lead to one another, so they are solved in parallel.
//!
//! Theorem: at the level exact the tables hold the exact values afterwards, *whatever was in them
//! before*. By induction over the order: a block looks at others that have been settled, and at its
//! own twin's values, which are derived with it; of what was in its table it is only said where
//! that was something else. So nothing depends on what a file said or on how that was decoded.
//!
//! Trusts: `operator.rs`.

use super::operator::Half;
use crate::options::{Level, Options};
use crate::rules::Bits;
use crate::rules::{Board, bits_in};
use crate::values::Database;
use crate::values::{Block, Place};
use crate::verdict::Stop;
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use checker_aid::Progress;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Derives the exact values of all positions of the board that a cover admits.
///
/// # Errors
/// There is not enough memory for the tables.
pub fn derive(board: &Board, cover: &Cover, options: &Options) -> Result<Database, Stop> {
    let values = Database::new(board, cover, options, |_| true)?;
    for group in groups(&values.slices) {
        // Most of the draws found in the tables are wrong, as expected.
        settle(&values, group, Level::Exact, |_| true, &First::default(), &options.progress);
    }
    Ok(values)
}

/// Slices in order, as groups: those with as many pieces and as many men.
pub(crate) fn groups(slices: &[SliceName]) -> impl Iterator<Item = &[SliceName]> {
    slices.chunk_by(|s, t| s.group() == t.group())
}

/// A value that does not follow from the values of the successors.
#[derive(Clone, Copy)]
pub(crate) struct Wrong {
    pub(crate) slice: SliceName,
    pub(crate) index: u64,
    /// The value that follows, as the bits of one position.
    pub(crate) expected: Bits,
    /// The value that is given.
    pub(crate) found: Bits,
}

/// The first wrong value of those that several threads find, in the order of the slices.
#[derive(Default)]
pub(crate) struct First(Mutex<Option<Wrong>>);

impl First {
    /// Compares the values of the 64 positions from `index` on.
    fn compare(&self, slice: SliceName, index: u64, expected: Bits, found: Bits) {
        if let Some(n) = bits_in(expected.differ(found)).next() {
            let (index, expected, found) = (index + n as u64, expected.at(n), found.at(n));
            let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if first.is_none_or(|w| (slice.order(), index) < (w.slice.order(), w.index)) {
                *first = Some(Wrong { slice, index, expected, found });
            }
        }
    }

    pub(crate) fn get(&self) -> Option<Wrong> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The values that a table gives to a block: those that it holds and, for positions that are not
/// quiet, those that captures yield.
fn given(place: Place<'_>, captures: &Half<'_>) -> Vec<Bits> {
    let words = place.words().zip(&captures.values);
    words
        .map(|(word, &captured)| place.read(word.index).within(word.mask).union(captured))
        .collect()
}

/// Completes the tables of slices of a group that have the values of quiet positions, and reports
/// where a given value is not what follows from the values of other blocks: the least fixed point,
/// or at the level consistent the operator applied once. All positions are compared with that,
/// quiet or not.
///
/// (A quiet position without a given value counts as a draw, and is found wrong unless it is a
/// draw.)
pub(crate) fn settle(
    values: &Database,
    slices: &[SliceName],
    level: Level,
    is_wanted: impl Fn(Block) -> bool + Sync,
    first: &First,
    progress: &Progress,
) {
    for advance in advances(values.board(), slices) {
        // No move leads from a slice to another with as many pieces and men, except to its twin. A
        // twin is settled together with its slice, so only one of the two is visited.
        slices.par_iter().filter(|slice| slice.0 >= slice.twin().0).for_each(|&slice| {
            // In a slice that is its own twin, each pair of blocks comes up twice.
            let is_first = |block: &Block| slice != slice.twin() || block.men <= block.their_men;
            let blocks = values.blocks(slice, advance).filter(is_first);
            blocks.filter(|&block| is_wanted(block)).for_each(|block| {
                settle_pair(values, block, level, first);
                let blocks = if block == block.twin() { 1 } else { 2 };
                progress.add(blocks * values.table(slice).shape.block_size());
            });
        });
    }
}

/// The sums of the rows that the men of slices of a group may have advanced, in the order in which
/// their blocks are settled: those whose men are farther ahead come first.
pub(crate) fn advances(board: &Board, group: &[SliceName]) -> impl Iterator<Item = usize> + use<> {
    let most = |&SliceName([a, _, c, _]): &SliceName| {
        usize::from(a + c) * usize::from(board.rows().saturating_sub(2))
    };
    (0..=group.iter().map(most).max().unwrap_or(0)).rev()
}

/// Settles a block and its twin.
fn settle_pair(values: &Database, block: Block, level: Level, first: &First) {
    let pair = [block, block.twin()];
    let places = pair.map(|block| values.block(block));
    let mut halves = pair.map(|block| Half::new(values, block, true));
    let found = [0, 1].map(|i| given(places[i], &halves[i]));
    let [mine, theirs] = &mut halves;
    match level {
        // Begins with nothing settled, and goes on until a round of both settles nothing.
        Level::Exact => {
            while [mine.step(&theirs.values), theirs.step(&mine.values)] != [false; 2] {}
        }
        Level::Consistent => {
            mine.step(&found[1]);
            theirs.step(&found[0]);
        }
    }
    for i in [0, 1] {
        let words = places[i].words().zip(&halves[i].values).zip(&found[i]);
        for ((word, &expected), &found) in words {
            first.compare(pair[i].slice, word.index, expected, found);
            places[i].put(word, if level == Level::Exact { expected } else { found });
        }
    }
}

/// Fills in the values of positions with captures, in a table that has the values of all quiet
/// positions.
pub(crate) fn capture(values: &Database, slice: SliceName) {
    for advance in advances(values.board(), &[slice]) {
        values.blocks(slice, advance).for_each(|block| {
            let place = values.block(block);
            let given = given(place, &Half::new(values, block, false));
            place.words().zip(given).for_each(|(word, values)| place.put(word, values));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;
    use crate::values::{RowWord, Table, Value};
    use std::panic::catch_unwind;

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

    /// A database of draws.
    fn empty(board: &Board, cover: &Cover) -> Database {
        Database::new(board, cover, &Options::new(""), |_| true).unwrap()
    }

    /// Fills a table with any bits, 64 indices at a time.
    fn fill(table: &Table, mut bits: impl FnMut() -> Bits) {
        for index in (0..table.shape.indices).step_by(64) {
            let left = table.shape.indices - index;
            let mask = if left < 64 { (1 << left) - 1 } else { !0 };
            table.words().put(RowWord { index, mask }, bits());
        }
    }

    /// Random values: half of them wins, or with `more` 31 of 32, so that losses follow too.
    fn random_values(board: &Board, cover: &Cover, more: bool, seed: &mut u64) -> Database {
        let values = empty(board, cover);
        for table in values.tables() {
            fill(table, || {
                let win = (0..if more { 5 } else { 1 }).fold(0, |wins, _| wins | random(seed));
                Bits { win, loss: random(seed) & !win }
            });
        }
        values
    }

    /// The operator applied once to the given values.
    fn follow(values: &Database, out: &Database) {
        for table in out.tables() {
            let slice = table.shape.slice;
            let follow = |block: Block| {
                let mut half = Half::new(values, block, true);
                let twin = values.block(block.twin());
                half.step(&twin.words().map(|word| twin.read(word.index)).collect::<Vec<_>>());
                let place = out.block(block);
                let words = place.words().zip(&half.values);
                words.for_each(|(word, &values)| place.put(word, values));
            };
            let all = advances(out.board(), &[slice]);
            all.for_each(|advance| out.blocks(slice, advance).for_each(follow));
        }
    }

    /// Every index of every slice, whatever the values are: they need not be those of the game, so
    /// each of a position's moves matters at some of them.
    fn compare(rows: u8, columns: u8, pieces: u8) {
        let board = Board::new(rows, columns).unwrap();
        let cover = Cover::up_to(pieces);
        let (mut seed, mut successors) = (0, Vec::new());
        for more in [false, true] {
            let values = random_values(&board, &cover, more, &mut seed);
            let followed = empty(&board, &cover);
            follow(&values, &followed);
            for table in followed.tables() {
                let slice = table.shape.slice;
                for index in 0..table.shape.indices {
                    let p = table.shape.position(&board, index);
                    let value = p.map(|p| value_by_moves(&values, &p, &mut successors));
                    let value = value.unwrap_or(Value::Draw);
                    let found = table.read(index).at(0);
                    assert!(found.win & found.loss == 0, "{} {slice:?} {p:?}", board.name());
                    assert_eq!(table.value(index), value, "{} {slice:?} {p:?}", board.name());
                }
            }
        }
    }

    /// Captures lead to slices with fewer pieces, crownings to those with fewer men.
    #[test]
    fn no_value_without_those_that_it_rests_on() {
        let (board, cover) = (Board::new(4, 4).unwrap(), Cover::up_to(3));
        for (slices, fits) in [
            ([SliceName([0, 1, 0, 1]); 2], true),
            ([SliceName([0, 1, 0, 2]), SliceName([0, 2, 0, 1])], false),
            ([SliceName([0, 1, 1, 0]), SliceName([1, 0, 0, 1])], false),
        ] {
            let result = catch_unwind(|| {
                let is_there = |slice| slices.contains(&slice);
                let values = Database::new(&board, &cover, &Options::new(""), is_there).unwrap();
                let (exact, first) = (Level::Exact, First::default());
                settle(&values, &slices, exact, |_| true, &first, &Progress::default());
            });
            assert_eq!(result.is_ok(), fits, "{slices:?}");
        }
    }

    /// Tables filled with nonsense, as a wrong decoder might leave them, do not affect the exact
    /// values.
    #[test]
    fn exact_values_whatever_was_there() {
        for (rows, columns, pieces) in [(4, 4, 5), (6, 4, 4), (3, 5, 5), (6, 6, 3)] {
            let board = Board::new(rows, columns).unwrap();

            let cover = Cover::up_to(pieces);
            let (right, mut seed) = (derive(&board, &cover, &Options::new("")).unwrap(), 7);
            let values = empty(&board, &cover);
            for group in groups(&values.slices) {
                for &slice in group {
                    // No index is left out, and some are wins and losses at once.
                    let any = || Bits { win: random(&mut seed), loss: random(&mut seed) };
                    fill(values.table(slice), any);
                }
                let first = First::default();
                settle(&values, group, Level::Exact, |_| true, &first, &Progress::default());
                assert!(first.get().is_some());
                for &slice in group {
                    let [right, table] = [&right, &values].map(|v| v.table(slice));
                    for i in (0..table.shape.indices)
                        .filter(|&i| table.shape.position(&board, i).is_some())
                    {
                        let [found, right] = [table, right].map(|table| table.read(i).at(0));
                        assert_eq!(found, right, "{} {slice:?} {i}", board.name());
                    }
                }
            }
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
