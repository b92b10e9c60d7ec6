//! One block: all positions with the men where they are (`SPEC.md` §8.2), 64 at a time.
//!
//! Theorem (`SPEC.md` §2, §8.5): the exact values are the least fixed point of
//!
//! * a win when some successor is a loss or has no piece left for its side to move,
//! * a loss when every successor is a win (or there is none),
//!
//! because every position settled so far has a finite forced win behind it; what is never settled is
//! a draw. [`Half::new`] and [`Half::step`] are this operator for one side to move. Within a
//! block only king steps lead back into it (with the other side to move, the *other half*); jumps,
//! steps of men and crownings lead to blocks that `derive.rs` has finished before.
//!
//! Row operations: a row belongs to one set of the mover's kings and has one bit for each set of the
//! opponent's kings. A step of the mover leaves the opponent's kings alone, so it takes a whole row
//! to a whole row of the table of the other side to move. Only jumps change both; positions where the
//! mover can jump are settled one by one, with `rules.rs`.
//!
//! Trusts: the values of other blocks that it is given, `rules.rs`, `numbering.rs`.

use crate::database::{Database, Table, Value};
use crate::numbering::{from_views, rank, sets, twin};
use crate::rules::{Board, Position, Side, bits_in};
use certificate_spec::database::SliceName;

/// All sets of k kings for one k: which squares they hold, and where the kings can step.
struct KingSets {
    /// The sets in order of their ranks, in their owner's view.
    sets: Vec<u32>,
    /// The king steps from each set, as if no other piece were there.
    steps: Vec<Vec<KingStep>>,
    /// The row of all sets.
    all: Vec<u64>,
    /// For each square in the view of the *other* side, the row of the sets that hold it.
    holding: Vec<Vec<u64>>,
}

/// A step to the set with the number `set`, onto the square `to`.
struct KingStep {
    set: u32,
    to: u32,
}

impl KingSets {
    fn new(board: &Board, k: u8) -> KingSets {
        let sets = sets(board.squares(), k);
        let steps_of = |set: u32| {
            let mut steps = Vec::new();
            for from in bits_in(set) {
                for way in board.ways(from, Side::Black, true) {
                    if way.near & !set != 0 {
                        let after = rank(set & !(1 << from) | way.near);
                        steps.push(KingStep { set: after, to: way.near.trailing_zeros() });
                    }
                }
            }
            steps
        };
        let row_of = |wanted: &dyn Fn(u32) -> bool| {
            let mut row = vec![0; sets.len().div_ceil(64)];
            for (i, &set) in sets.iter().enumerate() {
                row[i / 64] |= u64::from(wanted(set)) << (i % 64);
            }
            row
        };
        let held = |square| row_of(&|set| board.turned(set) >> square & 1 == 1);
        KingSets {
            steps: sets.iter().map(|&set| steps_of(set)).collect(),
            all: row_of(&|_| true),
            holding: (0..board.squares()).map(held).collect(),
            sets,
        }
    }

    /// The row of the sets that hold the one square of a mask.
    fn holding(&self, square: u32) -> &[u64] {
        &self.holding[square.trailing_zeros() as usize]
    }
}

/// What all blocks have in common: values of other blocks, and the sets of kings.
pub(crate) struct Source<'a> {
    pub(crate) values: &'a Database,
    kings: Vec<KingSets>,
}

impl Source<'_> {
    /// Of a database with so many pieces.
    pub(crate) fn new(values: &Database, pieces: u8) -> Source<'_> {
        // Either side has a piece, so none has all of them.
        let kings = (0..pieces).map(|k| KingSets::new(values.board(), k)).collect();
        Source { values, kings }
    }
}

/// A block: its slice, and the men of its mover and of the opponent, each in its owner's view.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Block {
    pub(crate) slice: SliceName,
    pub(crate) men: u32,
    pub(crate) their_men: u32,
}

impl Block {
    /// The block with the other side to move.
    pub(crate) fn twin(self) -> Block {
        Block { slice: twin(self.slice), men: self.their_men, their_men: self.men }
    }

