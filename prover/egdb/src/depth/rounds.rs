//! Finds the depths of a slice and its twin.
//!
//! The values are known and are found once more, in rounds: round k finds the wins and losses of at
//! most depth k from those of round k − 1. A move that leaves a block and its twin is a conversion,
//! so blocks can be treated in any order.
//!
//! Finds depths that are not stored, while a game is played.
//!
//! Until the next conversion a game stays within one block and its twin, since no man moves. The
//! rounds of that pair alone give the depths of all its positions, some of which every following
//! move needs; therefore pairs are kept.

use crate::index::sets::{LazyKingSets, binomial, sets, unrank};
use crate::index::slice::{Slice, locate, turn};
use crate::solve::block::{Block, Scratch, Shared};
use crate::solve::builder::{BLOCKS_PER_TASK, Builder};
use crate::solve::kingless::Kingless;
use crate::solve::matrix::{Matrix, PARALLEL_WORDS};
use crate::solve::pair::Half;
use crate::values::resident::Values;
use draughtproof_game::{Board, Position};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU16, Ordering};

/// The bytes that finding and writing the depths of a slice and its twin takes, besides the values.
pub(crate) fn memory(board: &draughtproof_game::Board, slice: Slice) -> u64 {
    let tables = if slice == slice.twin() { 1 } else { 2 };
    // Two bytes a depth in the tables, at most one in the file, and the memory of solving with one
    // plane more.
    slice.indices(board) * (2 * tables + 1) + Builder::work(board, slice) / 7 * 8
}

/// The depths of a slice and of its twin, if that is another slice. Both slices and all that
/// [`Builder::needs`] names for them must be in memory.
pub(crate) fn depths(builder: &Builder, slice: Slice) -> Vec<DepthTable> {
    let shared = builder.shared();
    let board = shared.board;
    let table = |slice: Slice| DepthTable::new(slice, 0, slice.indices(board));
    let symmetric = slice == slice.twin();
    let mut tables = vec![table(slice)];
    if !symmetric {
        tables.push(table(slice.twin()));
    }
    let enemy_men: Vec<u32> = sets(board.man_squares(), slice.enemy_men).collect();
    let parts: Vec<(u32, &[u32])> = sets(board.man_squares(), slice.men)
        .flat_map(|men| enemy_men.chunks(BLOCKS_PER_TASK).map(move |part| (men, part)))
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
        // The rows of large blocks are spread over the threads, so blocks come one by one.
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
    /// The places whose depth is known, in rows as those of the transpose.
    seen: Vec<u64>,
}

impl Side {
    /// Plays round 0: the losses without a move.
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

    /// Ends a round: notes the depths that it found, and returns whether there were any.
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

/// A block with the table that its depths go into.
type Target<'a> = (&'a Block<'a>, &'a DepthTable);

/// The rounds of a block and its twin in which both sides have kings.
#[derive(Default)]
struct KingRounds {
    here: Side,
    there: Side,
    scratch: Scratch,
    /// The last round that was played.
    depth: u16,
}

impl KingRounds {
    /// Plays round 0.
    fn start(&mut self, (here, mine): Target<'_>, (there, theirs): Target<'_>) {
        let KingRounds { here: h, there: t, scratch, depth } = self;
        h.start(here, scratch);
        t.start(there, scratch);
        h.finish(here, 0, mine);
        t.finish(there, 0, theirs);
        *depth = 0;
    }

    /// Plays the next round. Returns whether it found any depth; if not, all are found.
    fn advance(&mut self, (here, mine): Target<'_>, (there, theirs): Target<'_>) -> bool {
        let KingRounds { here: h, there: t, depth, .. } = self;
        // Both blocks use the round before; in the first round all rows are due.
        let is_first = *depth == 0;
        let value = |half: &mut Half, block: &Block<'_>, twin: &Matrix, changed: &[bool]| {
            half.value(block, twin, (!is_first).then_some(changed));
        };
        value(&mut h.half, here, &t.half.transpose, &t.half.transpose_changed);
        value(&mut t.half, there, &h.half.transpose, &h.half.transpose_changed);
        *depth = depth.saturating_add(1);
        let found = h.finish(here, *depth, mine);
        t.finish(there, *depth, theirs) || found
    }
}

/// Finds the depths of pairs of blocks, reusing its memory.
#[derive(Default)]
struct Rounds {
    kings: KingRounds,
    kingless: Kingless,
    row: Vec<u64>,
    stuck: Vec<u64>,
    scratch: Scratch,
}

