//! One word: up to 64 positions with the same men, and with the same kings of one side. The other
//! side's kings *vary*: they are 64 sets with ranks in a row.
//!
//! Theorem: the moves of men and the jumps of kings lead from a word to few places, because a move
//! changes the men and the sets of kings alike in all positions in which it is possible. Where it
//! leaves the varying sets alone, it leads to a word of another row. Where it takes a king from
//! each set, or adds or moves one, each position's place in that row is counted anew.
//!
//! Enforces: what jumps and steps of men say; those of kings are in `operator.rs`. Trusts: the
//! values it looks up; the squares and ways of `rules.rs`, which says for all positions at once
//! which jumps there are; `numbering.rs`.

use crate::block::Block;
use crate::database::Database;
use crate::numbering::{rank, slice_of};
use crate::rules::{Jumper, Side, bits_in};
use certificate_spec::database::SliceName;

/// One side's kings, in the mover's view.
pub(crate) enum Kings<'a> {
    /// The same set in all positions.
    Same(u32),
    /// For each square, the positions in which there is a king.
    Vary(&'a [u64; 32]),
}

impl Kings<'_> {
    /// The positions in which there is one on a square (a mask with one bit).
    fn on(&self, square: u32) -> u64 {
        match self {
            Kings::Same(set) if set & square != 0 => !0,
            Kings::Same(_) => 0,
            Kings::Vary(held) => held[square.trailing_zeros() as usize],
        }
    }
}

/// Up to 64 positions of a block.
pub(crate) struct Word<'a> {
    values: &'a Database,
    block: Block,
    /// The kings of the mover and of its opponent. If the mover's vary, the opponent has none.
    own: Kings<'a>,
    theirs: Kings<'a>,
    /// The sets that vary, in their owner's view: the first is that of position 0.
    sets: &'a [u32],
    /// The rank of the first of them.
    first: u64,
    /// Which of the positions there are: those whose pieces do not overlap.
    pub(crate) there: u64,
}

/// What moves say about the positions of a word.
pub(crate) struct Moves {
    /// The positions in which there is such a move;
    pub(crate) can: u64,
    /// in which one leads to a loss for the opponent;
    pub(crate) win: u64,
    /// and, unless that is so, in which none leads to anything but a win for the opponent.
    pub(crate) lose: u64,
}

impl Moves {
    pub(crate) const NONE: Moves = Moves { can: 0, win: 0, lose: !0 };

    /// One more move, which there is in the positions `can`; `after` says the opponent's values
    /// after it. It is only asked for positions that are not won already: another move makes no
    /// difference there.
    pub(crate) fn lead(&mut self, can: u64, after: impl FnOnce(u64) -> (u64, u64)) {
        self.can |= can;
        let asked = can & !self.win;
        if asked != 0 {
            let (their_win, their_loss) = after(asked);
            self.win |= asked & their_loss;
            self.lose &= !asked | their_win;
        }
    }
}

/// What is known of the positions of a word before steps of kings are looked at: which are settled
/// by jumps as a win or as a loss, which are without a jump, so that steps count, in which of them
/// a step of a man leads to a loss for the opponent, and in which every one to a win.
pub(crate) type Settled = [u64; 5];

impl<'a> Word<'a> {
    /// Word `w` of all `sets` of the kings that vary.
    pub(crate) fn new(
        values: &'a Database,
        block: Block,
        (own, theirs): (Kings<'a>, Kings<'a>),
        (sets, w): (&'a [u32], usize),
    ) -> Word<'a> {
        let sets = &sets[64 * w..];
        let mut there = if sets.len() < 64 { (1 << sets.len()) - 1 } else { !0 };
        for n in bits_in(block.men | values.board().turned(block.their_men)) {
            there &= !(own.on(1 << n) | theirs.on(1 << n));
        }
        if let Kings::Same(kings) = own {
            bits_in(kings).for_each(|n| there &= !theirs.on(1 << n));
        }
        Word { values, block, own, theirs, sets, first: 64 * w as u64, there }
    }

