//! Logistic regression by Newton's method: the chance to win is 1 / (1 + e^-s), where s is the
//! score.

use draughtproof_proof::heuristic::{Evaluation, FEATURES, Features, Weights};

use crate::play::Sample;

/// The strength with which weights are drawn to those of material alone, as a number of positions.
const RIDGE: f64 = 300.0;

/// The features of a position, and its result for the side to move.
type Row = (Features, f64);

/// The weights that maximise the likelihood of the results, and the mean losses that remain: with
/// many pieces and with few. The effect of a man on the chance to win differs greatly between the
/// two, but it is the unit in both.
pub fn fit(samples: &[Sample], evaluation: &Evaluation, squares: u32) -> (Weights, [f64; 2]) {
    // With few pieces less than three eighths of the squares are taken.
    let half = |few: bool| -> Vec<Row> {
        let some = samples.iter().filter(|s| (8 * s.position.pieces() < 3 * squares) == few);
        some.map(|s| (evaluation.features(&s.position), s.result)).collect()
    };
    let (many, loss_of_many) = fit_some(&half(false));
    let (few, loss_of_few) = fit_some(&half(true));
    (Weights { many, few }, [loss_of_many, loss_of_few])
}

fn fit_some(samples: &[Row]) -> ([i32; FEATURES], f64) {
    let material = Weights::MATERIAL.few.map(|w| f64::from(w) / 1000.0);
    let mut weights = material;
    let mut loss = total_loss(samples, &material, &weights);
    loop {
        let mut gradient: [f64; FEATURES] =
            std::array::from_fn(|i| RIDGE * (material[i] - weights[i]));
        let mut hessian = [[0.0; FEATURES]; FEATURES];
        for (i, row) in hessian.iter_mut().enumerate() {
            row[i] = RIDGE;
        }
        for (features, result) in samples {
            let inputs = features.map(f64::from);
            let chance = chance(&inputs, &weights);
            let curve = chance * (1.0 - chance);
            for (i, &x) in inputs.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                gradient[i] += (result - chance) * x;
                for (h, y) in hessian[i].iter_mut().zip(&inputs) {
                    *h += curve * x * y;
                }
            }
        }
        // Newton's step may be too long.
        let step = solve(hessian, gradient);
        let shorter = (0..20).map(|halvings| 0.5f64.powi(halvings)).find_map(|part| {
            let next = std::array::from_fn(|i| weights[i] + part * step[i]);
            let better = total_loss(samples, &material, &next);
            (better < loss - 1e-3).then_some((next, better))
        });
        let Some((next, better)) = shorter else { break };
        (weights, loss) = (next, better);
    }
    let man = weights[0];
    (weights.map(|w| (1000.0 * w / man).round() as i32), loss / samples.len() as f64)
}

/// The chance to win by some weights.
fn chance(inputs: &[f64; FEATURES], weights: &[f64; FEATURES]) -> f64 {
    let score: f64 = inputs.iter().zip(weights).map(|(x, w)| x * w).sum();
    1.0 / (1.0 + (-score).exp())
}

/// The function that is minimised: the negative log-likelihood of the results, and the distance of
/// the weights from the given ones.
fn total_loss(samples: &[Row], given: &[f64; FEATURES], weights: &[f64; FEATURES]) -> f64 {
    let far: f64 = weights.iter().zip(given).map(|(w, g)| (w - g) * (w - g)).sum();
    let unlikely = samples.iter().map(|(features, result)| {
        let chance = chance(&features.map(f64::from), weights);
        let (yes, no) = (chance.max(1e-12).ln(), (1.0 - chance).max(1e-12).ln());
        -result * yes - (1.0 - result) * no
    });
    unlikely.sum::<f64>() + RIDGE / 2.0 * far
}

/// Solves a positive definite system of equations by Gaussian elimination.
fn solve(mut a: [[f64; FEATURES]; FEATURES], mut b: [f64; FEATURES]) -> [f64; FEATURES] {
    for i in 0..FEATURES {
        let (pivot, right) = (a[i], b[i]);
        for j in i + 1..FEATURES {
            let factor = a[j][i] / pivot[i];
            for (x, p) in a[j].iter_mut().zip(&pivot) {
                *x -= factor * p;
            }
            b[j] -= factor * right;
        }
    }
    for i in (0..FEATURES).rev() {
        let known: f64 = (i + 1..FEATURES).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    b
}
