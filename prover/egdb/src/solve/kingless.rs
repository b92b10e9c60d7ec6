//! Blocks against an opponent without kings.
//!
//! Such a block has a single column: its rows would be one bit wide. So it is solved in the
//! transposed form, as one row with a bit for each set of the mover's kings. Man moves and captures
//! by men still lead from row to row; where a king moves, the sets are renumbered. The twin, in
//! which the side without kings moves, has no king move and does not depend on this block: one pass
//! values both.

use super::block::{Block, Jump, Shared, and, and_not, or, play_out};
use crate::index::sets::{KingSets, renumber, squares};
use crate::index::slice::{Slice, compose};

/// Rows of bits over the sets of the mover's kings.
#[derive(Default)]
pub(crate) struct Kingless {
    /// The certain wins, and in the end all wins.
    pub(crate) win: Vec<u64>,
    /// The losses so far, and in the end all losses.
    pub(crate) loss: Vec<u64>,
    legal: Vec<u64>,
    captures: Vec<u64>,
    chains: Vec<u64>,
    mask: Vec<u64>,
    next_win: Vec<u64>,
    next_loss: Vec<u64>,
    other_win: Vec<u64>,
    other_loss: Vec<u64>,
    jumps: Vec<Jump>,
}

impl Kingless {
    /// Values the block; `twin` has the win and loss bits of its twin over the same sets.
    pub(crate) fn value(&mut self, block: &Block<'_>, twin: (&[u64], &[u64])) {
        self.prepare(block);
        self.play_kings(block, twin);
    }

    /// Values the block by finished blocks only; `legal` gets the positions without a capture.
    fn prepare(&mut self, block: &Block<'_>) {
        self.play_captures(block);
        // From here on `legal` has the positions without a capture.
        let captures = std::mem::take(&mut self.captures);
        and_not(&mut self.legal, &captures);
        self.captures = captures;
        or(&mut self.loss, &self.legal);
        self.play_men(block);
    }

    /// Finds the wins and losses of at most each depth, 0 to 2, and passes them to `see`. All
    /// positions of the twin have depth 1, except those without a move, `stuck`.
    pub(crate) fn rounds(
        &mut self,
        block: &Block<'_>,
        twin: (&[u64], &[u64]),
        stuck: &[u64],
        mut see: impl FnMut(u16, &[u64], &[u64]),
    ) {
        self.prepare(block);
        let mut losses = self.loss.clone();
        let none = vec![0; losses.len()];
        self.play_kings(block, (&none, stuck));
        // A loss so far has no king move; without a move of a man it has no move at all.
        self.mask.copy_from_slice(&self.loss);
        and(&mut self.mask, &self.legal);
        for (_, to) in man_moves(block) {
            and(&mut self.mask, block.rows.occupied(to));
        }
        see(0, &none, &self.mask);
        see(1, &self.win, &self.loss);
        and_not(&mut losses, &self.win);
        self.loss = losses;
        self.play_kings(block, twin);
        see(2, &self.win, &self.loss);
    }

    pub(crate) fn play_captures(&mut self, block: &Block<'_>) {
        let words = block.rows.words;
        for row in [
            &mut self.win,
            &mut self.loss,
            &mut self.legal,
            &mut self.captures,
            &mut self.chains,
            &mut self.mask,
            &mut self.next_win,
            &mut self.next_loss,
        ] {
            row.clear();
            row.resize(words, 0);
        }
        let stands = block.men | block.foes;
        self.legal.copy_from_slice(&block.rows.all);
        for square in squares(stands) {
            and_not(&mut self.legal, block.rows.occupied(square));
        }
        self.find_jumps(block);
        self.loss.copy_from_slice(&self.captures);
        and_not(&mut self.loss, &self.chains);
        for i in 0..self.jumps.len() {
            self.play_jump(block, self.jumps[i]);
        }
        let position = |kings: usize| {
            compose(block.shared.board, block.men, block.rows.sets[kings], block.enemy_men, 0)
        };
        let values = (&mut self.win[..], &mut self.loss[..]);
        play_out(block.shared, &self.chains, position, values);
    }

    /// Clears in `mask` the sets with which the piece on `from` cannot go to `to`.
    fn keep_move(&mut self, block: &Block<'_>, from: u8, to: u8) {
        if block.men >> from & 1 == 0 {
            and(&mut self.mask, block.rows.occupied(from));
        }
        if from != to {
            and_not(&mut self.mask, block.rows.occupied(to));
        }
    }

    fn find_jumps(&mut self, block: &Block<'_>) {
        self.jumps.clear();
        let board = block.shared.board;
        let stands = block.men | block.foes;
        for over in squares(block.foes) {
            for direction in 0..4 {
                // Direction 3 − d is the opposite of d.
                let ends = (board.step(over, 3 - direction), board.step(over, direction));
                let (Some(from), Some(to)) = ends else { continue };
                let is_man = block.men >> from & 1 == 1;
                let may = block.foes >> from & 1 == 0 && stands >> to & 1 == 0;
                if !may || is_man && direction >= 2 {
                    continue;
                }
                let jump = Jump { from, over, to };
                let directions = if is_man { 2 } else { 4 };
                self.mask.copy_from_slice(&self.legal);
                self.keep_move(block, from, jump.to);
                if self.mask.iter().all(|&w| w == 0) {
                    continue;
                }
                or(&mut self.captures, &self.mask);
                self.jumps.push(jump);
                if is_man && block.is_crowned(jump.to) {
                    continue;
                }
                // Whether a second jump is possible from the square on which the piece has landed.
                let left = stands & !(1 << from);
                for direction in 0..directions {
                    let next = block.jump_over_man(jump.to, direction, left);
                    let Some(next) = next.filter(|next| next.over != jump.over) else { continue };
                    for i in 0..self.mask.len() {
                        let blocked =
                            if next.to == from { 0 } else { block.rows.occupied(next.to)[i] };
                        self.chains[i] |= self.mask[i] & !blocked;
                    }
                }
            }
        }
    }