    /// Settles the positions with a jump and, if `steps` count too, says what those of men lead to.
    pub(crate) fn settle(&self, steps: bool) -> Settled {
        let jumps = self.jumps();
        // Where a jump is possible, a jump must be made.
        let quiet = self.there & !jumps.can;
        let steps = if steps { self.men_steps(quiet) } else { Moves::NONE };
        let loss = jumps.can & jumps.lose & !jumps.win;
        [jumps.win, loss, quiet, steps.win, quiet & steps.lose]
    }

    fn jumps(&self) -> Moves {
        let board = self.values.board();
        let men = self.block.men;
        let enemy_men = board.turned(self.block.their_men);
        let mut moves = Moves::NONE;
        let kings = match self.own {
            Kings::Same(kings) => kings,
            Kings::Vary(_) => board.all() & !men,
        };
        for from in bits_in(men | kings) {
            let start = 1 << from;
            let is_king = men & start == 0;
            let here = if is_king { self.there & self.own.on(start) } else { self.there };
            if here == 0 {
                continue;
            }
            // The start counts as empty; jumped pieces stay in the way until the move ends.
            let in_the_way = (men | enemy_men) & !start;
            let jumper = Jumper {
                side: Side::Black,
                is_king,
                enemy: |square| if square & enemy_men != 0 { !0 } else { self.theirs.on(square) },
                free: |square| match square {
                    _ if square == start => !0,
                    _ if square & in_the_way != 0 => 0,
                    _ => !(self.own.on(square) | self.theirs.on(square)),
                },
            };
            board.jumps(&jumper, (from, 0), here, &mut |to, jumped, can| {
                moves.lead(can, |asked| self.after(start, 1 << to, jumped, asked));
            });
        }
        moves
    }

    fn men_steps(&self, quiet: u64) -> Moves {
        let board = self.values.board();
        let men = self.block.men | board.turned(self.block.their_men);
        let mut moves = Moves::NONE;
        for from in bits_in(self.block.men) {
            for to in board.ways(from, Side::Black, false).iter().map(|way| way.near) {
                if to & !men != 0 {
                    let can = quiet & !(self.own.on(to) | self.theirs.on(to));
                    moves.lead(can, |asked| self.after(1 << from, to, 0, asked));
                }
            }
        }
        moves
    }

    /// The bits of `win` and `loss`, for the opponent, in the positions `asked` after the piece on
    /// `from` has gone to `to`, taking `jumped` (all masks).
    fn after(&self, from: u32, to: u32, jumped: u32, asked: u64) -> (u64, u64) {
        let (board, Block { slice, men, their_men }) = (self.values.board(), self.block);
        let (was_king, jumped) = (men & from == 0, board.turned(jumped));
        let is_king = was_king || to & board.crown_row(Side::Black) != 0;
        // What leaves the men and the kings of the mover, what joins them, and the kings taken.
        let if_king = |yes: bool, square: u32| if yes { square } else { 0 };
        let men = men & !from | if_king(!is_king, to);
        let change = (if_king(was_king, from), if_king(is_king, to));
        let taken = jumped & !their_men;
        let their_men = their_men & !jumped;

        let [_, b, _, d] = slice.0;
        let SliceName([c, fewer, a, less]) = slice_of([their_men, taken, men, change.0]);
        let (b, d) = (b + u8::from(is_king) - less, d - fewer);
        if c + d == 0 {
            // Without a piece the opponent has no move.
            return (0, !0);
        }
        let Some(table) = self.values.after_move(SliceName([c, d, a, b])) else {
            // Never; and if it were, nothing would be verified.
            return (0, 0);
        };
        let block = table.shape.block(their_men, men);
        let (row, change) = match self.own {
            Kings::Same(kings) => (rank(kings & !change.0 | change.1), (taken, 0)),
            // The opponent has no kings, so a row of that table is one position.
            Kings::Vary(_) => (0, change),
        };
        let start = block + u64::from(row) * table.shape.columns;
        if change == (0, 0) {
            return table.read(start + self.first);
        }
        let mut values = (0, 0);
        for i in bits_in(asked) {
            let place = rank(self.sets[i] & !change.0 | change.1);
            let (win, loss) = table.bits(start + u64::from(place));
            values.0 |= u64::from(win) << i;
            values.1 |= u64::from(loss) << i;
        }
        values
    }
}
