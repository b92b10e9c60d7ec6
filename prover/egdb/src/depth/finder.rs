//! Finds depths that are not stored, while a game is played.
//!
//! Until the next conversion a game stays within one block and its twin, since no man moves. The
//! rounds of that pair alone give the depths of all its positions, some of which every following
//! move needs; therefore pairs are kept.

use super::rounds::{DepthTable, KingRounds, Rounds};
use crate::index::sets::{LazyKingSets, binomial, unrank};
use crate::index::slice::{Slice, locate};
use crate::solve::block::{Block, Shared};
use crate::solve::builder::Builder;
use crate::values::resident::Values;
use draughtproof_game::{Board, Position};

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
