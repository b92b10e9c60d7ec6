//! Fits a network: Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015) on the
//! cross-entropy between the expected result of a position and the output of the network.

use draughtproof_proof::heuristic::network::{HIDDEN, Inputs, Parameters, SECOND};
use rayon::prelude::*;

/// The number of positions between two updates of the parameters.
const BATCH: usize = 8192;
/// The number of positions whose gradients are summed in order, so that sums do not depend on
/// threads.
const CHUNK: usize = 1024;
/// The decay rates of the means of gradients and of their squares.
const MOMENTS: [f32; 2] = [0.9, 0.999];

/// A position as input of the network.
pub struct Example {
    pub inputs: Inputs,
    /// The expected result for the side to move: 0 lost, 1 won.
    pub expected: f32,
}

/// A network that is fitted, and the state of Adam.
pub struct Training {
    pub parameters: Parameters,
    moments: [Parameters; 2],
    steps: i32,
}

impl Training {
    pub fn new(parameters: Parameters) -> Self {
        let moments = [Parameters::zero(), Parameters::zero()];
        Training { parameters, moments, steps: 0 }
    }

    /// Goes over all examples once, in the given order; returns the mean loss.
    pub fn pass(&mut self, examples: &[Example], order: &[u32], pace: impl Fn(f32) -> f32) -> f64 {
        let mut total = 0.0;
        for (number, batch) in order.chunks(BATCH).enumerate() {
            let parameters = &self.parameters;
            let sums: Vec<(Parameters, f64)> = batch
                .par_chunks(CHUNK)
                .map(|chunk| {
                    let mut gradient = Parameters::zero();
                    let losses = chunk
                        .iter()
                        .map(|&i| learn(parameters, &examples[i as usize], &mut gradient));
                    let loss = losses.sum();
                    (gradient, loss)
                })
                .collect();
            let mut sums = sums.into_iter();
            let Some((mut gradient, mut loss)) = sums.next() else { break };
            for (other, its_loss) in sums {
                gradient.values_mut().zip(other.values()).for_each(|(g, o)| *g += o);
                loss += its_loss;
            }
            total += loss;
            let done = (number * BATCH) as f32 / order.len() as f32;
            self.step(&gradient, 1.0 / batch.len() as f32, pace(done));
        }
        total / order.len() as f64
    }

    fn step(&mut self, gradient: &Parameters, factor: f32, pace: f32) {
        self.steps += 1;
        let [first, second] = MOMENTS.map(|m| 1.0 - m.powi(self.steps));
        let [means, squares] = &mut self.moments;
        let moments = means.values_mut().zip(squares.values_mut());
        for ((value, g), (mean, square)) in
            self.parameters.values_mut().zip(gradient.values()).zip(moments)
        {
            let g = g * factor;
            *mean += (1.0 - MOMENTS[0]) * (g - *mean);
            *square += (1.0 - MOMENTS[1]) * (g * g - *square);
            *value -= pace * (*mean / first) / ((*square / second).sqrt() + 1e-8);
        }
    }
}

/// The loss of an example by the output of the network.
pub fn loss(parameters: &Parameters, example: &Example) -> f64 {
    cross_entropy(parameters.activity(&example.inputs).output, example.expected)
}

fn cross_entropy(out: f32, expected: f32) -> f64 {
    // ln(1 + e^x) without overflow.
    let soft = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    let (out, expected) = (f64::from(out), f64::from(expected));
    expected * soft(-out) + (1.0 - expected) * soft(out)
}

/// Adds the gradient of the loss of an example to `gradient`; returns the loss.
fn learn(parameters: &Parameters, example: &Example, gradient: &mut Parameters) -> f64 {
    let inputs = &example.inputs;
    let found = parameters.activity(inputs);
    let error = 1.0 / (1.0 + (-found.output).exp()) - example.expected;
    let (layer, changes) = (&parameters.parts[inputs.part], &mut gradient.parts[inputs.part]);

    // The derivative of the loss by the input of each unit, which is zero where its value is
    // clipped.
    let is_free = |value: f32| value > 0.0 && value < 1.0;
    let second: [f32; SECOND] =
        std::array::from_fn(|o| if is_free(found.second[o]) { error * layer.last[o] } else { 0.0 });
    add(&mut changes.last_bias, &[error]);
    add(&mut changes.last, &found.second.map(|value| error * value));
    add(&mut changes.second_bias, &second);
    let mut hidden = [0.0; HIDDEN];
    for (i, value) in found.hidden.into_iter().enumerate() {
        add(&mut changes.second[i], &second.map(|s| value * s));
        if is_free(value) {
            hidden[i] = layer.second[i].iter().zip(&second).map(|(w, s)| w * s).sum();
        }
    }
    add(&mut gradient.hidden_bias, &hidden);
    for &input in inputs.active() {
        add(&mut gradient.hidden[usize::from(input)], &hidden);
    }
    cross_entropy(found.output, example.expected)
}

fn add<const N: usize>(to: &mut [f32; N], what: &[f32; N]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += w);
}
