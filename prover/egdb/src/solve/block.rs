//! The rows of a block.
//!
//! The men of a block are fixed; only its kings vary. A block of a slice, as the side to move sees
//! it, is a matrix with a row for each set of its kings and a column for each set of the
//! opponent's. A king move leads to the twin block (equal men, the other side to move), where rows
//! and columns are exchanged, so a row here corresponds to a row of the twin's transpose. Captures,
//! crownings and man moves lead to blocks with fewer pieces, with fewer men or with men further on,
//! which are all finished; the tables store those with the mover's sets as columns, so that a row
//! here again corresponds to a row there. All columns of a row are then valued at once; only
//! positions in which a capture can go on with a second jump are played out one by one.

use super::matrix::{LINE, Matrix};
use crate::index::sets::{KingSets, LazyKingSets, rank, renumber, squares};
use crate::index::slice::{Slice, compose, locate, turn};
use crate::values::resident::Tables;
use crate::values::table::{Table, Value};
use draughtproof_game::{Board, Position};

/// The data that all blocks share.
pub struct Shared<'a> {
    pub board: &'a Board,
    /// The sets of 0, 1, 2, … kings.
    pub kings: &'a LazyKingSets,
    /// The tables of all finished slices.
    pub tables: &'a Tables,
}

/// A block: a slice, and the men of both sides, each as their owner sees them.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) slice: Slice,
    pub(crate) men: u32,
    pub(crate) enemy_men: u32,
    /// The opponent's men as the mover sees them.
    pub(crate) foes: u32,
    /// The sets of the mover's kings.
    pub(crate) rows: &'a KingSets,
    /// The sets of the opponent's kings.
    pub(crate) columns: &'a KingSets,
}

/// Working memory for one row of a block, as rows of bits.
#[derive(Default)]
pub(crate) struct Scratch {
    legal: Vec<u64>,
    captures: Vec<u64>,
    chains: Vec<u64>,
    one: Vec<u64>,
    win: Vec<u64>,
    loss: Vec<u64>,
    narrow_win: Vec<u64>,
    narrow_loss: Vec<u64>,
    jumps: Vec<Jump>,
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

/// A move of a man, as far as it is common to all rows of a block.
pub(crate) struct ManMove<'a> {
    to: u8,
    is_crowned: bool,
    /// The table that the move leads to, and the index of its row for the first set of kings.
    table: &'a Table,
    first: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct Jump {
    pub(crate) from: u8,
    pub(crate) over: u8,
    pub(crate) to: u8,
}

pub(crate) fn and(row: &mut [u64], with: &[u64]) {
    row.iter_mut().zip(with).for_each(|(r, w)| *r &= w);
}

pub(crate) fn and_not(row: &mut [u64], with: &[u64]) {
    row.iter_mut().zip(with).for_each(|(r, w)| *r &= !w);
}

pub(crate) fn or(row: &mut [u64], with: &[u64]) {
    row.iter_mut().zip(with).for_each(|(r, w)| *r |= w);
}

impl<'a> Block<'a> {
    pub(crate) fn new(shared: &'a Shared<'a>, slice: Slice, men: u32, enemy_men: u32) -> Self {
        Block {
            shared,
            slice,
            men,
            enemy_men,
            foes: turn(shared.board, enemy_men),
            rows: shared.kings.of(slice.kings),
            columns: shared.kings.of(slice.enemy_kings),
        }
    }

    /// The columns in which a king of the opponent stands on a square, numbered by the mover.
    fn occupied(&self, square: u8) -> &'a [u64] {
        self.columns.occupied(self.shared.board.squares() - 1 - square)
    }

