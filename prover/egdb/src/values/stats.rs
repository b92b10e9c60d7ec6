//! Counts values.

use super::resident::Values;
use crate::index::sets::binomial;
use crate::index::slice::Slice;
use draughtproof_game::Board;

/// The numbers of positions of a slice by value, for the side to move.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub positions: u64,
    pub win: u64,
    pub loss: u64,
}

impl Counts {
    pub fn draw(&self) -> u64 {
        self.positions - self.win - self.loss
    }

    /// Adds another count.
    pub fn add(&mut self, other: Counts) {
        self.positions += other.positions;
        self.win += other.win;
        self.loss += other.loss;
    }
}

pub fn count(database: &Values, slice: Slice) -> Counts {
    let (win, loss) = database.table(slice).count();
    Counts { positions: placements(database.board(), slice), win, loss }
}

/// The number of positions of a slice: placements in which no two pieces share a square.
pub fn placements(board: &Board, slice: Slice) -> u64 {
    // `both` squares can bear men of either side; each side has some more for itself alone. With i
    // of the mover's men on the common squares, i fewer squares are left for the opponent's.
    let own = board.squares_in_row(0);
    let common = board.man_squares() - own;
    let men: u64 = (0..=slice.men.min(common))
        .filter(|&i| slice.men - i <= own)
        .map(|i| {
            let mine = binomial(common, i) * binomial(own, slice.men - i);
            mine * binomial(board.man_squares() - i, slice.enemy_men)
        })
        .sum();
    let left = board.squares().saturating_sub(slice.men + slice.enemy_men);
    let kings = binomial(left, slice.kings);
    men * kings * binomial(left.saturating_sub(slice.kings), slice.enemy_kings)
}
