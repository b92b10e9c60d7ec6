//! Solving a block and its twin.
//!
//! Where all men stand is fixed; what is left are the kings. A block of a slice, seen by the side
//! to move, is a matrix with a row for each set of its kings and a column for each set of the
//! opponent's. A king move leads to the twin block (the same men, the other side to move), where
//! the sets change places, so a row here meets a row of the twin's transpose. Captures, crownings
//! and man moves lead to blocks with fewer pieces, fewer men or men further on, all finished; the
//! tables store those with the mover's sets as columns, so that a row here again meets a row there.
//! Everything is then done for all columns at once; only positions in which a capture can go on
//! with a second jump are played out one by one.
//!
//! The pair is solved by iterating from nothing to the least fixed point: what is neither a win nor
//! a loss at the end is a draw.

use rayon::prelude::*;

use super::matrix::Matrix;
use super::resident::Tables;
use super::sets::{KingSets, rank};
use super::slice::{Slice, compose, locate, turn};
use super::table::Value;
use crate::board::{Board, Position};

/// What is shared by all blocks.
pub struct Shared<'a> {
    /// The board.
    pub board: &'a Board,
    /// The sets of 0, 1, 2, … kings.
    pub kings: &'a [KingSets],
    /// All finished blocks.
    pub tables: &'a Tables,
}

/// One block: a slice, and the men of both sides, each seen by its owner.
#[derive(Clone, Copy)]
struct Block<'a> {
    shared: &'a Shared<'a>,
    slice: Slice,
    men: u32,
    enemy_men: u32,
    /// The opponent's men seen by the mover.
    foes: u32,
    rows: &'a KingSets,
    columns: &'a KingSets,
}

/// Rows of bits for working on one row of a block.
#[derive(Default)]
struct Scratch {
    legal: Vec<u64>,
    captures: Vec<u64>,
    chains: Vec<u64>,
    one: Vec<u64>,
    win: Vec<u64>,
    loss: Vec<u64>,
    narrow_win: Vec<u64>,
    narrow_loss: Vec<u64>,
    jumps: Vec<Jump>,
    successors: Vec<Position>,
}

impl Scratch {
    fn reset(&mut self, words: usize) {
        for row in [
            &mut self.legal,
            &mut self.captures,
            &mut self.chains,
            &mut self.one,
            &mut self.win,
            &mut self.loss,
        ] {
            row.clear();
            row.resize(words, 0);
        }
        self.jumps.clear();
    }
}

#[derive(Clone, Copy)]
struct Jump {
    from: u8,
    over: u8,
    to: u8,
}

fn and(row: &mut [u64], with: &[u64]) {
    row.iter_mut().zip(with).for_each(|(r, w)| *r &= w);
}

fn and_not(row: &mut [u64], with: &[u64]) {
    row.iter_mut().zip(with).for_each(|(r, w)| *r &= !w);
}

fn or(row: &mut [u64], with: &[u64]) {
    row.iter_mut().zip(with).for_each(|(r, w)| *r |= w);
}

impl<'a> Block<'a> {
    fn new(shared: &'a Shared<'a>, slice: Slice, men: u32, enemy_men: u32) -> Self {
        Block {
            shared,
            slice,
            men,
            enemy_men,
            foes: turn(shared.board, enemy_men),
            rows: &shared.kings[usize::from(slice.kings)],
            columns: &shared.kings[usize::from(slice.enemy_kings)],
        }
    }

