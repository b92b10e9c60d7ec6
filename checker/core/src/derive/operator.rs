//! The operator of which the values of databases are a fixed point, one block at a time (`SPEC.md`
//! §8.2, §8.5), 64 positions at a time.
//!
//! Theorem (`SPEC.md` §2, §8.5): the exact values are the least fixed point of
//!
//! * a win when some successor is a loss or has no piece left for its side to move,
//! * a loss when every successor is a win (or there is none),
//!
//! because every position settled so far has a finite forced win behind it; what is never settled
//! is a draw. [`Half::new`] (jumps) and [`Half::step`] are this operator for one side to move.
//! Within a block only king steps lead back into it (with the other side to move, the *other
//! half*); jumps, steps of men and crownings lead to blocks that `pairs.rs` has settled before:
//! `word.rs`.
//!
//! Row operations: a row belongs to one set of the mover's kings and has one bit for each set of
//! the opponent's kings. A king step of the mover leaves the opponent's kings alone, so it takes a
//! whole row to a whole row of the table of the other side to move.
//!
//! Trusts: `word.rs`, and the values of other blocks that it is given; `rules/board.rs`,
//! `numbering.rs`.

use super::word::{Kings, Moves, Open, Sets, Settled, Word};
use crate::rules::Bits;
use crate::rules::bits_in;
use crate::values::Block;
use crate::values::Database;
use crate::values::KingSets;

/// The values of a block with one side to move, as far as they are settled.
pub(crate) struct Half<'a> {
    database: &'a Database,
    block: Block,
    /// All men, in the mover's view.
    fixed: u32,
    /// The kings of the mover and of the opponent.
    own: &'a KingSets,
    theirs: &'a KingSets,
    /// The positions that are not settled: a row for each set of the mover's kings.
    open: Vec<Open>,
    /// The settled values, in the order of the file: a row for each set of the opponent's kings.
    pub(crate) values: Vec<Bits>,
}

impl<'a> Half<'a> {
    /// Settles the positions with a jump. Without `steps` steps of men are not looked at, and
    /// `step` must not be called.
    pub(crate) fn new(database: &'a Database, block: Block, steps: bool) -> Half<'a> {
        let [_, b, _, d] = block.slice.0;
        let own = database.kings(b);
        let theirs = database.kings(d);
        let size = |rows: &KingSets, row: &KingSets| rows.sets.len() * row.held.len();
        let mut half = Half {
            database,
            block,
            fixed: block.men | database.board().turned(block.their_men),
            own,
            theirs,
            open: vec![Open::default(); size(own, theirs)],
            values: vec![Bits::default(); size(theirs, own)],
        };
        if b > 0 && d == 0 {
            half.fill_columns(steps);
        } else {
            half.fill_rows(steps);
        }
        half
    }

    fn fill_rows(&mut self, steps: bool) {
        let (values, own, theirs) = (self.database, self.own, self.theirs);
        for (row, &kings) in own.sets.iter().enumerate() {
            // A king on the square of a man makes no position.
            if kings & self.fixed == 0 {
                for (w, held) in theirs.faced.iter().enumerate() {
                    let sets = Sets { all: &theirs.sets, word: w };
                    let own = Kings::Same(kings);
                    let theirs = Kings::Vary(held);
                    let word = Word::new(values, self.block, own, theirs, sets);
                    self.begin(row, w, word.settle(steps));
                }
            }
        }
    }

    /// Like `fill_rows`, for an opponent without kings: a row is one position, so the mover's kings
    /// vary.
    fn fill_columns(&mut self, steps: bool) {
        let values = self.database;
        let own = self.own;
        for (w, held) in own.held.iter().enumerate() {
            let sets = Sets { all: &own.sets, word: w };
            let own = Kings::Vary(held);
            let theirs = Kings::Same(0);
            let word = Word::new(values, self.block, own, theirs, sets);
            let settled = word.settle(steps);
            for i in bits_in(word.there) {
                self.begin(64 * w + i, 0, settled.at(i));
            }
        }
    }

    fn begin(&mut self, row: usize, w: usize, settled: Settled) {
        self.open[row * self.theirs.held.len() + w] = settled.open;
        self.settle(row, w, settled.values);
    }

    /// Applies the operator once to the steps in all positions not yet settled. `values` are those
    /// with the other side to move, a row for each set of this side's kings. Says whether anything
    /// has been settled.
    pub(crate) fn step(&mut self, values: &[Bits]) -> bool {
        let own = self.own;
        let theirs = self.theirs;
        let words = theirs.held.len();
        let mut changed = false;
        for (row, steps) in own.steps.iter().enumerate() {
            for w in 0..words {
                let Open { positions, win, lose } = self.open[row * words + w];
                if positions == 0 {
                    continue;
                }
                let mut moves = Moves { can: 0, win: positions & win, lose };
                for step in steps.iter().filter(|step| self.fixed >> step.to & 1 == 0) {
                    let can = positions & !theirs.faced[w][step.to];
                    moves.lead(can, |_| values[step.set * words + w]);
                }
                let settled = moves.values(positions);
                self.settle(row, w, settled);
                changed |= settled != Bits::default();
            }
        }
        changed
    }

    /// Settles positions of word `w` of a row.
    fn settle(&mut self, row: usize, w: usize, Bits { win, loss }: Bits) {
        self.open[row * self.theirs.held.len() + w].positions &= !(win | loss);
        let words = self.own.held.len();
        let place = row / 64;
        let bit = 1 << (row % 64);
        bits_in(win).for_each(|n| self.values[(64 * w + n) * words + place].win |= bit);
        bits_in(loss).for_each(|n| self.values[(64 * w + n) * words + place].loss |= bit);
    }
}