impl Rounds {
    /// Plays the rounds of the block of `slice` with these men (the mover's and the opponent's,
    /// each as their owner sees them), and of its twin. A block that is its own twin is treated
    /// twice; there are few.
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
        if slice.kings == 0 || slice.enemy_kings == 0 {
            self.play_kingless((&here, mine), (&there, theirs));
        } else {
            self.kings.start((&here, mine), (&there, theirs));
            while self.kings.advance((&here, mine), (&there, theirs)) {}
        }
    }

    /// A side has no kings, so there are no cycles, and no depths beyond 2.
    fn play_kingless(&mut self, here: Target<'_>, there: Target<'_>) {
        let ((with, with_table), (without, table)) =
            if here.0.rows.kings == 0 { (there, here) } else { (here, there) };
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

    /// The mover has no kings, so every move is a conversion.
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

/// The number that stands for no depth.
const NONE: u16 = u16::MAX;

/// The depths of a slice or of one of its blocks, in plies. Depths beyond 65534 count as 65534.
///
/// The depths are atomic, so that several threads can write blocks into one table. If a place is
/// written twice, both writes have an equal number.
pub(crate) struct DepthTable {
    pub(crate) slice: Slice,
    /// The first index of the table.
    first: u64,
    depths: Vec<AtomicU16>,
}

impl DepthTable {
    /// A table without depths, of `indices` indices from `first` on.
    pub(super) fn new(slice: Slice, first: u64, indices: u64) -> Self {
        let depths = (0..indices).map(|_| AtomicU16::new(NONE)).collect();
        DepthTable { slice, first, depths }
    }

    /// Whether the table has a place for an index of a slice.
    pub(super) fn has(&self, slice: Slice, index: u64) -> bool {
        let place = index.checked_sub(self.first);
        slice == self.slice && place.is_some_and(|place| place < self.depths.len() as u64)
    }

    fn place(&self, index: u64) -> &AtomicU16 {
        &self.depths[(index - self.first) as usize]
    }

    /// The depth at an index, if it is a win or a loss and was found.
    pub(super) fn get(&self, index: u64) -> Option<u16> {
        let depth = self.place(index).load(Ordering::Relaxed);
        (depth != NONE).then_some(depth)
    }

    /// The longest depth of all positions, including those with a capture; 0 if there are none.
    pub(super) fn longest(&self) -> u16 {
        let depths = self.depths.par_iter().map(|depth| depth.load(Ordering::Relaxed));
        depths.filter(|&depth| depth != NONE).max().unwrap_or(0)
    }

    pub(super) fn set(&self, index: u64, depth: u16) {
        self.place(index).store(depth.min(NONE - 1), Ordering::Relaxed);
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

/// Finds depths from the values of a database, block by block, and keeps them.
///
/// Only depths rest on the mapped tables that it reads, whose checksums it does not verify: a
/// damaged page can make a depth wrong, but no value.
pub struct DepthFinder {
    /// The most bytes that a pair of blocks, and all kept pairs together, may take.
    memory: u64,
    kings: Option<LazyKingSets>,
    /// The kept pairs, the one used last in front.
    pairs: Vec<Pair>,
}

impl DepthFinder {
    /// A finder that takes at most `memory` bytes, besides the numbering of sets of kings.
    pub fn new(memory: u64) -> Self {
        DepthFinder { memory, kings: None, pairs: Vec::new() }
    }

    /// The depth of a won or lost position in plies, as [`Depths::depth`](super::Depths::depth)
    /// defines it. Afterwards all smaller depths of positions with equal sets of men and numbers of
    /// kings are known ([`DepthFinder::known`]).
    ///
    /// `None` for a draw, where the needed values are not in memory or mapped, where it would take
    /// too much memory, and when `is_stopped` returns true; it is polled between rounds of some
    /// milliseconds. The next call goes on from there.
    pub fn depth(
        &mut self,
        values: &Values,
        position: &Position,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<u32> {
        if !position.both_sides() || !values.covers(position) {
            return None;
        }
        let (slice, index) = locate(&values.board, position);
        self.bring(values, slice, index, is_stopped)?;
        let pair = self.pairs.first_mut()?;
        let kings = self.kings.get_or_insert_with(|| LazyKingSets::new(&values.board));
        let shared = Shared { board: &values.board, kings, tables: &values.tables };
        while pair.get(slice, index).is_none() && !pair.is_finished() && !is_stopped() {
            pair.advance(&shared);
        }
        pair.get(slice, index)
    }

    /// The depth of a position, if it has been found already.
    pub fn known(&self, board: &Board, position: &Position) -> Option<u32> {
        if !position.both_sides() {
            return None;
        }
        let (slice, index) = locate(board, position);
        self.pairs.iter().find_map(|pair| pair.get(slice, index))
    }

    /// Puts the pair of an index in front; begins with the pair if it is new.
    fn bring(
        &mut self,
        values: &Values,
        slice: Slice,
        index: u64,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<()> {
        if let Some(at) = self.pairs.iter().position(|pair| pair.has(slice, index)) {
            self.pairs[..=at].rotate_right(1);
            return Some(());
        }
        let board = &values.board;
        let bytes = Pair::memory(board, slice);
        let has = |slice: Slice| values.table(slice).indices() > 0;
        let are_there = Builder::needs(slice).into_iter().chain([slice, slice.twin()]).all(has);
        if bytes > self.memory || !are_there || is_stopped() {
            return None;
        }
        let mut kept = bytes;
        self.pairs.retain(|pair| {
            kept += Pair::memory(board, pair.slice);
            kept <= self.memory
        });
        let kings = self.kings.get_or_insert_with(|| LazyKingSets::new(board));
        let shared = Shared { board, kings, tables: &values.tables };
        self.pairs.insert(0, Pair::new(&shared, slice, index));
        Some(())
    }
}

/// A block and its twin.
struct Pair {
    /// The slice, and the men of the mover and of the opponent, each as their owner sees them.
    slice: Slice,
    men: u32,
    enemy_men: u32,
    /// The depths of the block and of its twin.
    tables: [DepthTable; 2],
    /// The rounds that are still to be played; `None` if all are.
    rounds: Option<Box<KingRounds>>,
}

impl Pair {
    /// The bytes that a pair takes while its rounds are played: depths of two bytes, and eight
    /// planes of bits.
    fn memory(board: &Board, slice: Slice) -> u64 {
        let (rows, columns) = slice.block_size(board);
        2 * 3 * rows.max(64) * columns.max(64)
    }

    /// The pair of the block of an index, after round 0.
    fn new(shared: &Shared<'_>, slice: Slice, index: u64) -> Self {
        let (rows, columns) = slice.block_size(shared.board);
        let number = index / rows / columns;
        let theirs = binomial(shared.board.man_squares(), slice.enemy_men);
        let men = unrank(number / theirs, slice.men);
        let enemy_men = unrank(number % theirs, slice.enemy_men);
        let table = |slice: Slice, men, enemy_men| {
            let first = Block::new(shared, slice, men, enemy_men).first_index();
            DepthTable::new(slice, first, rows * columns)
        };
        let tables = [table(slice, men, enemy_men), table(slice.twin(), enemy_men, men)];
        let mut pair = Pair { slice, men, enemy_men, tables, rounds: None };
        let [here, there] = pair.blocks(shared);
        let targets = ((&here, &pair.tables[0]), (&there, &pair.tables[1]));
        if slice.kings == 0 || slice.enemy_kings == 0 {
            Rounds::default().play_kingless(targets.0, targets.1);
        } else {
            let mut rounds = Box::<KingRounds>::default();
            rounds.start(targets.0, targets.1);
            pair.rounds = Some(rounds);
        }
        pair
    }

    fn blocks<'a>(&self, shared: &'a Shared<'a>) -> [Block<'a>; 2] {
        let Pair { slice, men, enemy_men, .. } = *self;
        let here = Block::new(shared, slice, men, enemy_men);
        [here, Block::new(shared, slice.twin(), enemy_men, men)]
    }

    fn is_finished(&self) -> bool {
        self.rounds.is_none()
    }

    /// Plays a round.
    fn advance(&mut self, shared: &Shared<'_>) {
        let [here, there] = self.blocks(shared);
        let [mine, theirs] = &self.tables;
        let rounds = self.rounds.as_mut();
        if rounds.is_some_and(|rounds| !rounds.advance((&here, mine), (&there, theirs))) {
            self.rounds = None;
        }
    }

    fn has(&self, slice: Slice, index: u64) -> bool {
        self.tables.iter().any(|table| table.has(slice, index))
    }

    fn get(&self, slice: Slice, index: u64) -> Option<u32> {
        let table = self.tables.iter().find(|table| table.has(slice, index))?;
        table.get(index).map(u32::from)
    }
}
