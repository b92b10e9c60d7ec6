//! The evaluation: a weighted sum of features, the weights depending on the number of pieces.

use super::features::{FEATURES, Features, Masks, NAMES};
use super::weights::Weights;
use crate::board::{Board, Position};

/// No evaluation is further from zero than this, so that none looks like a win or a loss.
pub(super) const LIMIT: i32 = 9_000;

/// Evaluates positions of a board.
pub struct Evaluation {
    masks: Masks,
    /// For each number of pieces.
    weights: Vec<[i32; FEATURES]>,
    #[cfg(target_arch = "x86_64")]
    counts_in_hardware: bool,
}

impl Evaluation {
    /// An evaluation for a board.
    pub fn new(board: &Board, weights: &Weights) -> Self {
        let squares = i32::from(board.squares());
        // A man has as far to go on any board: steps count by their part of the way.
        let way = i32::from(board.rows()) - 1;
        let at = |pieces: i32| {
            let sixteenths = (16 * pieces).clamp(3 * squares, 9 * squares) - 3 * squares;
            std::array::from_fn(|i| {
                let (many, few) = (weights.many[i], weights.few[i]);
                let weight = few + (many - few) * sixteenths / (6 * squares);
                if NAMES[i].starts_with("tempo") { weight * 7 / way } else { weight }
            })
        };
        Evaluation {
            masks: Masks::new(board),
            weights: (0..=squares).map(at).collect(),
            #[cfg(target_arch = "x86_64")]
            counts_in_hardware: std::is_x86_feature_detected!("popcnt")
                && std::is_x86_feature_detected!("bmi2"),
        }
    }

    /// The features of a position.
    pub fn features(&self, position: &Position) -> Features {
        self.masks.features(position)
    }

    /// The score for the side to move, in hundredths of a man.
    #[inline]
    pub fn score(&self, position: &Position) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if self.counts_in_hardware {
            // SAFETY: the processor has the instructions.
            return unsafe { self.score_in_hardware(position) };
        }
        self.weigh(position)
    }

    /// Most of the work is counting bits, for which the plain instruction set has no instruction.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,bmi2")]
    fn score_in_hardware(&self, position: &Position) -> i32 {
        self.weigh(position)
    }

    #[inline(always)]
    fn weigh(&self, position: &Position) -> i32 {
        let weights = &self.weights[position.pieces() as usize];
        let features = self.masks.features(position);
        let sum: i32 = features.iter().zip(weights).map(|(f, w)| f * w).sum();
        (sum / 10).clamp(-LIMIT, LIMIT)
    }
}
