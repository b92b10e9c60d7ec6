//! Logistic regression by AdaGrad (Duchi, Hazan and Singer 2011): the chance to win is
//! 1 / (1 + e^-s), s the score. Weights of patterns that come up seldom hardly move, and each weight
//! has its own pace.

use prover::board::Board;
use prover::heuristic::{ALL_PATTERNS, Evaluation, FEATURES, PatternTable, Patterns, Weights};

use crate::play::Sample;

/// How often all samples are gone over.
const PASSES: usize = 4;
/// The pace of the first pass; later ones are slower.
const PACE: f32 = 0.05;
/// How strongly weights of patterns are drawn to zero.
const DECAY: f32 = 1e-4;
/// Patterns that came up less often have no weight.
const LEAST_COUNT: u32 = 10;

/// A weight with many pieces, and one with few.
type Pair = [f32; 2];

/// Weights, features first, and how they were changed.
pub struct Regression {
    patterns: Patterns,
    evaluation: Evaluation,
    weights: Vec<Pair>,
    /// The sum of the squares of each gradient.
    squares: Vec<Pair>,
    counts: Vec<u32>,
}

/// What the score of a position is made of: numbers of weights and what they are multiplied with.
struct Terms {
    terms: Vec<(u32, i8)>,
    /// The part of the weights for many pieces and for few.
    parts: Pair,
    result: f32,
}

impl Regression {
    /// Nothing is known but material. `None` for a board without patterns.
    pub fn new(board: &Board) -> Option<Self> {
        let all = FEATURES + ALL_PATTERNS;
        let mut weights = vec![[0.0; 2]; all];
        weights[0] = [1.0, 1.0];
        weights[1] = [1.5, 1.5];
        Some(Regression {
            patterns: Patterns::new(board)?,
            evaluation: Evaluation::new(board, &Weights::MATERIAL),
            weights,
            squares: vec![[1e-3; 2]; all],
            counts: vec![0; all],
        })
    }

    fn terms(&self, sample: &Sample) -> Terms {
        let features = self.evaluation.features(&sample.position).map(|x| x as i8);
        let features = (0..).zip(features).filter(|(_, x)| *x != 0);
        let patterns = self.patterns.of(&sample.position).map(|n| ((FEATURES + n) as u32, 1));
        let part = self.evaluation.part_of_many(&sample.position) as f32;
        Terms {
            terms: features.chain(patterns).collect(),
            parts: [part, 1.0 - part],
            result: sample.result as f32,
        }
    }

    /// Makes the results more likely; the mean loss that is left.
    pub fn fit(&mut self, samples: &[Sample]) -> f64 {
        let terms: Vec<Terms> = samples.iter().map(|sample| self.terms(sample)).collect();
        for (number, _) in terms.iter().flat_map(|t| &t.terms) {
            self.counts[*number as usize] += 1;
        }
        // Positions of a game are not taken one after the other, as they are much alike.
        let stride = coprime(terms.len(), terms.len() * 5 / 8);
        let mut at = 0;
        for pass in 0..PASSES {
            let pace = PACE / (1 + pass) as f32;
            for _ in 0..terms.len() {
                self.learn(&terms[at], pace);
                at = (at + stride) % terms.len();
            }
        }
        let loss = terms.iter().map(|t| {
            let chance = f64::from(self.chance(t)).clamp(1e-9, 1.0 - 1e-9);
            let result = f64::from(t.result);
            -result * chance.ln() - (1.0 - result) * (1.0 - chance).ln()
        });
        loss.sum::<f64>() / terms.len() as f64
    }

    fn chance(&self, t: &Terms) -> f32 {
        let score: f32 = t.terms.iter().fold(0.0, |sum, &(number, x)| {
            let [many, few] = self.weights[number as usize];
            sum + f32::from(x) * (t.parts[0] * many + t.parts[1] * few)
        });
        1.0 / (1.0 + (-score).exp())
    }

    fn learn(&mut self, t: &Terms, pace: f32) {
        let error = self.chance(t) - t.result;
        for &(number, x) in &t.terms {
            let number = number as usize;
            let decay = if number < FEATURES { 0.0 } else { DECAY };
            for (k, part) in t.parts.iter().enumerate() {
                let weight = &mut self.weights[number][k];
                let gradient = error * f32::from(x) * part + decay * *weight;
                let square = &mut self.squares[number][k];
                *square += gradient * gradient;
                *weight -= pace * gradient / square.sqrt();
            }
        }
    }

    /// The weights, so that a man is worth a thousand half-way between many pieces and few.
    pub fn table(&self) -> PatternTable {
        let [many, few] = self.weights[0];
        let thousandths = |w: f32| (2000.0 * w / (many + few)).round() as i16;
        let rounded = |(number, pair): (usize, &Pair)| {
            if self.counts[number] < LEAST_COUNT { [0; 2] } else { pair.map(thousandths) }
        };
        PatternTable::new(self.weights.iter().enumerate().map(rounded).collect())
    }
}

/// The first number from `from` on that has no divisor in common with `n`.
fn coprime(n: usize, from: usize) -> usize {
    let divisor = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (from.max(1)..).find(|&s| divisor(s, n) == 1).unwrap_or(1)
}
