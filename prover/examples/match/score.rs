//! Estimates the strength of the first engine from the games of a match.
//!
//! Two games from one opening, with colours exchanged, are not independent: an engine that wins
//! with the better side often loses with the other. So the *pair* is the unit, and its five scores
//! 0, ½, 1, 1½, 2 are counted (the pentanomial distribution). Mean and variance of these give the
//! difference in Elo, its error and the likelihood of superiority: those of the single games would
//! give too large an error. The log-likelihood ratio of the sequential test is in [`crate::sprt`].

use std::collections::BTreeMap;

/// The counts of a match so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Score {
    /// The numbers of games that the first engine won, drew and lost.
    pub games: [u64; 3],
    /// The numbers of pairs in which it had 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
    /// The half points of games whose pair is not complete, by pair.
    halves: BTreeMap<usize, usize>,
}

/// An estimate of the difference in strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The difference in Elo; infinite if all games were won or lost.
    pub elo: f64,
    /// The lower end of the interval that has the true difference with 95 % confidence.
    pub low: f64,
    /// The upper end of that interval.
    pub high: f64,
    /// The probability that the first engine is the stronger one, from 0 to 1.
    pub superiority: f64,
}

/// The number of standard deviations within which a normal variable is with 95 %.
const DEVIATIONS_95: f64 = 1.959_964;

impl Score {
    /// Counts a game of a pair, with the half points of the first engine.
    pub fn add(&mut self, pair: usize, half_points: usize) {
        self.games[2 - half_points] += 1;
        match self.halves.remove(&pair) {
            Some(other) => self.pairs[half_points + other] += 1,
            None => drop(self.halves.insert(pair, half_points)),
        }
    }

    /// The share of the points that the first engine has, from 0 to 1; ½ without games.
    pub fn share(&self) -> f64 {
        let [wins, draws, losses] = self.games.map(|n| n as f64);
        let games = wins + draws + losses;
        if games == 0.0 { 0.5 } else { (wins + draws / 2.0) / games }
    }

    /// The difference in strength; `None` without a complete pair.
    pub fn estimate(&self) -> Option<Estimate> {
        let pairs: u64 = self.pairs.iter().sum();
        if pairs == 0 {
            return None;
        }
        let (mean, variance) = moments(&distribution(&self.pairs.map(|n| n as f64)));
        let error = (variance / pairs as f64).sqrt();
        let superiority = match (mean - 0.5, error) {
            (ahead, 0.0) => (ahead.signum() * f64::from(u8::from(ahead != 0.0)) + 1.0) / 2.0,
            (ahead, error) => normal(ahead / error),
        };
        Some(Estimate {
            elo: elo(mean),
            low: elo(mean - DEVIATIONS_95 * error),
            high: elo(mean + DEVIATIONS_95 * error),
            superiority,
        })
    }
}

/// The five scores of a pair, as shares of its points, with their frequencies.
pub fn distribution(pairs: &[f64; 5]) -> [(f64, f64); 5] {
    let all: f64 = pairs.iter().sum();
    std::array::from_fn(|i| (i as f64 / 4.0, pairs[i] / all))
}

/// The mean and the variance of a distribution.
fn moments(distribution: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = distribution.iter().map(|(score, p)| score * p).sum();
    let variance = distribution.iter().map(|(score, p)| (score - mean).powi(2) * p).sum();
    (mean, variance)
}

/// The difference in Elo at which this share of the points is expected.
pub fn elo(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    // Adding zero removes the sign of a negative zero.
    -400.0 * (1.0 / share - 1.0).log10() + 0.0
}

/// The share of the points that is expected at a difference in Elo.
pub fn expected_share(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// The distribution function of the normal distribution (Abramowitz and Stegun, 26.2.17; the error
/// is less than 10⁻⁷).
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let factors = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = factors.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    let tail = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum;
    if x < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::{Score, elo, expected_share, normal};

    fn is_near(found: f64, expected: f64, error: f64) {
        assert!((found - expected).abs() <= error, "{found}, expected {expected}");
    }

    /// Counts of pairs with difference, half the interval, and likelihood in percent, from the
    /// tests of fastchess (`app/tests/elo_test.cpp`).
    #[test]
    fn published_estimates() {
        for (pairs, difference, error, superiority) in [
            ([34, 54, 63, 64, 75], 55.58, 27.65, 100.0),
            ([332, 433, 498, 333, 334], -8.64, 10.33, 5.05),
            ([7895, 8757, 5685, 568, 9999], -21.04, 2.95, 0.0),
        ] {
            let found = Score { pairs, ..Score::default() }.estimate().unwrap();
            is_near(found.elo, difference, 0.01);
            is_near((found.high - found.low) / 2.0, error, 0.01);
            is_near(found.superiority * 100.0, superiority, 0.01);
        }
    }

    #[test]
    fn games_make_pairs() {
        let mut score = Score::default();
        assert_eq!((score.share(), score.estimate()), (0.5, None));
        for (pair, half_points) in [(0, 2), (1, 1), (1, 0), (0, 1), (2, 2)] {
            score.add(pair, half_points);
        }
        assert_eq!((score.games, score.pairs), ([2, 2, 1], [0, 1, 0, 1, 0]));
        assert_eq!(score.share(), 0.6);
        // The pair of the fifth game is not complete.
        is_near(score.estimate().unwrap().elo, 0.0, 1e-9);
    }

    #[test]
    fn what_is_always_the_same() {
        let estimate = |pairs| Score { pairs, ..Score::default() }.estimate().unwrap();
        let won = estimate([0, 0, 0, 0, 3]);
        assert_eq!((won.elo, won.low, won.superiority), (f64::INFINITY, f64::INFINITY, 1.0));
        assert_eq!(estimate([3, 0, 0, 0, 0]).superiority, 0.0);
        let drawn = estimate([0, 0, 3, 0, 0]);
        assert_eq!((drawn.elo, drawn.low, drawn.high, drawn.superiority), (0.0, 0.0, 0.0, 0.5));
    }

    #[test]
    fn functions() {
        is_near(elo(0.64), 99.95, 0.01);
        is_near(expected_share(elo(0.37)), 0.37, 1e-12);
        for (x, expected) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.959_964, 0.025), (-6.0, 0.0)] {
            is_near(normal(x), expected, 1e-7);
        }
    }
}