    /// The columns in which an opponent's king stands on a square, numbered by the mover.
    fn occupied(&self, square: u8) -> &'a [u64] {
        self.columns.occupied(self.shared.board.squares() - 1 - square)
    }

    /// Fills a row of `fixed`: what follows from finished blocks. The words are: sure wins; losses
    /// as far as finished blocks go; positions without a capture, where king moves have a say.
    fn prepare_row(&self, row: usize, out: &mut [u64], scratch: &mut Scratch) {
        let words = self.columns.words;
        let kings = self.rows.sets[row];
        let own = self.men | kings;
        out.fill(0);
        if kings & (self.men | self.foes) != 0 {
            return;
        }
        scratch.reset(words);
        let (wins, out) = out.split_at_mut(words);
        let (losses, quiet) = out.split_at_mut(words);

        scratch.legal.copy_from_slice(&self.columns.all);
        for square in squares(own | self.foes) {
            and_not(&mut scratch.legal, self.occupied(square));
        }
        self.find_jumps(own, kings, scratch);

        // Positions with a capture: single jumps for all columns at once, the rest one by one.
        losses.copy_from_slice(&scratch.captures);
        and_not(losses, &scratch.chains);
        for i in 0..scratch.jumps.len() {
            self.play_jump(scratch.jumps[i], own, kings, wins, losses, scratch);
        }
        self.play_chains(kings, wins, losses, scratch);

        // Positions without: man moves and crownings.
        quiet.copy_from_slice(&scratch.legal);
        and_not(quiet, &scratch.captures);
        or(losses, quiet);
        self.play_men(own, kings, wins, losses, quiet, scratch);
    }

    /// Finds all first jumps, the columns with a capture and those in which one can go on.
    fn find_jumps(&self, own: u32, kings: u32, scratch: &mut Scratch) {
        let board = self.shared.board;
        let blocked = own | self.foes;
        for from in squares(own) {
            let directions = if kings >> from & 1 == 1 { 4 } else { 2 };
            for direction in 0..directions {
                let Some(jump) = self.jump(from, direction, own, blocked) else {
                    continue;
                };
                scratch.one.copy_from_slice(&scratch.legal);
                self.keep_jump(jump, &mut scratch.one);
                if scratch.one.iter().all(|&w| w == 0) {
                    continue;
                }
                or(&mut scratch.captures, &scratch.one);
                scratch.jumps.push(jump);
                if directions == 2 && self.is_crowned(jump.to) {
                    continue;
                }
                let vacated = !(1 << from);
                for direction in 0..directions {
                    let next = self.jump(jump.to, direction, own & vacated, blocked & vacated);
                    let Some(next) = next.filter(|next| next.over != jump.over) else {
                        continue;
                    };
                    scratch.win.copy_from_slice(&scratch.one);
                    self.keep_jump(next, &mut scratch.win);
                    or(&mut scratch.chains, &scratch.win);
                }
            }
        }
        debug_assert!(board.squares() <= 32);
    }

    /// The jump from a square in a direction as far as the mover's pieces and all men allow it.
    fn jump(&self, from: u8, direction: usize, own: u32, blocked: u32) -> Option<Jump> {
        let over = self.shared.board.step(from, direction)?;
        let to = self.shared.board.step(over, direction)?;
        (own >> over & 1 == 0 && blocked >> to & 1 == 0).then_some(Jump { from, over, to })
    }

    /// Takes away the columns in which there is nothing to jump over or no room behind it.
    fn keep_jump(&self, jump: Jump, row: &mut [u64]) {
        and_not(row, self.occupied(jump.to));
        if self.foes >> jump.over & 1 == 0 {
            and(row, self.occupied(jump.over));
        }
    }

    fn is_crowned(&self, square: u8) -> bool {
        square >= self.shared.board.man_squares()
    }

    /// The mover's men and kings after a piece has gone `from` → `to`.
    fn moved(&self, from: u8, to: u8, kings: u32) -> (u32, u32) {
        if kings >> from & 1 == 1 {
            (self.men, kings & !(1 << from) | 1 << to)
        } else if self.is_crowned(to) {
            (self.men & !(1 << from), kings | 1 << to)
        } else {
            (self.men & !(1 << from) | 1 << to, kings)
        }
    }

    /// Reads the row of a finished block with the opponent to move: `columns` are its kings.
    fn read_row(
        &self,
        (men, kings): (u32, u32),
        enemy_men: u32,
        columns: &KingSets,
        win: &mut [u64],
        loss: &mut [u64],
    ) {
        let count = |set: u32| set.count_ones() as u8;
        let slice = Slice::new(count(enemy_men), columns.kings, count(men), count(kings));
        let index = slice.row_index(self.shared.board, enemy_men, men, kings);
        self.shared.tables.get(slice).read(index, columns.sets.len(), win, loss);
    }

    /// Plays a jump in all columns in which no capture can go on.
    fn play_jump(
        &self,
        jump: Jump,
        own: u32,
        kings: u32,
        wins: &mut [u64],
        losses: &mut [u64],
        scratch: &mut Scratch,
    ) {
        let Scratch { legal, chains, one, win, loss, narrow_win, narrow_loss, .. } = scratch;
        debug_assert!(own >> jump.to & 1 == 0 || jump.to == jump.from);
        one.copy_from_slice(legal);
        and_not(one, chains);
        self.keep_jump(jump, one);
        let after = self.moved(jump.from, jump.to, kings);
        let board = self.shared.board;
        if self.foes >> jump.over & 1 == 1 {
            let enemy_men = self.enemy_men & !turn(board, 1 << jump.over);
            if enemy_men == 0 && self.columns.kings == 0 {
                or(wins, one);
                and_not(losses, one);
                return;
            }
            self.read_row(after, enemy_men, self.columns, win, loss);
        } else {
            if self.enemy_men == 0 && self.columns.kings == 1 {
                or(wins, one);
                and_not(losses, one);
                return;
            }
            let fewer = &self.shared.kings[usize::from(self.columns.kings) - 1];
            for row in [&mut *narrow_win, &mut *narrow_loss] {
                row.clear();
                row.resize(fewer.words, 0);
            }
            self.read_row(after, self.enemy_men, fewer, narrow_win, narrow_loss);
            win.fill(0);
            loss.fill(0);
            let over = usize::from(board.squares() - 1 - jump.over);
            for &(to, from) in &self.columns.without[over] {
                let (to, from) = (to as usize, from as usize);
                win[to / 64] |= (narrow_win[from / 64] >> (from % 64) & 1) << (to % 64);
                loss[to / 64] |= (narrow_loss[from / 64] >> (from % 64) & 1) << (to % 64);
            }
        }
        // A loss for the opponent is a win; a move that is not a win for it is no loss.
        for i in 0..one.len() {
            wins[i] |= one[i] & loss[i];
            losses[i] &= !one[i] | win[i];
        }
    }

    /// Plays out the positions in which a capture can go on.
    fn play_chains(&self, kings: u32, wins: &mut [u64], losses: &mut [u64], scratch: &mut Scratch) {
        let board = self.shared.board;
        for i in 0..scratch.chains.len() {
            let mut left = scratch.chains[i];
            while left != 0 {
                let bit = left & left.wrapping_neg();
                left ^= bit;
                let column = self.columns.sets[64 * i + bit.trailing_zeros() as usize];
                let position = compose(board, self.men, kings, self.enemy_men, column);
                board.successors(&position, &mut scratch.successors);
                let value = |p: &Position| {
                    if !p.both_sides() {
                        return Value::Loss;
                    }
                    let (slice, index) = locate(board, p);
                    self.shared.tables.get(slice).value(index)
                };
                if scratch.successors.iter().any(|p| value(p) == Value::Loss) {
                    wins[i] |= bit;
                } else if scratch.successors.iter().all(|p| value(p) == Value::Win) {
                    losses[i] |= bit;
                }
            }
        }
    }

    /// Plays the moves of men in the columns of `quiet`.
    fn play_men(
        &self,
        own: u32,
        kings: u32,
        wins: &mut [u64],
        losses: &mut [u64],
        quiet: &[u64],
        scratch: &mut Scratch,
    ) {
        let Scratch { win, loss, .. } = scratch;
        for from in squares(self.men) {
            for direction in 0..2 {
                let Some(to) = self.shared.board.step(from, direction) else {
                    continue;
                };
                if (own | self.foes) >> to & 1 == 1 {
                    continue;
                }
                let after = self.moved(from, to, kings);
                self.read_row(after, self.enemy_men, self.columns, win, loss);
                let blocked = self.occupied(to);
                for i in 0..quiet.len() {
                    wins[i] |= quiet[i] & loss[i];
                    losses[i] &= !quiet[i] | win[i] | blocked[i];
                }
            }
        }
    }

    /// Values a row from what is fixed and from the transpose of the twin. Says whether it changed.
    fn value_row(&self, row: usize, fixed: &[u64], twin: &Matrix, out: &mut [u64]) -> bool {
        let words = self.columns.words;
        let (fixed_win, rest) = fixed.split_at(words);
        let (fixed_loss, quiet) = rest.split_at(words);
        let (win, loss) = out.split_at_mut(words);
        let stands = self.men | self.foes;
        let mut changed = false;
        // Row by row of at most a few cache lines: all moves for a word before the next word.
        for i in 0..words {
            let (mut wins, mut losses) = (fixed_win[i], fixed_loss[i]);
            if quiet[i] != 0 {
                let (mut some_loss, mut all_wins) = (0, u64::MAX);
                for step in self.rows.steps(row) {
                    if stands >> step.to & 1 == 0 {
                        let (twin_win, twin_loss) = twin.row(step.set as usize);
                        some_loss |= twin_loss[i];
                        all_wins &= twin_win[i] | self.occupied(step.to)[i];
                    }
                }
                wins |= quiet[i] & some_loss;
                losses &= !quiet[i] | all_wins;
            }
            changed |= win[i] != wins || loss[i] != losses;
            (win[i], loss[i]) = (wins, losses);
        }
        changed
    }
}

