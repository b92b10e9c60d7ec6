//! One block: all positions with the men where they are (`SPEC.md` §8.2), 64 at a time.
//!
//! Theorem (`SPEC.md` §2, §8.5): the exact values are the least fixed point of
//!
//! * a win when some successor is a loss or has no piece left for its side to move,
//! * a loss when every successor is a win (or there is none),
//!
//! because every position settled so far has a finite forced win behind it; what is never settled is
//! a draw. [`Half::prepare`] and [`Half::step`] are this operator for one side to move. Within a
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
use crate::rules::{Board, Position, squares_in};
use certificate_spec::database::SliceName;

/// All sets of k kings, and which squares they hold, for one k.
pub(crate) struct KingSets {
    /// The sets in order of their ranks, in their owner's view.
    sets: Vec<u32>,
    /// Words of a row with a bit for each set.
    words: usize,
    /// For each square in the view of the *other* side, the sets that hold it, as a row.
    holding: Vec<Vec<u64>>,
    /// The row of all sets.
    all: Vec<u64>,
}

impl KingSets {
    pub(crate) fn new(board: &Board, k: u8) -> KingSets {
        let sets = sets(board.squares(), k);
        let words = sets.len().div_ceil(64);
        let row_of = |wanted: &dyn Fn(u32) -> bool| {
            let mut row = vec![0; words];
            for (i, &set) in sets.iter().enumerate() {
                row[i / 64] |= u64::from(wanted(set)) << (i % 64);
            }
            row
        };
        let holding = (0..board.squares())
            .map(|square| row_of(&|set| board.turned(set) >> square & 1 == 1))
            .collect();
        let all = row_of(&|_| true);
        KingSets { holding, all, words, sets }
    }
}

/// A king step from the row that it is listed under: to the row `row`, onto the square `to`.
struct KingStep {
    row: usize,
    to: usize,
}

/// A step of a man or a crowning: to the row of `table` that begins at `start`, onto `to`.
struct ManStep<'a> {
    table: &'a Table,
    start: u64,
    to: usize,
}

/// A row begins at the word `row * words` of the first five; the last two are the same values in
/// the order of the file: a row for each set of the opponent's kings, a bit for each of the mover's.
#[derive(Default)]
pub(crate) struct Half {
    /// Positions without a jump for the mover (and with no two pieces on a square).
    quiet: Vec<u64>,
    /// Quiet positions in which every step of a man leads to a win for the opponent.
    men_lose: Vec<u64>,
    /// What is settled.
    win: Vec<u64>,
    loss: Vec<u64>,
    steps: Vec<KingStep>,
    /// Where the king steps of each row begin in `steps`, and where the last ones end.
    first_step: Vec<usize>,
    words: usize,
    file_words: usize,
    file_win: Vec<u64>,
    file_loss: Vec<u64>,
    captures: Vec<u64>,
    successors: Vec<Position>,
}

/// A block: its slice, and the men of its mover and of the opponent, each in its owner's view.
#[derive(Clone, Copy)]
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
}

/// What all blocks have in common: finished values of other blocks, and the sets of kings.
pub(crate) struct Source<'a> {
    pub(crate) values: &'a Database,
    pub(crate) kings: &'a [KingSets],
}

fn clear(matrix: &mut Vec<u64>, words: usize) {
    matrix.clear();
    matrix.resize(words, 0);
}

impl Half {
    /// Settles all that does not depend on king steps, and lists these.
    pub(crate) fn prepare(&mut self, source: &Source<'_>, block: Block) {
        let board = source.values.board();
        let [_, b, _, d] = block.slice.0.map(usize::from);
        let (own, theirs) = (&source.kings[b], &source.kings[d]);
        self.words = theirs.words;
        self.file_words = own.words;
        for matrix in [&mut self.quiet, &mut self.men_lose, &mut self.win, &mut self.loss] {
            clear(matrix, own.sets.len() * theirs.words);
        }
        for matrix in [&mut self.file_win, &mut self.file_loss] {
            clear(matrix, theirs.sets.len() * own.words);
        }
        self.steps.clear();
        self.first_step.clear();
        let enemy_men = board.turned(block.their_men);
        for (row, &kings) in own.sets.iter().enumerate() {
            self.first_step.push(self.steps.len());
            if kings & (block.men | enemy_men) == 0 {
                self.prepare_row(source, block, enemy_men, row, kings);
            }
        }
        self.first_step.push(self.steps.len());
    }

