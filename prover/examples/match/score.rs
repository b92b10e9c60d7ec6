//! Estimates the strength of the first engine from the games of a match.
//!
//! Two games from one opening, with colours exchanged, are not independent: an engine that wins
//! with the better side often loses with the other. So the *pair* is the unit, and its five scores
//! 0, ½, 1, 1½, 2 are counted (the pentanomial distribution). Mean and variance of these give the
//! difference in Elo, its error and the likelihood of superiority: those of the single games would
//! give too large an error. The log-likelihood ratio of the sequential test is below.
//!
//! A sequential test: is the first engine stronger by `elo1`, or only by `elo0`?
//!
//! It is the generalised sequential probability ratio test: after each pair the log-likelihood
//! ratio of the two hypotheses is computed, with the distributions that fit the counts best among
//! all that have the expected score of the hypothesis, and the match ends when the ratio leaves the
//! bounds of Wald's test. Its source is X. Li, J. Liu, Z. Ying, *Generalized sequential
//! probability ratio test for separate families of hypotheses*, Sequential Analysis 33 (2014); the
//! best fit is proposition 1.1 of M. Van den Bergh's note
//! <http://hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf>, as Fishtest uses it on pairs of
//! games.

use std::collections::BTreeMap;
use std::str::FromStr;

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

/// The probability of each of the two wrong decisions.
const RISK: f64 = 0.05;

/// The number that replaces a count of zero, to which no distribution could be fitted.
const NEVER: f64 = 1e-3;

/// Two hypotheses about the difference in Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
}

impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |text: &str| text.trim().parse().ok().filter(|elo: &f64| elo.is_finite());
        let two = text.split_once(',').and_then(|(elo0, elo1)| Some((read(elo0)?, read(elo1)?)));
        match two {
            Some((elo0, elo1)) if elo0 < elo1 => Ok(Sprt { elo0, elo1 }),
            _ => Err("expected two differences in Elo, the smaller one first, such as 0,10".into()),
        }
    }
}

impl Sprt {
    /// The log-likelihood ratio: positive where `elo1` is the likelier difference; 0 without pairs.
    pub fn ratio(&self, pairs: &[u64; 5]) -> f64 {
        if pairs.iter().all(|&n| n == 0) {
            return 0.0;
        }
        let counts = pairs.map(|n| if n == 0 { NEVER } else { n as f64 });
        let fitted = [self.elo0, self.elo1].map(|elo| fit(&counts, expected_share(elo)));
        (0..5).map(|i| counts[i] * (fitted[1][i] / fitted[0][i]).ln()).sum()
    }

    /// The bounds: below the first `elo0` is accepted, above the second `elo1`.
    pub fn bounds() -> (f64, f64) {
        ((RISK / (1.0 - RISK)).ln(), ((1.0 - RISK) / RISK).ln())
    }

    /// Whether `elo1` is accepted; `None` while the test is undecided.
    pub fn decision(&self, pairs: &[u64; 5]) -> Option<bool> {
        let (ratio, (low, high)) = (self.ratio(pairs), Sprt::bounds());
        if ratio >= high { Some(true) } else { (ratio <= low).then_some(false) }
    }

    /// The accepted difference in Elo.
    pub fn accepted(&self, is_higher: bool) -> f64 {
        if is_higher { self.elo1 } else { self.elo0 }
    }
}

/// The most likely frequencies of the five scores, given the counts, among those with this mean:
/// p / (1 + x (score − mean)) for the x with which they add up to 1 and have that mean.
fn fit(counts: &[f64; 5], mean: f64) -> [f64; 5] {
    let observed = distribution(counts);
    let excess = |x: f64| -> f64 {
        observed.iter().map(|(score, p)| p * (score - mean) / (1.0 + x * (score - mean))).sum()
    };
    // All frequencies are positive between these bounds, and the excess falls from +∞ to −∞.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    let x = (low + high) / 2.0;
    observed.map(|(score, p)| p / (1.0 + x * (score - mean)))
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

#[cfg(test)]
mod sprt_tests {
    use super::{Sprt, fit};

    /// Compares with the numbers in the tests of fastchess (`app/tests/sprt_test.cpp`, logistic
    /// model).
    #[test]
    fn published_ratios() {
        for (pairs, hypotheses, expected) in [
            ([223, 9863, 21279, 10037, 246], "0.5,2.5", -3.07),
            ([871, 26175, 55983, 26678, 821], "0,2", -4.98),
        ] {
            let ratio = hypotheses.parse::<Sprt>().unwrap().ratio(&pairs);
            assert!((ratio - expected).abs() < 0.01, "{ratio}, expected {expected}");
        }
    }

    #[test]
    fn fitted_frequencies_have_the_mean() {
        let fitted = fit(&[3.0, 1e-3, 20.0, 9.0, 1.0], 0.7);
        let mean: f64 = (0..5).map(|i| i as f64 / 4.0 * fitted[i]).sum();
        assert!((mean - 0.7).abs() < 1e-9 && (fitted.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn decisions() {
        let sprt: Sprt = "0,20".parse().unwrap();
        assert_eq!((sprt.ratio(&[0; 5]), sprt.decision(&[0; 5])), (0.0, None));
        assert_eq!(sprt.decision(&[1, 8, 30, 8, 1]), None);
        assert_eq!(sprt.decision(&[10, 200, 500, 200, 10]), Some(false));
        assert_eq!(sprt.decision(&[0, 10, 100, 60, 10]), Some(true));
        assert_eq!([false, true].map(|higher| sprt.accepted(higher)), [0.0, 20.0]);
        assert!((Sprt::bounds().1 - 2.944).abs() < 0.001);
    }

    #[test]
    fn what_is_no_pair_of_hypotheses() {
        for text in ["", "1", "5,0", "0,0", "0,NaN", "0,1,2"] {
            assert!(text.parse::<Sprt>().is_err(), "{text}");
        }
    }
}