    /// Fills a row of `fixed` by the values of finished blocks. Its words are: certain wins; losses
    /// unless a king move saves them; positions without a capture, in which king moves count.
    pub(crate) fn prepare_row(
        &self,
        row: usize,
        moves: &[ManMove<'_>],
        out: &mut [u64],
        scratch: &mut Scratch,
    ) {
        let words = self.columns.words;
        let kings = self.rows.sets[row];
        out.fill(0);
        if kings & (self.men | self.foes) != 0 {
            return;
        }
        let (wins, out) = out.split_at_mut(words);
        let (losses, quiet) = out.split_at_mut(words);
        self.play_captures(row, (wins, losses), scratch);
        quiet.copy_from_slice(&scratch.legal);
        and_not(quiet, &scratch.captures);
        or(losses, quiet);
        self.play_men(row, moves, (wins, losses), quiet, scratch);
    }

    /// The wins and losses among the positions of a row in which there is a capture; other places
    /// do not change.
    pub(crate) fn play_captures(
        &self,
        row: usize,
        (wins, losses): (&mut [u64], &mut [u64]),
        scratch: &mut Scratch,
    ) {
        let kings = self.rows.sets[row];
        let own = self.men | kings;
        scratch.reset(self.columns.words);
        if own & self.foes != 0 || kings & self.men != 0 {
            return;
        }

        scratch.legal.copy_from_slice(&self.columns.all);
        for square in squares(own | self.foes) {
            and_not(&mut scratch.legal, self.occupied(square));
        }
        self.find_jumps(own, kings, scratch);

        // Positions with a capture: single jumps for all columns at once, other captures one by
        // one.
        losses.copy_from_slice(&scratch.captures);
        and_not(losses, &scratch.chains);
        for i in 0..scratch.jumps.len() {
            self.play_jump(scratch.jumps[i], kings, wins, losses, scratch);
        }
        let Scratch { chains, .. } = scratch;
        let position = |column: usize| {
            let theirs = self.columns.sets[column];
            compose(self.shared.board, self.men, kings, self.enemy_men, theirs)
        };
        play_out(self.shared, chains, position, (wins, losses));
    }

    /// Finds all first jumps, the columns with a capture, and those in which a capture can go on.
    fn find_jumps(&self, own: u32, kings: u32, scratch: &mut Scratch) {
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
    }

    /// The jump from a square in a direction, if the mover's pieces and all men allow it.
    fn jump(&self, from: u8, direction: usize, own: u32, blocked: u32) -> Option<Jump> {
        let over = self.shared.board.step(from, direction)?;
        let to = self.shared.board.step(over, direction)?;
        (own >> over & 1 == 0 && blocked >> to & 1 == 0).then_some(Jump { from, over, to })
    }

    /// The jump over a man of the opponent, if `stands`, all men, allow it.
    pub(crate) fn jump_over_man(&self, from: u8, direction: usize, stands: u32) -> Option<Jump> {
        let jump = self.jump(from, direction, 0, stands)?;
        (self.foes >> jump.over & 1 == 1).then_some(jump)
    }

    /// The opponent's men, as it sees them, without the one on a square as the mover sees it.
    pub(crate) fn without_foe(&self, square: u8) -> u32 {
        self.enemy_men & !turn(self.shared.board, 1 << square)
    }

    /// Clears the columns in which there is nothing to jump over or no empty square behind it.
    fn keep_jump(&self, jump: Jump, row: &mut [u64]) {
        and_not(row, self.occupied(jump.to));
        if self.foes >> jump.over & 1 == 0 {
            and(row, self.occupied(jump.over));
        }
    }

    pub(crate) fn is_crowned(&self, square: u8) -> bool {
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
        kings: u32,
        wins: &mut [u64],
        losses: &mut [u64],
        scratch: &mut Scratch,
    ) {
        let Scratch { legal, chains, one, win, loss, narrow_win, narrow_loss, .. } = scratch;
        one.copy_from_slice(legal);
        and_not(one, chains);
        self.keep_jump(jump, one);
        let after = self.moved(jump.from, jump.to, kings);
        let board = self.shared.board;
        if self.foes >> jump.over & 1 == 1 {
            let enemy_men = self.without_foe(jump.over);
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
            let fewer = self.shared.kings.of(self.columns.kings - 1);
            for row in [&mut *narrow_win, &mut *narrow_loss] {
                row.clear();
                row.resize(fewer.words, 0);
            }
            self.read_row(after, self.enemy_men, fewer, narrow_win, narrow_loss);
            let over = board.squares() - 1 - jump.over;
            let (gone, there) = (fewer.occupied(over), self.columns.occupied(over));
            for (narrow, wide) in [(narrow_win, &mut *win), (narrow_loss, &mut *loss)] {
                renumber(narrow, |i| fewer.all[i] & !gone[i], wide, |i| there[i]);
            }
        }
        // A loss of the opponent is a win; a move that is not a win of the opponent refutes a loss.
        for i in 0..one.len() {
            wins[i] |= one[i] & loss[i];
            losses[i] &= !one[i] | win[i];
        }
    }

    /// The moves of men to squares without a man.
    pub(crate) fn man_moves(&self) -> Vec<ManMove<'a>> {
        let board = self.shared.board;
        let count = |set: u32| set.count_ones() as u8;
        let mut moves = Vec::with_capacity(2 * usize::from(self.slice.men));
        for from in squares(self.men) {
            for to in (0..2).filter_map(|direction| board.step(from, direction)) {
                if (self.men | self.foes) >> to & 1 == 1 {
                    continue;
                }
                let is_crowned = self.is_crowned(to);
                let left = self.men & !(1 << from);
                let men = if is_crowned { left } else { left | 1 << to };
                let kings = self.rows.kings + u8::from(is_crowned);
                let theirs = count(self.enemy_men);
                let slice = Slice::new(theirs, self.columns.kings, count(men), kings);
                // The set of the lowest squares is the first set.
                let first = slice.row_index(board, self.enemy_men, men, (1 << kings) - 1);
                let table = self.shared.tables.get(slice);
                moves.push(ManMove { to, is_crowned, table, first });
            }
        }
        moves
    }