    /// Where the words of the block's rows begin in its table.
    fn words(self, table: &Table) -> impl Iterator<Item = u64> {
        let (shape, start) = (table.shape, table.shape.block(self.men, self.their_men));
        (0..shape.rows).flat_map(move |row| {
            let start = start + row * shape.columns;
            (start..start + shape.columns).step_by(64)
        })
    }

    /// The block's rows in its table. Bits beyond the end of a row mean nothing.
    pub(crate) fn read(self, table: &Table) -> Vec<(u64, u64)> {
        self.words(table).map(|at| table.read(at)).collect()
    }
}

/// A step of a man or a crowning: to the row of `table` that begins at `start`, onto `to`.
struct ManStep<'a> {
    /// That slice is always in the database; if it were not, its values would count as draws.
    table: Option<&'a Table>,
    start: u64,
    to: u32,
}

/// The values of a block with one side to move, as far as they are settled.
pub(crate) struct Half<'a> {
    source: &'a Source<'a>,
    block: Block,
    /// All men, in the mover's view.
    fixed: u32,
    /// The kings of the mover and of the opponent.
    own: &'a KingSets,
    theirs: &'a KingSets,
    /// A row for each set of the mover's kings: positions without a jump for the mover that are not
    /// settled; and those of them where every step of a man leads to a win for the opponent.
    open: Vec<(u64, u64)>,
    /// What is settled, in the order of the file: a row for each set of the opponent's kings.
    pub(crate) values: Vec<(u64, u64)>,
    /// Room for the successors of one position.
    successors: Vec<Position>,
}