    /// Plays a jump with all sets with which no capture can go on.
    fn play_jump(&mut self, block: &Block<'_>, jump: Jump) {
        self.mask.copy_from_slice(&self.legal);
        and_not(&mut self.mask, &self.chains);
        self.keep_move(block, jump.from, jump.to);
        let enemy_men = block.without_foe(jump.over);
        if enemy_men == 0 {
            or(&mut self.win, &self.mask);
            and_not(&mut self.loss, &self.mask);
            return;
        }
        self.read(block, jump.from, jump.to, enemy_men);
        self.apply();
    }

    /// Reads the values after a man or king has gone `from` → `to` from a finished block.
    fn read(&mut self, block: &Block<'_>, from: u8, to: u8, enemy_men: u32) {
        let bit = |square: u8| 1u32 << square;
        let is_man = block.men & bit(from) != 0;
        let crowned = is_man && block.is_crowned(to);
        let men = match (is_man, crowned) {
            (false, _) => block.men,
            (true, true) => block.men & !bit(from),
            (true, false) => block.men & !bit(from) | bit(to),
        };
        if is_man && !crowned {
            let out = (&mut self.next_win, &mut self.next_loss);
            read_row(block.shared, men, block.rows, enemy_men, out);
            return;
        }
        let here = block.rows;
        let kings = if crowned { block.shared.kings.of(here.kings + 1) } else { here };
        for row in [&mut self.other_win, &mut self.other_loss] {
            row.clear();
            row.resize(kings.words, 0);
        }
        let out = (&mut self.other_win, &mut self.other_loss);
        read_row(block.shared, men, kings, enemy_men, out);
        // Maps the sets with a king on its target square to those with it on its origin, if the
        // piece was a king.
        let (arrived, gone) = (kings.occupied(to), kings.occupied(from));
        let (none, start) = (here.occupied(to), here.occupied(from));
        let pairs =
            [(&self.other_win, &mut self.next_win), (&self.other_loss, &mut self.next_loss)];
        for (other, next) in pairs {
            if crowned {
                renumber(other, |i| arrived[i], next, |i| here.all[i] & !none[i]);
            } else {
                renumber(other, |i| arrived[i] & !gone[i], next, |i| start[i] & !none[i]);
            }
        }
    }

    /// Applies a move of the positions in `mask` to the values in `next_win` and `next_loss`.
    fn apply(&mut self) {
        for i in 0..self.mask.len() {
            self.win[i] |= self.mask[i] & self.next_loss[i];
            self.loss[i] &= !self.mask[i] | self.next_win[i];
        }
    }

    fn play_men(&mut self, block: &Block<'_>) {
        for (from, to) in man_moves(block) {
            self.mask.copy_from_slice(&self.legal);
            self.keep_move(block, from, to);
            self.read(block, from, to, block.enemy_men);
            self.apply();
        }
    }

    /// Plays the king moves of each set separately: its steps are a short list for any number of
    /// sets.
    fn play_kings(&mut self, block: &Block<'_>, (twin_win, twin_loss): (&[u64], &[u64])) {
        let stands = block.men | block.foes;
        for i in 0..self.legal.len() {
            let mut left = self.legal[i] & !self.win[i];
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let (mut some_loss, mut all_wins) = (0, 1);
                for step in block.rows.steps(64 * i + bit as usize) {
                    if stands >> step.to & 1 == 0 {
                        let (word, shift) = (step.set as usize / 64, step.set % 64);
                        some_loss |= twin_loss[word] >> shift & 1;
                        all_wins &= twin_win[word] >> shift & 1;
                    }
                }
                self.win[i] |= some_loss << bit;
                self.loss[i] &= !((all_wins ^ 1) << bit);
            }
        }
    }
}

/// The moves of the mover's men, (from, to), as far as the men of both sides allow them.
fn man_moves(block: &Block<'_>) -> impl Iterator<Item = (u8, u8)> {
    let Block { men, foes, shared, .. } = *block;
    let moves = move |from| (0..2).filter_map(move |d| Some((from, shared.board.step(from, d)?)));
    squares(men).flat_map(moves).filter(move |(_, to)| (men | foes) >> to & 1 == 0)
}

/// The values with the opponent to move, over all sets of the mover's kings.
fn read_row(
    shared: &Shared<'_>,
    men: u32,
    kings: &KingSets,
    enemy_men: u32,
    (win, loss): (&mut Vec<u64>, &mut Vec<u64>),
) {
    let count = |set: u32| set.count_ones() as u8;
    let slice = Slice::new(count(enemy_men), 0, count(men), kings.kings);
    let index = slice.row_index(shared.board, enemy_men, men, kings.sets[0]);
    shared.tables.get(slice).read(index, kings.sets.len(), win, loss);
}