/// The squares of a set, ascending.
fn squares(mut set: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as u8;
        set &= set.wrapping_sub(1);
        (square < 32).then_some(square)
    })
}

/// One block with its working memory.
#[derive(Default)]
struct Half {
    /// Three planes a row: see [`Block::prepare_row`].
    fixed: Vec<u64>,
    values: Matrix,
    /// Rows of `values` that changed in the last pass.
    changed: Vec<bool>,
    transpose: Matrix,
    /// Rows of `transpose` that changed with the last transposition.
    transpose_changed: Vec<bool>,
}

impl Half {
    fn prepare(&mut self, block: &Block<'_>, scratch: &mut Scratch) {
        let (rows, words) = (block.rows.sets.len(), block.columns.words);
        self.values.reset(rows, block.columns.sets.len());
        self.transpose.reset(block.columns.sets.len(), rows);
        self.changed.clear();
        self.changed.resize(rows, false);
        self.transpose_changed.clear();
        self.transpose_changed.resize(block.columns.sets.len(), false);
        self.fixed.clear();
        self.fixed.resize(rows * 3 * words, 0);
        if self.values.is_large() {
            self.fixed
                .par_chunks_mut(3 * words)
                .enumerate()
                .for_each_init(Scratch::default, |scratch, (row, out)| {
                    block.prepare_row(row, out, scratch)
                });
        } else {
            let rows = self.fixed.chunks_mut(3 * words).enumerate();
            rows.for_each(|(row, out)| block.prepare_row(row, out, scratch));
        }
    }

