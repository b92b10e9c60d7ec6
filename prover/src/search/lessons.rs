//! What a search has learnt: which pieces on which squares make a proof harder than its estimate says.
//!
//! [`estimate`](super::dfpn::estimate) counts pieces and moves, and so says nearly the same of all positions in
//! a long ending of kings: the search goes from one that can be won to another and comes no nearer to a win.
//! Each time a position is left, its proof number shows how far the estimate was off. A share of the difference
//! goes to weights of its pieces, one by one and in pairs with a king, and these are added to the estimates of
//! positions that nobody has looked into yet. So it is a linear function, learnt by least mean squares (Widrow and Hoff,
//! "Adaptive switching circuits", 1960), whose aim is the number that has come up from below (Sutton,
//! "Learning to predict by the methods of temporal differences", 1988, section 2).
//!
//! Disproved positions teach nothing: there is no number to aim at, and with a large one in its place far fewer
//! wins are found. Disproof numbers are not learnt either: that took more nodes (docs/scale.md has both). Each search begins without weights, so it is the same every time; and they change where it looks, never what
//! it finds there.

use crate::board::{Board, Position, Side};

/// Pieces on squares: four kinds, at most 32 squares.
const PLACES: usize = 4 * 32;
/// A weight of 1 in the numbers that are kept.
const ONE: i64 = 1 << 16;
/// The share of an error that a lesson takes away.
const RATE: i64 = ONE / 16;
/// The most that is added to an estimate. What is learnt is learnt from numbers that have such additions in them;
/// without a bound they drive each other up where nothing is proved for long, and then say nothing.
const MOST: i64 = 32;

/// The weights.
pub(super) struct Lessons {
    /// For each side to move and each two places. A piece with itself stands for it alone.
    weights: Vec<i32>,
}

impl Lessons {
    pub(super) fn new() -> Self {
        Lessons { weights: vec![0; 2 * PLACES * PLACES] }
    }

    /// The estimate of the proof number of a position with what was learnt of others like it.
    pub(super) fn corrected(&self, board: &Board, position: &Position, estimate: u32) -> u32 {
        let mut sum = 0;
        for_each_feature(board, position, |at| sum += i64::from(self.weights[at]));
        let corrected = i64::from(estimate) + (sum + ONE / 2).div_euclid(ONE).min(MOST);
        corrected.max(1) as u32
    }

    /// Learns that the proof number of a position turned out to be `found`.
    pub(super) fn learn(&mut self, board: &Board, position: &Position, estimate: u32, found: u32) {
        let (mut sum, mut features) = (0, 0);
        for_each_feature(board, position, |at| {
            sum += i64::from(self.weights[at]);
            features += 1;
        });
        let error = (i64::from(found) - i64::from(estimate)).min(MOST) * ONE - sum;
        let step = (error / ONE * RATE / features) as i32;
        for_each_feature(board, position, |at| {
            self.weights[at] = self.weights[at].saturating_add(step);
        });
    }
}

/// The places of the weights of a position: its pieces, and all pairs of them with a king.
fn for_each_feature(board: &Board, position: &Position, mut see: impl FnMut(usize)) {
    let Position { black, white, kings, turn } = *position;
    let mut places = [0; 32];
    let mut pieces = 0;
    let kinds = [black & kings, white & kings, black & !kings, white & !kings];
    for (kind, set) in kinds.into_iter().enumerate() {
        for square in board.squares_of(set) {
            places[pieces] = 32 * kind + usize::from(square);
            pieces += 1;
        }
    }
    // Kings come first.
    let kings = kings.count_ones() as usize;
    let first = if turn == Side::Black { 0 } else { PLACES * PLACES };
    for (i, &place) in places[..pieces].iter().enumerate() {
        let others = if i < kings { &places[i..pieces] } else { &places[i..=i] };
        others.iter().for_each(|other| see(first + PLACES * place + other));
    }
}
