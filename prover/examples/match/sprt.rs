//! A sequential test: is the first engine stronger by `elo1`, or only by `elo0`?
//!
//! It is the generalised sequential probability ratio test: after each pair the log-likelihood
//! ratio of the two hypotheses is computed, with the distributions that fit the counts best among
//! all that have the expected score of the hypothesis, and the match ends when the ratio leaves the
//! bounds of Wald's test. The test is that of X. Li, J. Liu, Z. Ying, *Generalized sequential
//! probability ratio test for separate families of hypotheses*, Sequential Analysis 33 (2014); the
//! best fit is proposition 1.1 of M. Van den Bergh's note
//! <http://hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf>, as Fishtest uses it on pairs of
//! games.

use std::str::FromStr;

use crate::score::{distribution, expected_share};

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
    use super::{Sprt, fit};

    /// The numbers are those of the tests of fastchess (`app/tests/sprt_test.cpp`, logistic model).
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