    fn prepare_row(
        &mut self,
        source: &Source<'_>,
        block: Block,
        enemy_men: u32,
        row: usize,
        kings: u32,
    ) {
        let board = source.values.board();
        let theirs = &source.kings[usize::from(block.slice.0[3])];
        let words = row * self.words..(row + 1) * self.words;
        // The pieces that stand where they stand in the whole row; the opponent's kings do not.
        let fixed = block.men | kings | enemy_men;
        let quiet = &mut self.quiet[words.clone()];
        quiet.copy_from_slice(&theirs.all);
        for square in squares_in(fixed) {
            and_not(quiet, &theirs.holding[square]);
        }
        clear(&mut self.captures, theirs.words);
        for from in squares_in(block.men | kings) {
            let steps = board.steps_from(from).iter().zip(board.landings_from(from));
            for (&over, &to) in steps.take(if kings >> from & 1 == 1 { 4 } else { 2 }) {
                if to & !fixed != 0 {
                    let landing = &theirs.holding[to.trailing_zeros() as usize];
                    if over & enemy_men != 0 {
                        for ((out, &q), &l) in self.captures.iter_mut().zip(&*quiet).zip(landing) {
                            *out |= q & !l;
                        }
                    } else if over & fixed == 0 {
                        let jumped = &theirs.holding[over.trailing_zeros() as usize];
                        for (w, out) in self.captures.iter_mut().enumerate() {
                            *out |= quiet[w] & jumped[w] & !landing[w];
                        }
                    }
                }
            }
        }
        and_not(quiet, &self.captures);
        self.men_lose[words.clone()].copy_from_slice(quiet);
        for from in squares_in(block.men) {
            for &to in board.steps_from(from).iter().take(2).filter(|&&to| to & !fixed != 0) {
                match man_step(source, block, kings, 1 << from, to) {
                    Some(step) => self.play_man_step(row, &step, theirs),
                    None => self.men_lose[words.clone()].fill(0),
                }
            }
        }
        for from in squares_in(kings) {
            for &to in board.steps_from(from).iter().filter(|&&to| to & !fixed != 0) {
                let row = rank(kings & !(1 << from) | to) as usize;
                self.steps.push(KingStep { row, to: to.trailing_zeros() as usize });
            }
        }
        self.play_captures(source, block, row, kings);
    }

    fn play_man_step(&mut self, row: usize, step: &ManStep<'_>, theirs: &KingSets) {
        let mut left = step.table.shape.columns;
        for w in 0..self.words {
            let (i, at) = (row * self.words + w, step.start + 64 * w as u64);
            let count = left.min(64);
            left -= count;
            let win = self.quiet[i] & step.table.loss.read(at, count);
            self.men_lose[i] &= step.table.win.read(at, count) | theirs.holding[step.to][w];
            self.settle(row, w, win, 0);
        }
    }

    fn play_captures(&mut self, source: &Source<'_>, block: Block, row: usize, kings: u32) {
        let their_sets = &source.kings[usize::from(block.slice.0[3])].sets;
        for w in 0..self.words {
            let mut left = self.captures[w];
            while left != 0 {
                let bit = left & left.wrapping_neg();
                left &= !bit;
                let column = 64 * w + bit.trailing_zeros() as usize;
                let sets = [block.men, kings, block.their_men, their_sets[column]];
                let p = from_views(source.values.board(), sets);
                match value_by_moves(source.values, &p, &mut self.successors) {
                    Value::Win => self.settle(row, w, bit, 0),
                    Value::Loss => self.settle(row, w, 0, bit),
                    Value::Draw => {}
                }
            }
        }
    }