impl<'a> Half<'a> {
    /// Settles all that does not depend on king steps.
    pub(crate) fn new(source: &'a Source<'a>, block: Block) -> Half<'a> {
        let [_, b, _, d] = block.slice.0;
        let (own, theirs) = (&source.kings[usize::from(b)], &source.kings[usize::from(d)]);
        let zeros = |rows: &KingSets, row: &KingSets| vec![(0, 0); rows.sets.len() * row.all.len()];
        let mut half = Half {
            source,
            block,
            fixed: block.men | source.values.board().turned(block.their_men),
            own,
            theirs,
            open: zeros(own, theirs),
            values: zeros(theirs, own),
            successors: Vec::new(),
        };
        for (row, &kings) in own.sets.iter().enumerate() {
            // Where a king stands on a man, there is no position.
            if kings & half.fixed == 0 {
                half.prepare_row(row, kings);
            }
        }
        half
    }

    fn prepare_row(&mut self, row: usize, kings: u32) {
        let (board, theirs, block) = (self.source.values.board(), self.theirs, self.block);
        let own = block.men | kings;
        let enemy_men = self.fixed & !block.men;
        // The pieces that stand there in the whole row; the opponent's kings come and go.
        let fixed = self.fixed | kings;
        let (mut jumps, mut man_steps) = (Vec::with_capacity(32), Vec::with_capacity(16));
        for from in bits_in(own) {
            let is_king = kings >> from & 1 == 1;
            for way in board.ways(from, Side::Black, is_king) {
                if way.near & own == 0 && way.far & !fixed != 0 {
                    let is_man = way.near & enemy_men != 0;
                    let jumped = if is_man { &theirs.all } else { theirs.holding(way.near) };
                    jumps.push((jumped, theirs.holding(way.far)));
                }
                if !is_king && way.near & !fixed != 0 {
                    man_steps.push(self.man_step(kings, 1 << from, way.near));
                }
            }
        }
        for w in 0..theirs.all.len() {
            let holding = |square: usize| theirs.holding[square][w];
            let there = bits_in(fixed).fold(theirs.all[w], |sets, n| sets & !holding(n));
            let captures = jumps.iter().fold(0, |sets, (over, to)| sets | over[w] & !to[w]) & there;
            let quiet = there & !captures;
            let (mut win, mut men_lose) = (0, quiet);
            for step in &man_steps {
                let at = step.start + 64 * w as u64;
                let (their_win, their_loss) = step.table.map_or((0, 0), |table| table.read(at));
                // Where the opponent's king stands on that square, there is no such step.
                let blocked = theirs.holding[step.to as usize][w];
                win |= quiet & their_loss & !blocked;
                men_lose &= their_win | blocked;
            }
            self.open[row * theirs.all.len() + w] = (quiet, men_lose);
            self.settle(row, w, win, 0);
            for bit in bits_in(captures) {
                let their_kings = theirs.sets[64 * w + bit];
                let p = from_views(board, [block.men, kings, block.their_men, their_kings]);
                match value_by_moves(self.source.values, &p, &mut self.successors) {
                    Value::Win => self.settle(row, w, 1 << bit, 0),
                    Value::Loss => self.settle(row, w, 0, 1 << bit),
                    Value::Draw => {}
                }
            }
        }
    }

    /// The step of the man on `from` to the empty square `to`, with the mover's kings `kings`.
    fn man_step(&self, kings: u32, from: u32, to: u32) -> ManStep<'a> {
        let Block { slice: SliceName([a, b, c, d]), men, their_men } = self.block;
        let values = self.source.values;
        let (slice, men, kings) = if to & values.board().crown_row(Side::Black) != 0 {
            ([c, d, a - 1, b + 1], men & !from, kings | to)
        } else {
            ([c, d, a, b], men & !from | to, kings)
        };
        let table = values.table(SliceName(slice));
        // The row: the first of the opponent's sets of kings, who is to move there.
        let index = |table: &Table| table.shape.index([their_men, 0, men, kings]);
        ManStep { table, start: table.map_or(0, index), to: to.trailing_zeros() }
    }

    /// Applies the operator once to the king steps of all positions not yet settled. `values` are those
    /// with the other side to move, a row for each set of this side's kings. Says whether anything has
    /// been settled.
    pub(crate) fn step(&mut self, values: &[(u64, u64)]) -> bool {
        let (own, theirs) = (self.own, self.theirs);
        let words = theirs.all.len();
        let mut changed = false;
        for (row, steps) in own.steps.iter().enumerate() {
            for w in 0..words {
                let (open, mut loss) = self.open[row * words + w];
                if open == 0 {
                    continue;
                }
                let mut win = 0;
                for step in steps.iter().filter(|step| self.fixed >> step.to & 1 == 0) {
                    let (their_win, their_loss) = values[step.set as usize * words + w];
                    let blocked = theirs.holding[step.to as usize][w];
                    win |= their_loss & !blocked;
                    loss &= their_win | blocked;
                }
                let (win, loss) = (open & win, open & loss & !win);
                self.settle(row, w, win, loss);
                changed |= win | loss != 0;
            }
        }
        changed
    }

    /// Settles positions of word `w` of a row.
    fn settle(&mut self, row: usize, w: usize, win: u64, loss: u64) {
        self.open[row * self.theirs.all.len() + w].0 &= !(win | loss);
        let words = self.own.all.len();
        let (place, bit) = (row / 64, 1 << (row % 64));
        bits_in(win).for_each(|n| self.values[(64 * w + n) * words + place].0 |= bit);
        bits_in(loss).for_each(|n| self.values[(64 * w + n) * words + place].1 |= bit);
    }

    /// Writes the values into their table.
    pub(crate) fn write(&self, table: &Table) {
        for (at, &(win, loss)) in self.block.words(table).zip(&self.values) {
            table.win.set(at, win);
            table.loss.set(at, loss);
        }
    }
}

/// The value of a position from the values of its successors.
fn value_by_moves(values: &Database, p: &Position, successors: &mut Vec<Position>) -> Value {
    values.board().moves(p, successors);
    let mut value = Value::Loss;
    for y in successors {
        if !y.has_both_sides() {
            return Value::Win;
        }
        match values.value(y) {
            Some(Value::Loss) => return Value::Win,
            Some(Value::Win) => {}
            // There is a value for every position with fewer pieces.
            Some(Value::Draw) | None => value = Value::Draw,
        }
    }
    value
}
