//! The parameters of a network as it is fitted and kept in a file, and its plain evaluation.

use super::{Inputs, PARTS};

/// Four kinds of pieces on 32 squares.
pub const INPUTS: usize = 128;
/// Units of the first hidden layer.
pub const HIDDEN: usize = 64;
/// Units of the second hidden layer.
pub const SECOND: usize = 16;

/// All parameters of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// For each input what it adds to each unit of the first layer.
    pub hidden: Vec<[f32; HIDDEN]>,
    /// What these begin with.
    pub hidden_bias: [f32; HIDDEN],
    /// The later layers, for each part of the game.
    pub parts: Vec<Layers>,
}

/// The second layer and the output.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    /// For each unit of the first layer what it adds to each of the second.
    pub second: Box<[[f32; SECOND]; HIDDEN]>,
    /// What these begin with.
    pub second_bias: [f32; SECOND],
    /// What each unit of the second layer adds to the output.
    pub last: [f32; SECOND],
    /// What the output begins with.
    pub last_bias: [f32; 1],
}

/// The values of the units of a network.
pub struct Activity {
    /// The first layer, between 0 and 1.
    pub hidden: [f32; HIDDEN],
    /// The second layer, between 0 and 1.
    pub second: [f32; SECOND],
    /// The output: the logarithm of the odds that the side to move wins, a draw being half a win.
    pub output: f32,
}

impl Parameters {
    /// All parameters zero.
    pub fn zero() -> Self {
        let layers = Layers {
            second: Box::new([[0.0; SECOND]; HIDDEN]),
            second_bias: [0.0; SECOND],
            last: [0.0; SECOND],
            last_bias: [0.0],
        };
        Parameters {
            hidden: vec![[0.0; HIDDEN]; INPUTS],
            hidden_bias: [0.0; HIDDEN],
            parts: vec![layers; PARTS],
        }
    }

    /// The parameters in use, made by `cargo run --release -p prover --example fit_network`:
    /// docs/experiments/064 has the games and the figures.
    ///
    /// # Panics
    /// Never: a test reads them.
    pub fn fitted() -> Self {
        let bytes = include_bytes!("network.bin");
        Self::from_bytes(bytes).unwrap_or_else(|| unreachable!("a test reads the network"))
    }

    /// Reads what [`Parameters::to_bytes`] wrote; `None` if there are too few or too many bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut parameters = Self::zero();
        let mut numbers = bytes.chunks_exact(4);
        for value in parameters.values_mut() {
            *value = f32::from_le_bytes(numbers.next()?.try_into().ok()?);
        }
        (numbers.next().is_none() && numbers.remainder().is_empty()).then_some(parameters)
    }

    /// Each parameter as four bytes, the lower first.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.values().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// All parameters in the order of the file.
    pub fn values(&self) -> impl Iterator<Item = &f32> {
        let parts = self.parts.iter().flat_map(|layers| {
            let Layers { second, second_bias, last, last_bias } = layers;
            second.as_flattened().iter().chain(second_bias).chain(last).chain(last_bias)
        });
        self.hidden.as_flattened().iter().chain(&self.hidden_bias).chain(parts)
    }

    /// All parameters in the order of the file.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let parts = self.parts.iter_mut().flat_map(|layers| {
            let Layers { second, second_bias, last, last_bias } = layers;
            second.as_flattened_mut().iter_mut().chain(second_bias).chain(last).chain(last_bias)
        });
        self.hidden.as_flattened_mut().iter_mut().chain(&mut self.hidden_bias).chain(parts)
    }

    /// The values of all units.
    pub fn activity(&self, inputs: &Inputs) -> Activity {
        let mut hidden = self.hidden_bias;
        for &input in inputs.active() {
            let weights = &self.hidden[usize::from(input)];
            hidden.iter_mut().zip(weights).for_each(|(h, w)| *h += w);
        }
        let hidden = hidden.map(|h| h.clamp(0.0, 1.0));
        let layers = &self.parts[inputs.part];
        let mut second = layers.second_bias;
        for (h, weights) in hidden.iter().zip(layers.second.iter()) {
            second.iter_mut().zip(weights).for_each(|(s, w)| *s += h * w);
        }
        let second = second.map(|s| s.clamp(0.0, 1.0));
        let products = second.iter().zip(&layers.last).map(|(s, w)| s * w);
        Activity { hidden, second, output: products.sum::<f32>() + layers.last_bias[0] }
    }
}

#[cfg(test)]
mod tests {
    use super::Parameters;

    #[test]
    fn a_file_has_all_parameters_and_nothing_else() {
        let bytes = include_bytes!("network.bin");
        assert_eq!(Parameters::fitted().to_bytes(), bytes);
        assert_eq!(Parameters::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Parameters::from_bytes(&[&bytes[..], &[0; 4]].concat()), None);
    }
}
