//! Solves a block and its twin.
//!
//! The pair is solved by iteration from no values to the least fixed point: a position that is
//! neither a win nor a loss at the end is a draw. A row is valued again only when a row of the twin
//! has changed to which one of its king moves leads.

use rayon::prelude::*;

use super::block::{Block, Scratch, Shared, value_after};
use super::kingless::Kingless;
use super::matrix::Matrix;
use crate::index::slice::{Slice, compose};
use crate::values::table::Value;

/// A block's working memory.
#[derive(Default)]
pub(crate) struct Half {
    /// Three planes a row: see [`Block::prepare_row`].
    pub(crate) fixed: Vec<u64>,
    pub(crate) values: Matrix,
    /// The rows of `values` that changed in the last pass.
    pub(crate) changed: Vec<bool>,
    pub(crate) transpose: Matrix,
    /// The rows of `transpose` that changed with the last transposition.
    pub(crate) transpose_changed: Vec<bool>,
}

impl Half {
    /// Makes room for a block, without values.
    fn reset(&mut self, block: &Block<'_>) {
        let rows = block.rows.sets.len();
        self.values.reset(rows, block.columns.sets.len());
        self.transpose.reset(block.columns.sets.len(), rows);
        self.changed.clear();
        self.changed.resize(rows, false);
        self.transpose_changed.clear();
        self.transpose_changed.resize(block.columns.sets.len(), false);
    }

    pub(crate) fn prepare(&mut self, block: &Block<'_>, scratch: &mut Scratch) {
        self.reset(block);
        let (rows, words) = (block.rows.sets.len(), block.columns.words);
        self.fixed.clear();
        self.fixed.resize(rows * 3 * words, 0);
        let moves = block.man_moves();
        let prepare = |scratch: &mut Scratch, row: usize, out: &mut [u64]| {
            block.prepare_row(row, &moves, out, scratch);
        };
        if self.values.is_large() {
            let rows = self.fixed.par_chunks_mut(3 * words).enumerate();
            rows.for_each_init(Scratch::default, |scratch, (row, out)| prepare(scratch, row, out));
        } else {
            let rows = self.fixed.chunks_mut(3 * words).enumerate();
            rows.for_each(|(row, out)| prepare(scratch, row, out));
        }
    }

    /// Values the rows that may have changed. `twin` is the transpose of the twin's values, and
    /// `dirty` has its changed rows, or is `None` for all rows.
    pub(crate) fn value(&mut self, block: &Block<'_>, twin: &Matrix, dirty: Option<&[bool]>) {
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

    /// Brings the transpose up to date; returns whether anything had changed.
    pub(crate) fn transpose(&mut self) -> bool {
        let Half { values, changed, transpose, transpose_changed, .. } = self;
        values.transpose_into(changed, transpose, transpose_changed);
        changed.contains(&true)
    }
}

/// The place of a solved block's values in [`Solved`], and in the table of its slice.
pub(crate) struct SolvedBlock {
    pub slice: Slice,
    pub first_index: u64,
    /// The number of its indices, which have a bit each.
    pub bits: usize,
    /// The first word of its bits in [`Solved::win`] and [`Solved::loss`].
    pub first_word: usize,
}

/// The solved values of some blocks, ready to be copied into the tables.
#[derive(Default)]
pub(crate) struct Solved {
    pub blocks: Vec<SolvedBlock>,
    /// The win words of all blocks.
    pub win: Vec<u64>,
    /// The loss words of all blocks.
    pub loss: Vec<u64>,
}

impl Solved {
    /// Removes all blocks; the allocation is kept.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.win.clear();
        self.loss.clear();
    }
}

/// Solves pairs of blocks, reusing its memory.
#[derive(Default)]
pub(crate) struct Solver {
    here: Half,
    there: Half,
    kingless: Kingless,
    row: Vec<u64>,
    scratch: Scratch,
}