    /// Values the rows that may have changed. `twin` is the transpose of the twin's values, and
    /// `dirty` its changed rows, or `None` for all.
    fn value(&mut self, block: &Block<'_>, twin: &Matrix, dirty: Option<&[bool]>) {
        let words = block.columns.words;
        let stride = self.values.stride();
        let fixed = &self.fixed;
        let value = |row: usize, out: &mut [u64], changed: &mut bool| {
            let steps = block.rows.steps(row);
            let due = dirty.is_none_or(|d| steps.iter().any(|step| d[step.set as usize]));
            *changed =
                due && block.value_row(row, &fixed[row * 3 * words..][..3 * words], twin, out);
        };
        if self.values.is_large() {
            let rows = self.values.bits_mut().par_chunks_mut(stride).zip(&mut self.changed);
            rows.enumerate().for_each(|(row, (out, changed))| value(row, out, changed));
        } else {
            let rows = self.values.bits_mut().chunks_mut(stride).zip(&mut self.changed);
            rows.enumerate().for_each(|(row, (out, changed))| value(row, out, changed));
        }
    }

    /// Brings the transpose up to date; says whether anything had changed.
    fn transpose(&mut self) -> bool {
        let Half { values, changed, transpose, transpose_changed, .. } = self;
        values.transpose_into(changed, transpose, transpose_changed);
        changed.contains(&true)
    }
}

/// The solved values of some blocks, ready to be copied into the tables.
#[derive(Default)]
pub struct Solved {
    /// (slice, index, number of bits, first word) of each block.
    pub blocks: Vec<(Slice, u64, usize, usize)>,
    /// Win and loss words of all blocks.
    pub win: Vec<u64>,
    /// See `win`.
    pub loss: Vec<u64>,
}

/// Solves pairs of blocks, reusing its memory.
#[derive(Default)]
pub struct Solver {
    here: Half,
    there: Half,
    scratch: Scratch,
}

impl Solver {
    /// Solves the block of `slice` with these men (each side's seen by itself), and its twin.
    pub fn solve(
        &mut self,
        shared: &Shared<'_>,
        slice: Slice,
        men: u32,
        enemy_men: u32,
        out: &mut Solved,
    ) {
        let here = Block::new(shared, slice, men, enemy_men);
        let there = Block::new(shared, slice.twin(), enemy_men, men);
        let Solver { here: h, there: t, scratch } = self;
        h.prepare(&here, scratch);
        if slice == slice.twin() && men == enemy_men {
            let mut first = true;
            loop {
                // The matrix is its own twin; its transpose is taken out to be read meanwhile.
                let (twin, dirty) =
                    (std::mem::take(&mut h.transpose), std::mem::take(&mut h.transpose_changed));
                h.value(&here, &twin, (!first).then_some(&dirty));
                (h.transpose, h.transpose_changed) = (twin, dirty);
                first = false;
                if !h.transpose() {
                    break;
                }
            }
            keep(shared.board, &here, h, out);
            return;
        }
        t.prepare(&there, scratch);
        h.value(&here, &t.transpose, None);
        h.transpose();
        t.value(&there, &h.transpose, None);
        while t.transpose() {
            h.value(&here, &t.transpose, Some(&t.transpose_changed));
            if !h.transpose() {
                break;
            }
            t.value(&there, &h.transpose, Some(&h.transpose_changed));
        }
        keep(shared.board, &here, h, out);
        keep(shared.board, &there, t, out);
    }
}

fn keep(board: &Board, block: &Block<'_>, half: &Half, out: &mut Solved) {
    let first_kings = if block.slice.enemy_kings == 0 {
        0
    } else {
        u32::MAX >> (32 - u32::from(block.slice.enemy_kings))
    };
    let index = block.slice.row_index(board, block.men, block.enemy_men, first_kings);
    debug_assert_eq!(rank(first_kings), 0);
    let word = out.win.len();
    let bits = half.transpose.pack(&mut out.win, &mut out.loss);
    out.blocks.push((block.slice, index, bits, word));
}
