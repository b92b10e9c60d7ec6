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

use crate::block::{Block, Half, Source};
use crate::database::{Database, Table};
use crate::numbering::{sets, slices, twin};
use crate::progress::Progress;
use crate::rules::Board;
use crate::verdict::Stop;
use certificate_spec::database::SliceName;
use rayon::prelude::*;

/// Derives the exact values of all positions of the board with at most `pieces` pieces.
///
/// # Errors
/// There is not enough memory for the tables.
pub fn derive(board: &Board, pieces: u8, progress: &Progress) -> Result<Database, Stop> {
    let slices = slices(board, pieces);
    let tables =
        slices.iter().map(|&slice| Table::empty(board, slice)).collect::<Result<_, _>>()?;
    let values = Database::new(board, pieces, tables);
    let source = Source::new(&values, pieces);
    progress.begin("deriving the database", values.indices());
    let pieces_and_men = |slice: &SliceName| (slice.order().0, slice.order().1);
    // No move leads from a slice to one with as many pieces and men, except to its twin.
    for group in slices.chunk_by(|s, t| pieces_and_men(s) == pieces_and_men(t)) {
        // A twin is done together with its slice, so one of the two does for both.
        group.par_iter().filter(|slice| slice.0 >= twin(**slice).0).for_each(|&slice| {
            for_each_block(board, slice, |block| {
                // In a slice that is its own twin, each pair of blocks comes up twice.
                if slice != twin(slice) || block.men <= block.their_men {
                    solve(&source, block, progress);
                }
            });
        });
    }
    Ok(values)
}

/// Finds the least fixed point for a block and its twin: from nothing settled, until nothing more
/// gets settled.
fn solve(source: &Source<'_>, block: Block, progress: &Progress) {
    let (mut own, mut other) = (Half::new(source, block), Half::new(source, block.twin()));
    let mut changed = true;
    while changed {
        changed = own.step(&other.values);
        changed |= other.step(&own.values);
    }
    let tables = [block, block.twin()].map(|block| source.values.table(block.slice));
    if let [Some(table), Some(twin)] = tables {
        own.write(table);
        other.write(twin);
        let size = table.shape.rows * table.shape.columns;
        progress.add(if block == block.twin() { size } else { 2 * size });
    }
}

/// The values of a slice that follow from the values given to the successors: the operator applied
/// once.
///
/// # Errors
/// There is not enough memory for the table.
pub(crate) fn follow(source: &Source<'_>, slice: SliceName) -> Result<Table, Stop> {
    let board = source.values.board();
    let table = Table::empty(board, slice)?;
    if let Some(twin) = source.values.table(twin(slice)) {
        for_each_block(board, slice, |block| {
            let mut half = Half::new(source, block);
            half.step(&block.twin().read(twin));
            half.write(&table);
        });
    }
    Ok(table)
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

    /// Random values: half of them wins, or with `more` 31 of 32, so that losses follow too.
    fn random_values(board: &Board, pieces: u8, more: bool, seed: &mut u64) -> Database {
        let mut tables = Vec::new();
        for slice in slices(board, pieces) {
            let table = Table::empty(board, slice).unwrap();
            for i in (0..table.shape.indices).step_by(64) {
                let wins = (0..if more { 5 } else { 1 }).fold(0, |wins, _| wins | random(seed));
                table.win.set(i, wins);
                table.loss.set(i, random(seed) & !wins);
            }
            tables.push(table);
        }
        Database::new(board, pieces, tables)
    }

    /// Every index of every slice, whatever the values are: they need not be those of the game, so
    /// each of a position's moves matters at some of them.
    fn compare(rows: u8, columns: u8, pieces: u8) {
        let board = Board::new(rows, columns).unwrap();
        let (mut seed, mut successors) = (0, Vec::new());
        for more in [false, true] {
            let values = random_values(&board, pieces, more, &mut seed);
            let source = Source::new(&values, pieces);
            for slice in slices(&board, pieces) {
                let table = follow(&source, slice).unwrap();
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
