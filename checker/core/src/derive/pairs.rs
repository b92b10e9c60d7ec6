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
use crate::options::Level;
use crate::rules::Bits;
use crate::rules::{Board, bits_in};
use crate::values::Database;
use crate::values::{Block, Place};
use crate::values::{Shape, slices};
use crate::verdict::Stop;
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use checker_aid::{Layer, Progress};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Derives the exact values of all positions of the board that a cover admits.
///
/// # Errors
/// There is not enough memory for the tables.
pub fn derive(board: &Board, cover: &Cover) -> Result<Database, Stop> {
    let mut values = Database::new(board, cover);
    for group in groups(&slices(board, cover)) {
        for layer in group.iter().flat_map(|&slice| values.layers(slice)).collect::<Vec<_>>() {
            values.reserve(layer)?;
        }
        // Most of the draws found in the tables are wrong, as expected.
        settle(&values, group, Level::Exact, |_| true, &First::default(), &Progress::default())?;
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
    words.map(|(word, &captured)| place.read(word.index) & word.mask | captured).collect()
}

/// Completes the tables of slices of a group that have the values of quiet positions, and reports
/// where a given value is not what follows from the values of other blocks: the least fixed point,
/// or at the level consistent the operator applied once. All positions are compared with that,
/// quiet or not.
///
/// (A quiet position without a given value counts as a draw, and is found wrong unless it is a
/// draw.)
///
/// # Errors
/// A move has led to values that are not in memory.
pub(crate) fn settle(
    values: &Database,
    slices: &[SliceName],
    level: Level,
    is_wanted: impl Fn(Block) -> bool + Sync,
    first: &First,
    progress: &Progress,
) -> Result<(), Stop> {
    advances(values.board(), slices).try_for_each(|advance| {
        settle_advance(values, slices, advance, level, &is_wanted, first, progress).map(|_| ())
    })
}

/// The sums of the rows that the men of slices of a group may have advanced: the order in which
/// their blocks are settled.
pub(crate) fn advances(board: &Board, group: &[SliceName]) -> impl Iterator<Item = usize> + use<> {
    let most = |&SliceName([a, _, c, _]): &SliceName| {
        usize::from(a + c) * usize::from(board.rows().saturating_sub(2))
    };
    (0..=group.iter().map(most).max().unwrap_or(0)).rev()
}

/// Like [`settle`], for the blocks whose men have advanced `advance` rows together. Blocks whose
/// men are farther ahead have been settled. Returns the number of blocks that were settled.
///
/// # Errors
/// A move has led to values that are not in memory.
pub(crate) fn settle_advance(
    values: &Database,
    slices: &[SliceName],
    advance: usize,
    level: Level,
    is_wanted: impl Fn(Block) -> bool + Sync,
    first: &First,
    progress: &Progress,
) -> Result<u64, Stop> {
    // No move leads from a slice to another with as many pieces and men, except to its twin. A twin
    // is settled together with its slice, so only one of the two is visited.
    let settled = AtomicU64::new(0);
    slices.par_iter().filter(|slice| slice.0 >= slice.twin().0).for_each(|&slice| {
        // In a slice that is its own twin, each pair of blocks comes up twice.
        let is_first = |block: &Block| slice != slice.twin() || block.men <= block.their_men;
        let blocks = values.blocks(slice, advance).filter(is_first);
        blocks.filter(|&block| is_wanted(block)).for_each(|block| {
            if settle_pair(values, block, level, first) {
                let blocks = if block == block.twin() { 1 } else { 2 };
                settled.fetch_add(blocks, Relaxed);
                progress.add(blocks * Shape::new(values.board(), slice).block_size());
            }
        });
    });
    values.is_complete()?;
    Ok(settled.into_inner())
}

/// Settles a block and its twin. Says whether they were in memory.
fn settle_pair(values: &Database, block: Block, level: Level, first: &First) -> bool {
    let pair = [block, block.twin()];
    let [Some(own), Some(other)] = pair.map(|block| values.block(block)) else {
        return false;
    };
    let places = [own, other];
    let mut halves = pair.map(|block| Half::new(values, block, true));
    let found = [0, 1].map(|i| given(places[i], &halves[i]));
    let [mine, theirs] = &mut halves;
    match level {
        // Begins with nothing settled, and goes on until nothing more gets settled.
        Level::Exact => while mine.step(&theirs.values) | theirs.step(&mine.values) {},
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
    true
}

/// Fills in the values of positions that are not quiet, in a layer that has those of quiet
/// positions.
///
/// # Errors
/// A move has led to values that are not in memory.
pub(crate) fn capture(values: &Database, layer: Layer) -> Result<(), Stop> {
    let Layer { slice, advance } = layer;
    let is_of_one_advance = Shape::new(values.board(), slice).has_large_blocks();
    for n in advances(values.board(), &[slice]) {
        if is_of_one_advance && n != advance {
            continue;
        }
        values.blocks(slice, n).for_each(|block| {
            if let Some(place) = values.block(block) {
                let given = given(place, &Half::new(values, block, false));
                place.words().zip(given).for_each(|(word, values)| place.put(word, values));
            }
        });
    }
    values.is_complete()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;
    use crate::values::Value;

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

    /// Allocates all values of a slice, as draws.
    fn reserve(values: &mut Database, slice: SliceName) {
        values.layers(slice).for_each(|layer| assert!(values.reserve(layer).is_ok()));
    }

    /// A database with all values allocated, as draws.
    fn empty(board: &Board, cover: &Cover) -> Database {
        let mut values = Database::new(board, cover);
        slices(board, cover).into_iter().for_each(|slice| reserve(&mut values, slice));
        values
    }

    /// Random values: half of them wins, or with `more` 31 of 32, so that losses follow too.
    fn random_values(board: &Board, cover: &Cover, more: bool, seed: &mut u64) -> Database {
        let values = empty(board, cover);
        for table in values.tables() {
            for i in (0..table.shape.indices).step_by(64) {
                let wins = (0..if more { 5 } else { 1 }).fold(0, |wins, _| wins | random(seed));
                table.put_word(i / 64, Bits { win: wins, loss: random(seed) & !wins });
            }
        }
        values
    }

    /// The operator applied once to the given values.
    fn follow(values: &Database, out: &Database) {
        for table in out.tables() {
            let slice = table.shape.slice;
            let follow = |block: Block| {
                let mut half = Half::new(values, block, true);
                let twin = values.block(block.twin()).unwrap();
                half.step(&twin.words().map(|word| twin.read(word.index)).collect::<Vec<_>>());
                let place = out.block(block).unwrap();
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

    #[test]
    fn no_value_without_those_that_it_rests_on() {
        let board = Board::new(4, 4).unwrap();
        let right = derive(&board, &Cover::up_to(3)).unwrap();
        assert!(right.is_complete().is_ok());
        // Captures lead to slices with fewer pieces, crownings to those with fewer men.
        for (slices, fits) in [
            ([SliceName([0, 1, 0, 1]); 2], true),
            ([SliceName([0, 1, 0, 2]), SliceName([0, 2, 0, 1])], false),
            ([SliceName([0, 1, 1, 0]), SliceName([1, 0, 0, 1])], false),
        ] {
            let mut values = Database::new(&board, &Cover::up_to(3));
            slices.iter().for_each(|&slice| reserve(&mut values, slice));
            let (exact, first) = (Level::Exact, First::default());
            let result = settle(&values, &slices, exact, |_| true, &first, &Progress::default());
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
            let (right, mut seed) = (derive(&board, &cover).unwrap(), 7);
            let mut values = Database::new(&board, &cover);
            for group in groups(&slices(&board, &cover)) {
                for &slice in group {
                    reserve(&mut values, slice);
                    let table = values.table(slice).unwrap();
                    // No index is left out, and some are wins and losses at once.
                    for i in (0..table.shape.indices).step_by(64) {
                        let [win, loss] = [(); 2].map(|()| random(&mut seed));
                        table.put_word(i / 64, Bits { win, loss });
                    }
                }
                let first = First::default();
                settle(&values, group, Level::Exact, |_| true, &first, &Progress::default())
                    .unwrap();
                assert!(first.get().is_some());
                for &slice in group {
                    let [right, table] = [&right, &values].map(|v| v.table(slice).unwrap());
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