impl Solver {
    /// Solves the block of `slice` with these men (each side's as it sees them), and its twin.
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
        if slice.kings == 0 || slice.enemy_kings == 0 {
            // The side without kings is valued first.
            let (with, without) = if slice.kings == 0 { (there, here) } else { (here, there) };
            self.solve_kingless(&with, &without, out);
            return;
        }
        let Solver { here: h, there: t, scratch, .. } = self;
        h.prepare(&here, scratch);
        if slice == slice.twin() && men == enemy_men {
            let mut first = true;
            loop {
                // The matrix is its own twin; its transpose is taken out so that it can be read
                // meanwhile.
                let (twin, dirty) =
                    (std::mem::take(&mut h.transpose), std::mem::take(&mut h.transpose_changed));
                h.value(&here, &twin, (!first).then_some(&dirty));
                (h.transpose, h.transpose_changed) = (twin, dirty);
                first = false;
                if !h.transpose() {
                    break;
                }
            }
            out.keep_half(&here, h);
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
        out.keep_half(&here, h);
        out.keep_half(&there, t);
    }

    pub fn solve_captures(&mut self, block: &Block<'_>, out: &mut Solved) {
        let Solver { here, row, kingless, scratch, .. } = self;
        let words = block.columns.words;
        if block.rows.kings > 0 && block.columns.kings == 0 {
            kingless.play_captures(block);
            out.keep(block, &kingless.win, &kingless.loss);
        } else if block.rows.kings == 0 {
            row.clear();
            row.resize(2 * words, 0);
            let (win, loss) = row.split_at_mut(words);
            block.play_captures(0, (win, loss), scratch);
            out.keep(block, win, loss);
        } else {
            here.reset(block);
            let stride = here.values.stride();
            let play = |scratch: &mut Scratch, row: usize, out: &mut [u64]| {
                let (win, loss) = out.split_at_mut(words);
                block.play_captures(row, (win, loss), scratch);
            };
            if here.values.is_large() {
                let rows = here.values.bits_mut().par_chunks_mut(stride).enumerate();
                rows.for_each_init(Scratch::default, |scratch, (row, out)| play(scratch, row, out));
            } else {
                let rows = here.values.bits_mut().chunks_mut(stride).enumerate();
                rows.for_each(|(row, out)| play(scratch, row, out));
            }
            here.changed.fill(true);
            here.transpose();
            out.keep_half(block, here);
        }
    }

    /// Solves a pair in which a side has no kings: no cycle leads through both blocks.
    fn solve_kingless(&mut self, with: &Block<'_>, without: &Block<'_>, out: &mut Solved) {
        if with.rows.kings == 0 && with.columns.kings == 0 {
            // Each block has one position, for which rows are of no use.
            out.keep_one(without);
            if with.men != without.men || with.slice != without.slice {
                out.keep_one(with);
            }
            return;
        }
        let Solver { row, kingless, scratch, .. } = self;
        without.only_row(row, scratch);
        let words = without.columns.words;
        let (win, loss) = (&row[..words], &row[words..2 * words]);
        out.keep(without, win, loss);
        kingless.value(with, (win, loss));
        out.keep(with, &kingless.win, &kingless.loss);
    }
}

impl Solved {
    fn keep_half(&mut self, block: &Block<'_>, half: &Half) {
        let first_word = self.win.len();
        let bits = half.transpose.pack(&mut self.win, &mut self.loss);
        self.add_block(block, bits, first_word);
    }

    /// Values and keeps a block without kings.
    fn keep_one(&mut self, block: &Block<'_>) {
        let Block { shared, men, enemy_men, .. } = *block;
        let value = value_after(shared, &compose(shared.board, men, 0, enemy_men, 0));
        self.keep(block, &[(value == Value::Win).into()], &[(value == Value::Loss).into()]);
    }

    /// Keeps a block of a single row or column.
    fn keep(&mut self, block: &Block<'_>, win: &[u64], loss: &[u64]) {
        let first_word = self.win.len();
        self.win.extend(win);
        self.loss.extend(loss);
        self.add_block(block, block.rows.sets.len() * block.columns.sets.len(), first_word);
    }

    fn add_block(&mut self, block: &Block<'_>, bits: usize, first_word: usize) {
        let (slice, first_index) = (block.slice, block.first_index());
        self.blocks.push(SolvedBlock { slice, first_index, bits, first_word });
    }
}