    /// Plays the moves of men in the columns of `quiet`.
    fn play_men(
        &self,
        row: usize,
        moves: &[ManMove<'_>],
        (wins, losses): (&mut [u64], &mut [u64]),
        quiet: &[u64],
        scratch: &mut Scratch,
    ) {
        let Scratch { win, loss, .. } = scratch;
        let kings = self.rows.sets[row];
        let columns = self.columns.sets.len();
        for &ManMove { to, is_crowned, table, first } in moves {
            if kings >> to & 1 == 1 {
                continue;
            }
            let row = if is_crowned { rank(kings | 1 << to) } else { row as u64 };
            table.read(first + row * columns as u64, columns, win, loss);
            let blocked = self.occupied(to);
            for i in 0..quiet.len() {
                wins[i] |= quiet[i] & loss[i];
                losses[i] &= !quiet[i] | win[i] | blocked[i];
            }
        }
    }

    /// The positions of a row in which there is no move, among those in `quiet`, which have no
    /// capture.
    pub(crate) fn stuck_row(&self, row: usize, quiet: &[u64], out: &mut [u64]) {
        let own = self.men | self.rows.sets[row];
        out.copy_from_slice(quiet);
        for from in squares(self.men) {
            for to in (0..2).filter_map(|direction| self.shared.board.step(from, direction)) {
                if (own | self.foes) >> to & 1 == 0 {
                    and(out, self.occupied(to));
                }
            }
        }
        for step in self.rows.steps(row) {
            if (self.men | self.foes) >> step.to & 1 == 0 {
                and(out, self.occupied(step.to));
            }
        }
    }

    /// The only row of a block whose mover has no kings, which is final: see
    /// [`Block::prepare_row`].
    pub(crate) fn only_row(&self, row: &mut Vec<u64>, scratch: &mut Scratch) {
        row.clear();
        row.resize(3 * self.columns.words, 0);
        self.prepare_row(0, &self.man_moves(), row, scratch);
    }

    pub(crate) fn first_index(&self) -> u64 {
        let first = self.columns.sets[0];
        self.slice.row_index(self.shared.board, self.men, self.enemy_men, first)
    }

    /// Values a row from its fixed values and from the transpose of the twin. Returns whether it
    /// changed.
    pub(crate) fn value_row(
        &self,
        row: usize,
        fixed: &[u64],
        twin: &Matrix,
        out: &mut [u64],
    ) -> bool {
        let words = self.columns.words;
        let (fixed_win, rest) = fixed.split_at(words);
        let (fixed_loss, quiet) = rest.split_at(words);
        let (win, loss) = out.split_at_mut(words);
        let stands = self.men | self.foes;
        let steps = self.rows.steps(row).iter().filter(|step| stands >> step.to & 1 == 0);
        let mut changed = false;
        // All moves are applied to a line of the cache before the next line.
        for first in (0..words).step_by(LINE) {
            let line = first..words.min(first + LINE);
            let (mut some_loss, mut all_wins) = ([0; LINE], [u64::MAX; LINE]);
            if quiet[line.clone()].iter().any(|&quiet| quiet != 0) {
                for step in steps.clone() {
                    let (twin_win, twin_loss) = twin.row(step.set as usize);
                    let occupied = &self.occupied(step.to)[line.clone()];
                    let losses = twin_loss[line.clone()].iter().zip(&mut some_loss);
                    losses.for_each(|(loss, some)| *some |= loss);
                    let wins = twin_win[line.clone()].iter().zip(occupied).zip(&mut all_wins);
                    wins.for_each(|((win, occupied), all)| *all &= win | occupied);
                }
            }
            for (i, (some_loss, all_wins)) in line.zip(some_loss.into_iter().zip(all_wins)) {
                let wins = fixed_win[i] | quiet[i] & some_loss;
                let losses = fixed_loss[i] & (!quiet[i] | all_wins);
                changed |= win[i] != wins || loss[i] != losses;
                (win[i], loss[i]) = (wins, losses);
            }
        }
        changed
    }
}

/// Values the positions of a row in which a capture can go on, one by one.
pub(crate) fn play_out(
    shared: &Shared<'_>,
    chains: &[u64],
    position: impl Fn(usize) -> Position,
    (wins, losses): (&mut [u64], &mut [u64]),
) {
    for (i, &chains) in chains.iter().enumerate() {
        let mut left = chains;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            left ^= bit;
            let at = 64 * i + bit.trailing_zeros() as usize;
            match value_after(shared, &position(at)) {
                Value::Win => wins[i] |= bit,
                Value::Loss => losses[i] |= bit,
                Value::Draw => {}
            }
        }
    }
}

/// The value of a position whose moves all lead to finished blocks, move by move.
pub(crate) fn value_after(shared: &Shared<'_>, position: &Position) -> Value {
    let mut value = Value::Loss;
    shared.board.for_each_successor(position, |p| {
        let after = if p.both_sides() {
            let (slice, index) = locate(shared.board, &p);
            shared.tables.get(slice).value(index)
        } else {
            Value::Loss
        };
        value = value.max(after.reversed());
    });
    value
}
