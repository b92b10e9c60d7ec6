//! The evaluation: on 8x8 by a network, on other boards by a weighted sum of features, the weights
//! depending on the number of pieces.

use std::sync::{Arc, OnceLock};

use super::features::{FEATURES, Features, Masks, NAMES};
use super::network::{Network, Parameters, is_for};
use super::weights::Weights;
use crate::board::{Board, Position};

/// No evaluation is further from zero than this, so that none looks like a win or a loss.
pub(super) const LIMIT: i32 = 9_000;

/// Evaluates positions of a board.
#[derive(Clone)]
pub struct Evaluation {
    masks: Masks,
    /// For each number of pieces.
    weights: Vec<[i32; FEATURES]>,
    /// Used instead of features.
    network: Option<Arc<Network>>,
    #[cfg(target_arch = "x86_64")]
    has_fast_instructions: bool,
}

impl Evaluation {
    /// An evaluation for a board by features alone.
    pub fn new(board: &Board, weights: &Weights) -> Self {
        let squares = i32::from(board.squares());
        // A man has as far to go on any board: steps count by their part of the way.
        let way = i32::from(board.rows()) - 1;
        // The part that weights for many pieces have in the sum, in 256ths.
        let part = |pieces: i32| {
            let sixteenths = (16 * pieces).clamp(3 * squares, 9 * squares) - 3 * squares;
            256 * sixteenths / (6 * squares)
        };
        Evaluation {
            masks: Masks::new(board),
            weights: (0..=squares)
                .map(|pieces| {
                    std::array::from_fn(|i| {
                        let many = weights.many[i];
                        let few = weights.few[i];
                        let weight = few + (many - few) * part(pieces) / 256;
                        if NAMES[i].starts_with("tempo") { weight * 7 / way } else { weight }
                    })
                })
                .collect(),
            network: None,
            #[cfg(target_arch = "x86_64")]
            has_fast_instructions: std::is_x86_feature_detected!("popcnt")
                && std::is_x86_feature_detected!("avx2"),
        }
    }

    /// An evaluation by a network; `None` for a board other than 8x8.
    pub fn with_network(board: &Board, parameters: &Parameters) -> Option<Self> {
        let network = Some(Arc::new(Network::new(board, parameters)?));
        Some(Evaluation { network, ..Self::new(board, &Weights::FITTED) })
    }

    /// The best that there is for a board.
    pub fn fitted(board: &Board) -> Self {
        Self::by_network(board).cloned().unwrap_or_else(|| Self::new(board, &Weights::FITTED))
    }

    /// The evaluation by the network in use, made once; `None` for a board other than 8x8.
    pub fn by_network(board: &Board) -> Option<&'static Self> {
        static OF_8X8: OnceLock<Option<Evaluation>> = OnceLock::new();
        let make = || Self::with_network(board, &Parameters::fitted());
        if is_for(board) { OF_8X8.get_or_init(make).as_ref() } else { None }
    }

    pub fn features(&self, position: &Position) -> Features {
        self.masks.features(position)
    }

    /// The score for the side to move, in hundredths of a man.
    #[inline]
    pub fn score(&self, position: &Position) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if self.has_fast_instructions {
            // SAFETY: the processor has the instructions.
            return unsafe { self.score_fast(position) };
        }
        self.weigh::<false>(position)
    }

    /// Most of the work is counting bits, and sums of many small products: the plain instruction
    /// set counts bits one by one, and does four products at once instead of sixteen.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,avx2")]
    fn score_fast(&self, position: &Position) -> i32 {
        self.weigh::<true>(position)
    }

    #[inline(always)]
    fn weigh<const FAST: bool>(&self, position: &Position) -> i32 {
        let score = match &self.network {
            Some(network) => network.score::<FAST>(position),
            None => self.sum_of_features(position),
        };
        score.clamp(-LIMIT, LIMIT)
    }

    #[inline(always)]
    fn sum_of_features(&self, position: &Position) -> i32 {
        let features = self.masks.features(position);
        let weights = &self.weights[position.pieces() as usize];
        features.iter().zip(weights).map(|(f, w)| f * w).sum::<i32>() / 10
    }
}
