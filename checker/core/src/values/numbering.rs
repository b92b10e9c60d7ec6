//! The numbering of sets, slices and positions: `SPEC.md` §8.1 and §8.2.
//!
//! Trusts: nothing but `rules/board.rs`. Enforces: that index i of a slice means the same position
//! in the file, in the checker's own table and in a look-up. Ranks and sizes are computed from the
//! board, never read; sizes saturate, because those of slices with many pieces do not fit in 64
//! bits.

use crate::rules::{Board, Position, Side, bits_in};
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;

/// Binomial coefficients C(n, k) for n ≤ 32; the largest is 601,080,390.
const CHOOSE: [[u32; 33]; 33] = {
    let mut table = [[0; 33]; 33];
    let mut n = 0;
    while n < 33 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of sets of `k` squares among the first `n`; `n` and `k` at most 32.
fn choose(n: u32, k: u8) -> u64 {
    CHOOSE[n as usize][usize::from(k)].into()
}

/// rank(X) of `SPEC.md` §8.2: the number of sets of as many squares that come before this one.
pub(crate) fn rank(set: u32) -> u32 {
    bits_in(set).zip(1..).map(|(x, i): (usize, usize)| CHOOSE[x][i]).sum()
}

/// The set of `k` of the first 32 squares that has this rank, if there is one.
fn unrank(rank: u64, k: u8) -> Option<u32> {
    let mut rank = u32::try_from(rank).ok()?;
    let mut set = 0u32;
    for i in (1..=usize::from(k)).rev() {
        let x = (0..32).rev().find(|&x| CHOOSE[x][i] <= rank)?;
        rank -= CHOOSE[x][i];
        set |= 1 << x;
    }
    (rank == 0 && set.count_ones() == u32::from(k)).then_some(set)
}

/// All sets of `k` of the first `n` squares in order of their ranks.
pub(crate) fn sets(n: u32, k: u8) -> Vec<u32> {
    (0..choose(n, k)).filter_map(|r| unrank(r, k)).collect()
}

/// All slices of the board that a cover admits, in the order of `SPEC.md` §8.1.
pub(crate) fn slices(board: &Board, cover: &Cover) -> Vec<SliceName> {
    let most = board.men_squares();
    let with = |total: u8, men: u8, a: u8| {
        (0..=total - men).map(move |b| SliceName([a, b, men - a, total - men - b]))
    };
    let totals =
        (2..=cover.most_pieces()).flat_map(|total| (0..=total).map(move |men| (total, men)));
    let all = totals.flat_map(|(total, men)| (0..=men).flat_map(move |a| with(total, men, a)));
    let exists = |SliceName([a, _, c, _])| u32::from(a.max(c)) <= most;
    all.filter(|&slice| cover.admits_slice(slice) && exists(slice)).collect()
}

/// The slices of a database without twins: of two twins the later one, or the one that is its own
/// twin.
pub fn pairs(board: &Board, cover: &Cover) -> Vec<SliceName> {
    slices(board, cover).into_iter().filter(|slice| slice.0 >= slice.twin().0).collect()
}

/// The shape of a slice: the ranges that make up its indices.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The slice.
    pub slice: SliceName,
    /// The number of indices; 2⁶⁴ − 1 stands for as many or more, too many for any file or memory.
    pub indices: u64,
    /// The number of sets of the opponent's men.
    their_men: u64,
    /// The number of sets of the opponent's kings: rows of a block.
    pub(crate) rows: u64,
    /// The number of sets of the mover's kings: columns of a block.
    pub(crate) columns: u64,
}

impl Shape {
    /// The shape of a slice.
    pub fn new(board: &Board, slice: SliceName) -> Shape {
        let [a, b, c, d] = slice.0;
        let [men, their_men] = [a, c].map(|k| choose(board.men_squares(), k));
        let [columns, rows] = [b, d].map(|k| choose(board.squares(), k));
        let indices = men.saturating_mul(their_men).saturating_mul(rows).saturating_mul(columns);
        Shape { slice, indices, their_men, rows, columns }
    }

    /// The number of indices of a block.
    pub(crate) fn block_size(&self) -> u64 {
        self.rows.saturating_mul(self.columns)
    }

    /// The index of the first position of the block with these sets of men.
    pub(crate) fn block(&self, men: u32, their_men: u32) -> u64 {
        let block = u64::from(rank(men)) * self.their_men + u64::from(rank(their_men));
        block * self.rows * self.columns
    }

    /// The index of the position with these sets, each in its owner's view.
    pub(crate) fn index(&self, [men, kings, their_men, their_kings]: [u32; 4]) -> u64 {
        let row = u64::from(rank(their_kings));
        self.block(men, their_men) + row * self.columns + u64::from(rank(kings))
    }

    /// The position with this index and Black to move, if there is one.
    pub fn position(&self, board: &Board, index: u64) -> Option<Position> {
        let [a, b, c, d] = self.slice.0;
        let row = index / self.columns;
        let block = row / self.rows;
        let kings = unrank(index % self.columns, b)?;
        let their_kings = unrank(row % self.rows, d)?;
        let their_men = unrank(block % self.their_men, c)?;
        let men = unrank(block / self.their_men, a)?;
        let [their_men, their_kings] = [their_men, their_kings].map(|set| board.turned(set));
        let black = men | kings;
        let white = their_men | their_kings;
        let p = Position { black, white, kings: kings | their_kings, turn: Side::Black };
        let overlap = p.pieces() != self.slice.pieces();
        (index < self.indices && !overlap && board.is_possible(&p)).then_some(p)
    }
}

/// The sets A, B, C, D of a possible position: men and kings of the side to move and of its
/// opponent, each in its owner's view.
pub(crate) fn views(board: &Board, p: &Position) -> [u32; 4] {
    let black = [p.black & !p.kings, p.black & p.kings];
    let white = [p.white & !p.kings, p.white & p.kings].map(|set| board.turned(set));
    match p.turn {
        Side::Black => [black[0], black[1], white[0], white[1]],
        Side::White => [white[0], white[1], black[0], black[1]],
    }
}

/// The slice with as many men and kings as these sets have.
pub(crate) fn slice_of(sets: [u32; 4]) -> SliceName {
    // A mask has at most 32 squares.
    SliceName(sets.map(|set| u8::try_from(set.count_ones()).unwrap_or(u8::MAX)))
}
