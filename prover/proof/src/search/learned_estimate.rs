//! An estimate of proof numbers that a search learns: which pieces on which squares make a proof
//! harder than [`Goal::estimate`](super::Goal::estimate) says.
//!
//! The goal's estimate counts pieces and moves, and so says nearly the same of all positions in a
//! long ending of kings: the search goes from one that can be won to another and comes no nearer to
//! a win. Each time a position is left, its proof number shows by what factor the estimate was off.
//! A share of the difference of their logarithms goes to weights of its pieces, one by one and in
//! pairs with a king, and the estimates of positions that were not searched yet are multiplied
//! accordingly. So it is a linear function, learnt by least mean squares (Widrow and Hoff,
//! "Adaptive switching circuits", 1960), whose aim is the number that has come up from below
//! (Sutton, "Learning to predict by the methods of temporal differences", 1988, section 2).
//!
//! Disproved positions teach nothing: there is no number to aim at, and with a large one in its
//! place far fewer wins are found. Disproof numbers are not learnt either: that took more nodes
//! (docs/experiments/026-learn-more.md has both). Each search begins without weights, so it is the
//! same every time; and they change where it goes first, never what it finds there.

use std::io::{self, Read, Write};

use super::numbers::{ONE, logarithm, power};
use super::table::read;
use crate::board::{Board, Position, Side};

/// Pieces on squares: four kinds, at most 32 squares.
const PLACES: usize = 4 * 32;
/// The share of an error that is taken away each time.
const RATE: i64 = ONE / 16;
/// The most that an estimate is multiplied by, as a logarithm. What is learnt is learnt from
/// numbers that have such factors in them; without a bound they drive each other up where nothing
/// is proved for long, and then say nothing.
const MOST: i64 = 2 * ONE;
/// The least that it is multiplied by: an eighth.
const LEAST: i64 = -3 * ONE;

/// The weights. Each thread of a search has its own: a position that is left changes some twenty of
/// them, so threads that shared them would wait for each other's lines of the cache at every node.
#[derive(Clone)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(super) struct LearnedEstimate {
    /// For each side to move and each two places. A piece with itself stands for it alone.
    weights: Vec<i32>,
}

impl LearnedEstimate {
    pub(super) fn new() -> Self {
        LearnedEstimate { weights: vec![0; 2 * PLACES * PLACES] }
    }

    /// The estimate of the proof number of a position with what was learnt of others like it.
    pub(super) fn corrected(&self, board: &Board, position: &Position, estimate: u32) -> u32 {
        let mut sum = 0;
        for_each_feature(board, position, |at| sum += self.weight(at));
        power(logarithm(estimate) + sum.clamp(LEAST, MOST))
    }

    /// Learns that the proof number of a position turned out to be `found`.
    pub(super) fn learn(&mut self, board: &Board, position: &Position, estimate: u32, found: u32) {
        let mut sum = 0;
        let mut features = 0;
        for_each_feature(board, position, |at| {
            sum += self.weight(at);
            features += 1;
        });
        let off = match found {
            // Proved: nothing is left to do.
            0 => LEAST,
            _ => (logarithm(found) - logarithm(estimate)).clamp(LEAST, MOST),
        };
        let step = ((off - sum) * RATE / ONE / features) as i32;
        for_each_feature(board, position, |at| {
            let weight = &mut self.weights[at];
            *weight = weight.saturating_add(step);
        });
    }

    fn weight(&self, at: usize) -> i64 {
        self.weights[at].into()
    }

    /// Takes in what threads have learned that all began with these weights. A weight becomes the
    /// mean of those of the threads that have changed it. Each of them has come near to what is
    /// right for its positions, so the sum of their changes would go several times as far; and what
    /// only one of them has learned is not to count less because the others had no such positions.
    pub(super) fn merge(&mut self, threads: &[LearnedEstimate]) {
        for (at, weight) in self.weights.iter_mut().enumerate() {
            let mut sum = 0;
            let mut count = 0;
            for learned in threads.iter().map(|thread| thread.weights[at]) {
                if learned != *weight {
                    sum += i64::from(learned);
                    count += 1;
                }
            }
            if count > 0 {
                *weight = (sum / count) as i32;
            }
        }
    }

    /// Writes the weights for [`LearnedEstimate::read`].
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.weights.iter().try_for_each(|weight| out.write_all(&weight.to_le_bytes()))
    }

    /// Reads the weights.
    pub(super) fn read(&mut self, input: &mut impl Read) -> io::Result<()> {
        for weight in &mut self.weights {
            *weight = i32::from_le_bytes(read(input)?);
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::LearnedEstimate;

    #[test]
    fn threads_that_changed_a_weight_count_for_it() {
        let learned = |weights: [i32; 4]| LearnedEstimate { weights: weights.to_vec() };
        let mut all = learned([5, 5, 5, 5]);
        all.merge(&[learned([5, -9, 5, 6]), learned([5, 5, 8, 7]), learned([5, 5, 2, 11])]);
        // Changed by none of them, by the first, by two and by all.
        assert_eq!(all, learned([5, -9, 5, 8]));
    }
}
