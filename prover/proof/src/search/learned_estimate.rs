//! An estimate of proof and disproof numbers that a search learns: which pieces on which squares
//! make a proof or a disproof harder than [`Goal::estimate`](super::Goal::estimate) says.
//!
//! The goal's estimate says nearly the same of many positions of which some are far harder than
//! others: the search goes from one to another and comes no nearer to a decision. Each time a
//! position is left, its numbers show by what factors the estimates were off. A share of the
//! difference of their logarithms goes to weights of its pieces, one by one and in pairs with a
//! king, and the estimates of positions that were not searched yet are multiplied accordingly. So
//! it is a linear function, learnt by least mean squares (Widrow and Hoff, "Adaptive switching
//! circuits", 1960), whose aim is the number that has come up from below (Sutton, "Learning to
//! predict by the methods of temporal differences", 1988, section 2).
//!
//! A decided position teaches one number, which is 0; the other one is infinite and no aim, and
//! with a large one in its place far fewer wins are found (docs/experiments/026-learn-more.md).
//! Disproof numbers are learnt where the first numbers come from a network, which takes 0.4 times
//! the nodes (docs/experiments/079-learn-disproof-numbers.md).
//! Each search begins without weights, so it is the same every time; and they change where it goes
//! first, never what it finds there.

use std::io::{self, Read, Write};

use super::numbers::{INFINITE, ONE, ProofNumbers, logarithm, power};
use super::table::read;
use crate::board::{Board, Position, Side};

/// Pieces on squares: four kinds, of which kings are the first two, at most 32 squares.
const PLACES: usize = 4 * 32;
/// The number of weights for a side to move: first one for each piece on each square, then one for
/// each pair of a king and another piece. Every position uses the first ones, which stay in the
/// cache as they are next to each other.
const WEIGHTS: usize = PLACES + PLACES / 2 * PLACES;
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
    /// For each side to move the weights of the proof number and of the disproof number.
    weights: Vec<[i32; 2]>,
    /// Whether disproof numbers are learnt, too.
    learns_disproofs: bool,
}

impl LearnedEstimate {
    pub(super) fn new(learns_disproofs: bool) -> Self {
        LearnedEstimate { weights: vec![[0; 2]; 2 * WEIGHTS], learns_disproofs }
    }

    /// The estimate of the numbers of a position with what was learnt of others like it.
    pub(super) fn corrected(
        &self,
        board: &Board,
        position: &Position,
        estimate: ProofNumbers,
    ) -> ProofNumbers {
        let ([proof, disproof], _) = self.sums(board, position);
        let corrected = |number, sum: i64| power(logarithm(number) + sum.clamp(LEAST, MOST));
        ProofNumbers {
            proof: corrected(estimate.proof, proof),
            disproof: corrected(estimate.disproof, disproof),
        }
    }

    /// Learns that the numbers of a position turned out to be `found`.
    pub(super) fn learn(
        &mut self,
        board: &Board,
        position: &Position,
        estimate: ProofNumbers,
        found: ProofNumbers,
    ) {
        let ([proof, disproof], features) = self.sums(board, position);
        let step = |estimate, found, sum| {
            let off = match found {
                // Decided: nothing is left to do.
                0 => LEAST,
                INFINITE => return 0,
                _ => (logarithm(found) - logarithm(estimate)).clamp(LEAST, MOST),
            };
            ((off - sum) * RATE / ONE / features) as i32
        };
        let proof_step = step(estimate.proof, found.proof, proof);
        let disproof_step = match self.learns_disproofs {
            true => step(estimate.disproof, found.disproof, disproof),
            false => 0,
        };
        if [proof_step, disproof_step] == [0; 2] {
            return;
        }
        for_each_feature(board, position, |at| {
            let [proof, disproof] = &mut self.weights[at];
            *proof = proof.saturating_add(proof_step);
            *disproof = disproof.saturating_add(disproof_step);
        });
    }

    /// The sums of the weights of a position, and the number of its features.
    fn sums(&self, board: &Board, position: &Position) -> ([i64; 2], i64) {
        let mut sums = [0; 2];
        let mut features = 0;
        for_each_feature(board, position, |at| {
            let [proof, disproof] = self.weights[at];
            sums[0] += i64::from(proof);
            sums[1] += i64::from(disproof);
            features += 1;
        });
        (sums, features)
    }

    /// Takes in what threads have learned that all began with these weights. A weight becomes the
    /// mean of those of the threads that have changed it. Each of them has come near to what is
    /// right for its positions, so the sum of their changes would go several times as far; and what
    /// only one of them has learned is not to count less because the others had no such positions.
    pub(super) fn merge(&mut self, threads: &[LearnedEstimate]) {
        for (at, weight) in self.weights.as_flattened_mut().iter_mut().enumerate() {
            let mut sum = 0;
            let mut count = 0;
            for learned in threads.iter().map(|thread| thread.weights.as_flattened()[at]) {
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
        let mut weights = self.weights.as_flattened().iter();
        weights.try_for_each(|weight| out.write_all(&weight.to_le_bytes()))
    }

    /// Reads the weights.
    pub(super) fn read(&mut self, input: &mut impl Read) -> io::Result<()> {
        for weight in self.weights.as_flattened_mut() {
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
    let first = if turn == Side::Black { 0 } else { WEIGHTS };
    let places = &places[..pieces];
    places.iter().for_each(|place| see(first + place));
    for (i, king) in places[..kings].iter().enumerate() {
        let pairs = first + PLACES * (1 + king);
        places[i + 1..].iter().for_each(|other| see(pairs + other));
    }
}

#[cfg(test)]
mod tests {
    use super::LearnedEstimate;

    #[test]
    fn threads_that_changed_a_weight_count_for_it() {
        let learned = |weights: [i32; 4]| {
            let mut learned = LearnedEstimate::new(true);
            learned.weights.as_flattened_mut()[..4].copy_from_slice(&weights);
            learned
        };
        let mut all = learned([5, 5, 5, 5]);
        all.merge(&[learned([5, -9, 5, 6]), learned([5, 5, 8, 7]), learned([5, 5, 2, 11])]);
        // Changed by none of them, by the first, by two and by all.
        assert_eq!(all, learned([5, -9, 5, 8]));
    }
}