    /// Applies the operator once to the king steps of all quiet positions not yet settled.
    /// `win` and `loss` are the values with the other side to move, a row for each set of this
    /// side's kings. Says whether anything has been settled.
    pub(crate) fn step(
        &mut self,
        source: &Source<'_>,
        block: Block,
        win: &[u64],
        loss: &[u64],
    ) -> bool {
        let theirs = &source.kings[usize::from(block.slice.0[3])];
        let mut changed = false;
        for row in 0..self.first_step.len() - 1 {
            for w in 0..self.words {
                let i = row * self.words + w;
                let open = self.quiet[i] & !(self.win[i] | self.loss[i]);
                if open == 0 {
                    continue;
                }
                let (mut wins, mut loses) = (0, self.men_lose[i]);
                for step in &self.steps[self.first_step[row]..self.first_step[row + 1]] {
                    let j = step.row * self.words + w;
                    wins |= loss[j];
                    // Where the opponent's king stands on that square, there is no such step.
                    loses &= win[j] | theirs.holding[step.to][w];
                }
                let (wins, loses) = (open & wins, open & loses & !wins);
                if wins | loses != 0 {
                    self.settle(row, w, wins, loses);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Marks positions of word `w` of a row, in both orders.
    fn settle(&mut self, row: usize, w: usize, win: u64, loss: u64) {
        let i = row * self.words + w;
        let new_win = win & !self.win[i];
        let new_loss = loss & !self.loss[i];
        self.win[i] |= new_win;
        self.loss[i] |= new_loss;
        for (matrix, mut new) in [(&mut self.file_win, new_win), (&mut self.file_loss, new_loss)] {
            while new != 0 {
                let column = 64 * w + new.trailing_zeros() as usize;
                matrix[column * self.file_words + row / 64] |= 1 << (row % 64);
                new &= new - 1;
            }
        }
    }

    /// The values in the order of the file.
    pub(crate) fn values(&self) -> (&[u64], &[u64]) {
        (&self.file_win, &self.file_loss)
    }

    /// Writes the values into their table.
    pub(crate) fn write(&self, block: Block, table: &Table) {
        let shape = table.shape;
        let start = shape.block(block.men, block.their_men);
        for row in 0..shape.rows {
            let at = shape.row(start, row);
            for w in 0..self.file_words {
                let i = row as usize * self.file_words + w;
                table.win.set(at + 64 * w as u64, self.file_win[i]);
                table.loss.set(at + 64 * w as u64, self.file_loss[i]);
            }
        }
    }
}

/// The rows of a block as they are in its table: wins and losses.
pub(crate) fn read(block: Block, table: &Table) -> (Vec<u64>, Vec<u64>) {
    let shape = table.shape;
    let start = shape.block(block.men, block.their_men);
    let (mut win, mut loss) = (Vec::new(), Vec::new());
    for row in 0..shape.rows {
        let mut at = shape.row(start, row);
        let mut left = shape.columns;
        while left > 0 {
            let count = left.min(64);
            win.push(table.win.read(at, count));
            loss.push(table.loss.read(at, count));
            at += u64::from(count);
            left -= count;
        }
    }
    (win, loss)
}

fn and_not(row: &mut [u64], other: &[u64]) {
    for (word, &o) in row.iter_mut().zip(other) {
        *word &= !o;
    }
}

/// Where the step of the man on `from` to the empty square `to` leads, with the mover's kings
/// `kings`. `None` never happens (that slice is in the database), and would be taken for a draw.
fn man_step<'a>(
    source: &Source<'a>,
    block: Block,
    kings: u32,
    from: u32,
    to: u32,
) -> Option<ManStep<'a>> {
    let [a, b, c, d] = block.slice.0;
    let crowned = to & source.values.board().last_row() != 0;
    let (slice, men, kings) = if crowned {
        ([c, d, a - 1, b + 1], block.men & !from, kings | to)
    } else {
        ([c, d, a, b], block.men & !from | to, kings)
    };
    let table = source.values.table(SliceName(slice))?;
    let start = table.shape.row(table.shape.block(block.their_men, men), rank(kings));
    Some(ManStep { table, start, to: to.trailing_zeros() as usize })
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
