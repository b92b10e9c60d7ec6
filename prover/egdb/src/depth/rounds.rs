//! Finding the depths of a slice and its twin.
//!
//! The values are known and are found once more, in rounds: round k finds the wins and losses of at most
//! depth k from those of round k − 1. What leads out of a block and its twin converts, so there is no
//! order among blocks.

use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use crate::index::sets::sets;
use crate::index::slice::{Slice, turn};
use crate::solve::block::{Block, Scratch, Shared};
use crate::solve::builder::{Builder, UNIT};
use crate::solve::kingless::Kingless;
use crate::solve::matrix::{Matrix, PARALLEL_WORDS};
use crate::solve::pair::Half;

/// What stands for no depth.
const NONE: u16 = u16::MAX;

/// The depths of a slice, in plies. Beyond 65534 they count as 65534.
///
/// Atomic, so that blocks on several threads can write into one table; no place is written twice but
/// with the same number.
pub(crate) struct DepthTable {
    pub(crate) slice: Slice,
    depths: Vec<AtomicU16>,
}

impl DepthTable {
    pub(super) fn new(slice: Slice, indices: u64) -> Self {
        DepthTable { slice, depths: (0..indices).map(|_| AtomicU16::new(NONE)).collect() }
    }

    /// The depth at an index, if it is one of a win or a loss.
    pub(super) fn get(&self, index: u64) -> Option<u16> {
        let depth = self.depths[index as usize].load(Ordering::Relaxed);
        (depth != NONE).then_some(depth)
    }

    /// The longest of all, positions with a capture included; 0 if there are none.
    pub(super) fn longest(&self) -> u16 {
        let depths = self.depths.par_iter().map(|depth| depth.load(Ordering::Relaxed));
        depths.filter(|&depth| depth != NONE).max().unwrap_or(0)
    }

    pub(super) fn set(&self, index: u64, depth: u16) {
        self.depths[index as usize].store(depth.min(NONE - 1), Ordering::Relaxed);
    }

    /// Notes the depth of all places from `first` on that have a win or loss bit and no depth yet.
    fn note(&self, first: u64, depth: u16, (win, loss): (&[u64], &[u64]), seen: &mut [u64]) {
        for (i, seen) in seen.iter_mut().enumerate() {
            let mut new = (win[i] | loss[i]) & !*seen;
            *seen |= new;
            while new != 0 {
                self.set(first + 64 * i as u64 + u64::from(new.trailing_zeros()), depth);
                new &= new - 1;
            }
        }
    }
}

/// The bytes that finding and writing the depths of a slice and its twin takes besides the values.
pub(crate) fn memory(board: &draughtproof_game::Board, slice: Slice) -> u64 {
    let tables = if slice == slice.twin() { 1 } else { 2 };
    // Two bytes each, at most one in the file, and what solving takes, with a plane more.
    slice.indices(board) * (2 * tables + 1) + Builder::work(board, slice) / 7 * 8
}

/// The depths of a slice and of its twin, if that is another one. All that [`Builder::needs`] names for
/// them must be in memory, and both slices.
pub(crate) fn depths(builder: &Builder, slice: Slice) -> Vec<DepthTable> {
    let shared = builder.shared();
    let board = shared.board;
    let table = |slice: Slice| DepthTable::new(slice, slice.indices(board));
    let symmetric = slice == slice.twin();
    let mut tables = vec![table(slice)];
    if !symmetric {
        tables.push(table(slice.twin()));
    }
    let enemy_men: Vec<u32> = sets(board.man_squares(), slice.enemy_men).collect();
    let parts: Vec<(u32, &[u32])> = sets(board.man_squares(), slice.men)
        .flat_map(|men| enemy_men.chunks(UNIT).map(move |part| (men, part)))
        .collect();
    let play = |rounds: &mut Rounds, &(men, part): &(u32, &[u32])| {
        for &enemy_men in part {
            let overlap = men & turn(board, enemy_men) != 0;
            if !overlap && (!symmetric || men <= enemy_men) {
                rounds.play(&shared, slice, (men, enemy_men), &tables);
            }
        }
    };
    let (rows, columns) = slice.block_size(board);
    if rows * columns > 64 * PARALLEL_WORDS as u64 {
        // Their rows are spread over the threads.
        let mut rounds = Rounds::default();
        parts.iter().for_each(|part| play(&mut rounds, part));
    } else {
        parts.par_iter().for_each_init(Rounds::default, |rounds, part| play(rounds, part));
    }
    tables
}

/// A block with its working memory.
#[derive(Default)]
struct Side {
    half: Half,
    /// In rows as those of the transpose, which places have their depth.
    seen: Vec<u64>,
}

