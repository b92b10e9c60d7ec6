//! The evaluation: a weighted sum of features, the weights depending on the number of pieces.

use std::sync::Arc;

use super::features::{FEATURES, Features, Masks, NAMES};
use super::patterns::{PatternTable, Patterns, WeightPair};
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
    /// For each number of pieces the part that weights for many pieces have in the sum, in
    /// 256ths.
    parts: Vec<i32>,
    patterns: Option<(Patterns, Arc<[WeightPair]>)>,
    #[cfg(target_arch = "x86_64")]
    counts_in_hardware: bool,
}

impl Evaluation {
    /// An evaluation for a board by features alone.
    pub fn new(board: &Board, weights: &Weights) -> Self {
        let squares = i32::from(board.squares());
        // A man has as far to go on any board: steps count by their part of the way.
        let way = i32::from(board.rows()) - 1;
        let part = |pieces: i32| {
            let sixteenths = (16 * pieces).clamp(3 * squares, 9 * squares) - 3 * squares;
            256 * sixteenths / (6 * squares)
        };
        let at = |pieces: i32| {
            std::array::from_fn(|i| {
                let (many, few) = (weights.many[i], weights.few[i]);
                let weight = few + (many - few) * part(pieces) / 256;
                if NAMES[i].starts_with("tempo") { weight * 7 / way } else { weight }
            })
        };
        Evaluation {
            masks: Masks::new(board),
            weights: (0..=squares).map(at).collect(),
            parts: (0..=squares).map(part).collect(),
            patterns: None,
            #[cfg(target_arch = "x86_64")]
            counts_in_hardware: std::is_x86_feature_detected!("popcnt")
                && std::is_x86_feature_detected!("bmi2"),
        }
    }

    /// An evaluation by features and patterns; `None` for a board without patterns.
    pub fn with_patterns(board: &Board, table: &PatternTable) -> Option<Self> {
        let patterns = Patterns::new(board)?;
        let features = Self::new(board, &table.features());
        Some(Evaluation { patterns: Some((patterns, table.patterns().into())), ..features })
    }

    /// The best that there is for a board.
    pub fn fitted(board: &Board) -> Self {
        Self::with_patterns(board, &PatternTable::fitted())
            .unwrap_or_else(|| Self::new(board, &Weights::FITTED))
    }

    /// The features of a position.
    pub fn features(&self, position: &Position) -> Features {
        self.masks.features(position)
    }

    /// The part that weights for many pieces have in the score of a position; the rest is that of
    /// weights for few.
    pub fn part_of_many(&self, position: &Position) -> f64 {
        f64::from(self.parts[position.pieces() as usize]) / 256.0
    }

    /// The score for the side to move, in hundredths of a man.
    #[inline]
    pub fn score(&self, position: &Position) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if self.counts_in_hardware {
            // SAFETY: the processor has the instructions.
            return unsafe { self.score_in_hardware(position) };
        }
        self.weigh::<false>(position)
    }

    /// Most of the work is counting and moving bits, for which the plain instruction set has no
    /// instruction.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,bmi2")]
    fn score_in_hardware(&self, position: &Position) -> i32 {
        self.weigh::<true>(position)
    }

    #[inline(always)]
    fn weigh<const HARDWARE: bool>(&self, position: &Position) -> i32 {
        let pieces = position.pieces() as usize;
        let features = self.masks.features(position);
        let mut sum: i32 = features.iter().zip(&self.weights[pieces]).map(|(f, w)| f * w).sum();
        if let Some((patterns, weights)) = &self.patterns {
            let (mut many, mut few) = (0, 0);
            for number in patterns.numbers::<HARDWARE>(position) {
                let [m, f] = weights[number];
                many += i32::from(m);
                few += i32::from(f);
            }
            sum += few + (many - few) * self.parts[pieces] / 256;
        }
        (sum / 10).clamp(-LIMIT, LIMIT)
    }
}
