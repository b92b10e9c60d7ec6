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

use crate::database::{Database, Table};
use crate::numbering::{rank, sets, slice_of, twin};
use crate::rules::{Board, Jumper, Side, bits_in};
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
    pub(crate) fn words(self, table: &Table) -> impl Iterator<Item = u64> {
        let (shape, start) = (table.shape, table.shape.block(self.men, self.their_men));
        (0..shape.rows).flat_map(move |row| {
            let start = start + row * shape.columns;
            (start..start + shape.columns).step_by(64)
        })
    }
}

/// What a move of the mover leads to.
enum Target<'a> {
    /// The opponent has no piece left.
    Over,
    /// The row of a table that begins there: a position for each set of the kings that the opponent
    /// has left.
    Row(&'a Table, u64),
    /// Never: the slice is always in the database. If it were not, its values would count as draws.
    Unknown,
}

impl Target<'_> {
    /// The bits of `win` and `loss`, for the opponent, of 64 positions from the one with number `i` on.
    fn read(&self, i: u64) -> (u64, u64) {
        match self {
            // Without a move the opponent has lost.
            Target::Over => (0, !0),
            Target::Row(table, start) => table.read(start + i),
            Target::Unknown => (0, 0),
        }
    }

    /// The same for those of the first 64 of `sets` that are in `which`, when the kings `taken`
    /// have been taken from them.
    fn read_without(&self, taken: u32, which: u64, sets: &[u32]) -> (u64, u64) {
        let mut values = (0, 0);
        for i in bits_in(which) {
            let (win, loss) = self.read(rank(sets[i] & !taken).into());
            values.0 |= (win & 1) << i;
            values.1 |= (loss & 1) << i;
        }
        values
    }
}

/// What moves say about 64 positions.
struct Moves {
    /// The positions in which there is such a move;
    can: u64,
    /// in which one leads to a loss for the opponent;
    win: u64,
    /// in which none leads to anything but a win for the opponent.
    lose: u64,
}

impl Moves {
    const NONE: Moves = Moves { can: 0, win: 0, lose: !0 };

    /// One more move, which there is in the positions `can`, and the opponent's values after it.
    fn lead(&mut self, can: u64, (their_win, their_loss): (u64, u64)) {
        self.can |= can;
        self.win |= can & their_loss;
        self.lose &= !can | their_win;
    }
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
        // The pieces that stand there in the whole row; the opponent's kings come and go.
        let fixed = self.fixed | kings;
        let mut man_steps = Vec::with_capacity(16);
        for from in bits_in(block.men) {
            for way in board.ways(from, Side::Black, false) {
                if way.near & !fixed != 0 {
                    man_steps.push((way.near, self.target(kings, 1 << from, way.near, 0)));
                }
            }
        }
        for w in 0..theirs.all.len() {
            let there = bits_in(fixed).fold(theirs.all[w], |sets, n| sets & !theirs.holding[n][w]);
            let captures = self.captures(kings, w, there);
            let quiet = there & !captures.can;
            let mut steps = Moves::NONE;
            for (to, target) in &man_steps {
                // Where the opponent's king stands on that square, there is no such step.
                let can = quiet & !theirs.holding(*to)[w];
                steps.lead(can, target.read(64 * w as u64));
            }
            self.open[row * theirs.all.len() + w] = (quiet, quiet & steps.lose);
            let loss = captures.can & captures.lose & !captures.win;
            self.settle(row, w, captures.win | steps.win, loss);
        }
    }

    /// All jumps in the positions of word `w` of a row: those where there is any, and where they lead.
    fn captures(&self, kings: u32, w: usize, there: u64) -> Moves {
        let (board, theirs) = (self.source.values.board(), self.theirs);
        let own = self.block.men | kings;
        let enemy_men = self.fixed & !self.block.men;
        let mut moves = Moves::NONE;
        for from in bits_in(own) {
            // The start counts as empty; jumped pieces stay in the way until the move ends.
            let fixed = (enemy_men | own) & !(1 << from);
            let jumper = Jumper {
                side: Side::Black,
                is_king: kings >> from & 1 == 1,
                enemy: |square| {
                    if square & enemy_men != 0 { !0 } else { theirs.holding(square)[w] }
                },
                free: |square| if square & fixed != 0 { 0 } else { !theirs.holding(square)[w] },
            };
            board.jumps(&jumper, (from, 0), there, &mut |to, jumped, can| {
                let target = self.target(kings, 1 << from, 1 << to, jumped);
                let values = match board.turned(jumped & !enemy_men) {
                    0 => target.read(64 * w as u64),
                    taken => target.read_without(taken, can, &theirs.sets[64 * w..]),
                };
                moves.lead(can, values);
            });
        }
        moves
    }

    /// Where a move of the piece on `from` (a mask, as all of these) leads.
    fn target(&self, kings: u32, from: u32, to: u32, jumped: u32) -> Target<'a> {
        let (board, block) = (self.source.values.board(), self.block);
        let men = block.men & !from;
        let (men, kings) = if (kings & from) | (to & board.crown_row(Side::Black)) != 0 {
            (men, kings & !from | to)
        } else {
            (men | to, kings)
        };
        let jumped = board.turned(jumped);
        let their_men = block.their_men & !jumped;
        let SliceName([c, taken, a, b]) =
            slice_of([their_men, jumped & !block.their_men, men, kings]);
        let [_, _, _, d] = block.slice.0;
        if c + d == taken {
            return Target::Over;
        }
        match self.source.values.table(SliceName([c, d - taken, a, b])) {
            // The row: the first of the opponent's sets of kings, who is to move there.
            Some(table) => Target::Row(table, table.shape.index([their_men, 0, men, kings])),
            None => Target::Unknown,
        }
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
                let (open, loss) = self.open[row * words + w];
                if open == 0 {
                    continue;
                }
                let mut moves = Moves::NONE;
                for step in steps.iter().filter(|step| self.fixed >> step.to & 1 == 0) {
                    let can = open & !theirs.holding[step.to as usize][w];
                    moves.lead(can, values[step.set as usize * words + w]);
                }
                let (win, loss) = (moves.win, open & loss & moves.lose & !moves.win);
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