impl Side {
    /// Round 0: the losses without a move.
    fn start(&mut self, block: &Block<'_>, scratch: &mut Scratch) {
        self.half.prepare(block, scratch);
        let Half { fixed, values, changed, transpose, .. } = &mut self.half;
        let (words, stride) = (block.columns.words, values.stride());
        for (row, out) in values.bits_mut().chunks_mut(stride).enumerate() {
            let quiet = &fixed[(3 * row + 2) * words..][..words];
            block.stuck_row(row, quiet, &mut out[words..]);
        }
        changed.fill(true);
        self.seen.clear();
        self.seen.resize(block.columns.sets.len() * transpose.stride() / 2, 0);
    }

    /// Ends a round: says whether it found anything, and notes what.
    fn finish(&mut self, block: &Block<'_>, depth: u16, table: &DepthTable) -> bool {
        let some = self.half.transpose();
        let Side { half, seen } = self;
        let (words, first) = (block.rows.words, block.first_index());
        let note = |(row, seen): (usize, &mut [u64])| {
            if half.transpose_changed[row] {
                let index = first + (row * block.rows.sets.len()) as u64;
                table.note(index, depth, half.transpose.row(row), seen);
            }
        };
        if half.transpose.is_large() {
            seen.par_chunks_mut(words).enumerate().for_each(note);
        } else {
            seen.chunks_mut(words).enumerate().for_each(note);
        }
        some
    }
}

/// Finds the depths of pairs of blocks, reusing its memory.
#[derive(Default)]
struct Rounds {
    here: Side,
    there: Side,
    kingless: Kingless,
    row: Vec<u64>,
    stuck: Vec<u64>,
    scratch: Scratch,
}

impl Rounds {
    /// The block of `slice` with these men (the mover's and the opponent's, each seen by itself), and its
    /// twin. A block that is its own twin is gone through twice; there are few.
    fn play(
        &mut self,
        shared: &Shared<'_>,
        slice: Slice,
        (men, enemy_men): (u32, u32),
        tables: &[DepthTable],
    ) {
        let here = Block::new(shared, slice, men, enemy_men);
        let there = Block::new(shared, slice.twin(), enemy_men, men);
        let (mine, theirs) = (&tables[0], tables.last().unwrap_or(&tables[0]));
        match (slice.kings, slice.enemy_kings) {
            (0, _) => self.play_kingless((&there, theirs), (&here, mine)),
            (_, 0) => self.play_kingless((&here, mine), (&there, theirs)),
            _ => self.play_kings((&here, mine), (&there, theirs)),
        }
    }

    /// Both sides have kings.
    fn play_kings(
        &mut self,
        (here, mine): (&Block<'_>, &DepthTable),
        (there, theirs): (&Block<'_>, &DepthTable),
    ) {
        let Rounds { here: h, there: t, scratch, .. } = self;
        h.start(here, scratch);
        t.start(there, scratch);
        h.finish(here, 0, mine);
        t.finish(there, 0, theirs);
        let mut depth = 1u16;
        loop {
            // Both look at the round before; in the first all rows are due.
            let value = |half: &mut Half, block: &Block<'_>, twin: &Matrix, changed: &[bool]| {
                half.value(block, twin, (depth > 1).then_some(changed));
            };
            value(&mut h.half, here, &t.half.transpose, &t.half.transpose_changed);
            value(&mut t.half, there, &h.half.transpose, &h.half.transpose_changed);
            let found = h.finish(here, depth, mine);
            if !t.finish(there, depth, theirs) && !found {
                break;
            }
            depth = depth.saturating_add(1);
        }
    }

    /// One side has no kings: there are no circles, and no depths beyond 2.
    fn play_kingless(
        &mut self,
        (with, with_table): (&Block<'_>, &DepthTable),
        (without, table): (&Block<'_>, &DepthTable),
    ) {
        self.play_men(without, table);
        if with.rows.kings == 0 {
            self.play_men(with, with_table);
            return;
        }
        let words = without.columns.words;
        let (win, loss) = (&self.row[..words], &self.row[words..2 * words]);
        let mut seen = vec![0; words];
        let (first, stuck) = (with.first_index(), &self.stuck);
        self.kingless.rounds(with, (win, loss), stuck, |depth, win, loss| {
            with_table.note(first, depth, (win, loss), &mut seen);
        });
    }

    /// The mover has no kings: every move converts.
    fn play_men(&mut self, block: &Block<'_>, table: &DepthTable) {
        block.only_row(&mut self.row, &mut self.scratch);
        let words = block.columns.words;
        let (values, quiet) = self.row.split_at(2 * words);
        self.stuck.resize(words, 0);
        block.stuck_row(0, quiet, &mut self.stuck);
        let (first, mut seen) = (block.first_index(), vec![0; words]);
        table.note(first, 0, (&self.stuck, &self.stuck), &mut seen);
        table.note(first, 1, values.split_at(words), &mut seen);
    }
}
