//! One word: up to 64 positions with the same men and the same kings of one side. The other side's
//! kings *vary*: they are 64 sets with ranks in a row.
//!
//! Theorem: the moves of men and the jumps of kings lead from a word to few places, because a move
//! changes the men and the sets of kings alike in all positions in which it is possible. Where it
//! leaves the varying sets alone, it leads to a word of another row. Where it takes a king from
//! each set, or adds or moves one, each position's place in that row is counted anew.
//!
//! Enforces: what jumps and steps of men say; those of kings are in `operator.rs`. Trusts: the
//! values it looks up; the squares and ways of `rules/board.rs`, which says for all positions at
//! once which jumps there are; `numbering.rs`.

use crate::rules::Bits;
use crate::rules::{Jumper, Side, bits_in};
use crate::values::Block;
use crate::values::Database;
use crate::values::{rank, slice_of};
use certificate_spec::database::SliceName;

/// One side's kings, in the mover's view.
pub(crate) enum Kings<'a> {
    /// One set, which is the same in all positions of the word.
    Same(u32),
    /// For each square, the positions in which there is a king.
    Vary(&'a [u64; 32]),
}

impl Kings<'_> {
    /// The positions in which a king stands on a square (a mask with one bit).
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
    /// The bits of the word that are positions: their pieces do not overlap.
    pub(crate) there: u64,
}

/// The moves' statements about the positions of a word.
pub(crate) struct Moves {
    /// The positions in which there is such a move.
    pub(crate) can: u64,
    /// The positions in which one of the moves leads to a loss for the opponent.
    pub(crate) win: u64,
    /// The positions in which no move leads to anything but a win for the opponent; the bits of
    /// positions in `win` have no meaning.
    pub(crate) lose: u64,
}

impl Moves {
    pub(crate) const NONE: Moves = Moves { can: 0, win: 0, lose: !0 };

    /// Adds a move that exists in the positions `can`; `after` gives the opponent's values after
    /// it. It is called only for positions that are not won already: another move makes no
    /// difference there.
    pub(crate) fn lead(&mut self, can: u64, after: impl FnOnce(u64) -> Bits) {
        self.can |= can;
        let asked = can & !self.win;
        if asked != 0 {
            let theirs = after(asked);
            self.win |= asked & theirs.loss;
            self.lose &= !asked | theirs.win;
        }
    }

    /// The values that these moves settle, if there are no other moves in these positions.
    pub(crate) fn values(&self, positions: u64) -> Bits {
        Bits { win: self.win, loss: positions & self.lose & !self.win }
    }
}

/// The positions of a word that are decided before steps of kings are looked at.
#[derive(Clone, Copy)]
pub(crate) struct Settled {
    /// The values of positions that jumps have settled.
    pub(crate) values: Bits,
    /// The other positions.
    pub(crate) open: Open,
}

impl Settled {
    /// The state of position `n` alone, as that of position 0.
    pub(crate) fn at(self, n: usize) -> Settled {
        let Open { positions, win, lose } = self.open;
        let [positions, win, lose] = [positions, win, lose].map(|bits| bits >> n & 1);
        Settled { values: self.values.at(n), open: Open { positions, win, lose } }
    }
}

/// The positions that are not settled, for which steps of kings count.
#[derive(Clone, Copy, Default)]
pub(crate) struct Open {
    /// The positions that are not settled; in none of them is there a jump.
    pub(crate) positions: u64,
    /// The positions in which a step of a man leads to a loss for the opponent.
    pub(crate) win: u64,
    /// The positions in which every step of a man leads to a win for the opponent.
    pub(crate) lose: u64,
}

/// The sets of kings that vary in a word.
pub(crate) struct Sets<'a> {
    /// All sets of as many kings as the varying side has, in order.
    pub(crate) all: &'a [u32],
    /// The word has sets 64 · `word` to 64 · `word` + 63.
    pub(crate) word: usize,
}

/// Pieces that leave a set and that join it (masks).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Change {
    leave: u32,
    join: u32,
}

impl Change {
    const NONE: Change = Change { leave: 0, join: 0 };

    fn apply(self, set: u32) -> u32 {
        set & !self.leave | self.join
    }
}

impl<'a> Word<'a> {
    /// The word of a block with these kings of the mover and of its opponent.
    pub(crate) fn new(
        values: &'a Database,
        block: Block,
        own: Kings<'a>,
        theirs: Kings<'a>,
        Sets { all, word }: Sets<'a>,
    ) -> Word<'a> {
        let sets = &all[64 * word..];
        let mut there = if sets.len() < 64 { (1 << sets.len()) - 1 } else { !0 };
        for n in bits_in(block.men | values.board().turned(block.their_men)) {
            there &= !(own.on(1 << n) | theirs.on(1 << n));
        }
        if let Kings::Same(kings) = own {
            bits_in(kings).for_each(|n| there &= !theirs.on(1 << n));
        }
        Word { values, block, own, theirs, sets, first: 64 * word as u64, there }
    }

    /// Settles the positions with a jump and, if `steps` count too, says what those of men lead to.
    pub(crate) fn settle(&self, steps: bool) -> Settled {
        let jumps = self.jumps();
        // Where a jump is possible, a jump must be made.
        let quiet = self.there & !jumps.can;
        let steps = if steps { self.men_steps(quiet) } else { Moves::NONE };
        let open = Open { positions: quiet, win: steps.win, lose: quiet & steps.lose };
        Settled { values: jumps.values(jumps.can), open }
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
            board.jumps(&jumper, from, 0, here, &mut |to, jumped, can| {
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

    /// The values for the opponent in the positions `asked`, after the piece on `from` has gone to
    /// `to`, taking `jumped` (all masks).
    fn after(&self, from: u32, to: u32, jumped: u32, asked: u64) -> Bits {
        let board = self.values.board();
        let Block { slice, men, their_men } = self.block;
        let was_king = men & from == 0;
        let jumped = board.turned(jumped);
        let is_king = was_king || to & board.crown_row(Side::Black) != 0;
        let if_king = |yes: bool, square: u32| if yes { square } else { 0 };
        let men = men & !from | if_king(!is_king, to);
        let own = Change { leave: if_king(was_king, from), join: if_king(is_king, to) };
        let taken = Change { leave: jumped & !their_men, join: 0 };
        let their_men = their_men & !jumped;

        let [_, b, _, d] = slice.0;
        let SliceName([c, fewer, a, less]) = slice_of([their_men, taken.leave, men, own.leave]);
        let b = b + u8::from(is_king) - less;
        let d = d - fewer;
        if c + d == 0 {
            // Without a piece the opponent has no move.
            return Bits { win: 0, loss: !0 };
        }
        let after = Block { slice: SliceName([c, d, a, b]), men: their_men, their_men: men };
        let after = self.values.block(after);
        let (row, change) = match self.own {
            Kings::Same(kings) => (rank(own.apply(kings)), taken),
            // The opponent has no kings, so a row of that table is one position.
            Kings::Vary(_) => (0, own),
        };
        let start = after.row(row);
        if change == Change::NONE {
            return after.read(start + self.first);
        }
        let mut values = Bits::default();
        for i in bits_in(asked) {
            let place = rank(change.apply(self.sets[i]));
            let Bits { win, loss } = after.read(start + u64::from(place)).at(0);
            values = values.union(Bits { win: win << i, loss: loss << i });
        }
        values
    }
}
