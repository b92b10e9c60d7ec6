//! A small network that values positions of 8x8.
//!
//! Its inputs say which of four kinds of pieces stands on which square, as the side to move sees
//! the board. Two layers of hidden units follow, whose values are kept between 0 and 1, and one
//! output; the second layer and the output have weights for the number of pieces on the board. Like
//! the evaluations of Stockfish after Nasu ("Efficiently updatable neural-network-based evaluation
//! functions for computer shogi", 2018) it is made for sparse inputs and integers; see [`Network`].

mod integer;

pub use integer::Network;

use crate::board::{Board, Position, Side};

/// Weights of the later layers: as many sets.
pub const PARTS: usize = 4;
/// The most pieces on the board of checkers.
const PIECES: usize = 24;

/// The inputs of a network, taken from a position.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// The inputs that are 1, of [`INPUTS`].
    active: [u8; PIECES],
    count: u8,
    /// The number of the set of weights of the later layers.
    pub part: usize,
}

impl Inputs {
    /// The inputs of a position of 8x8.
    pub fn of(position: &Position) -> Self {
        let mut inputs = Inputs { active: [0; PIECES], count: 0, part: part(position) };
        for (kind, bytes) in rows(position).into_iter().enumerate() {
            let mut squares = u32::from_le_bytes(bytes);
            while squares != 0 && usize::from(inputs.count) < PIECES {
                let square = squares.trailing_zeros() as u8;
                inputs.active[usize::from(inputs.count)] = 32 * kind as u8 + square;
                inputs.count += 1;
                squares &= squares - 1;
            }
        }
        inputs
    }

    /// The numbers of the inputs that are 1.
    pub fn active(&self) -> &[u8] {
        &self.active[..usize::from(self.count)]
    }
}

/// Whether networks are for a board.
pub(super) fn is_for(board: &Board) -> bool {
    (board.rows(), board.columns()) == (8, 8)
}

/// Returns the number of the set of weights for a position.
fn part(position: &Position) -> usize {
    match position.pieces() {
        ..=9 => 0,
        10..=13 => 1,
        14..=18 => 2,
        _ => 3,
    }
}

/// The squares of own men, own kings, enemy men and enemy kings, four bytes of two rows each, as
/// the side to move sees the board.
#[inline(always)]
fn rows(p: &Position) -> [[u8; 4]; 4] {
    let (own, enemy) = match p.turn {
        Side::Black => (p.black, p.white),
        Side::White => (p.white, p.black),
    };
    let seen = |bits: u64| {
        // Turned by half a turn, the 35 bits of 8x8 are reversed.
        let bits = if p.turn == Side::Black { bits } else { bits.reverse_bits() >> 29 };
        // Two rows are eight bits one beside the other, and a bit that is no square follows.
        [bits as u8, (bits >> 9) as u8, (bits >> 18) as u8, (bits >> 27) as u8]
    };
    [seen(own & !p.kings), seen(own & p.kings), seen(enemy & !p.kings), seen(enemy & p.kings)]
}

/// The number of inputs: four kinds of pieces on 32 squares.
pub const INPUTS: usize = 128;
/// The number of units of the first hidden layer.
pub const HIDDEN: usize = 64;
/// The number of units of the second hidden layer.
pub const SECOND: usize = 16;

/// All parameters of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// The weights of the first layer: for each input, what it adds to each unit.
    pub hidden: Vec<[f32; HIDDEN]>,
    /// The biases of the first layer.
    pub hidden_bias: [f32; HIDDEN],
    /// The later layers, for each part of the game.
    pub parts: Vec<Layers>,
}

/// The second layer and the output.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    /// The weights of the second layer: for each unit of the first, what it adds to each of the
    /// second.
    pub second: Box<[[f32; SECOND]; HIDDEN]>,
    /// The biases of the second layer.
    pub second_bias: [f32; SECOND],
    /// The weights of the output: what each unit of the second layer adds to it.
    pub last: [f32; SECOND],
    /// The bias of the output.
    pub last_bias: [f32; 1],
}

/// The values of all units of a network for a position.
pub struct Activity {
    /// The first layer; each value is between 0 and 1.
    pub hidden: [f32; HIDDEN],
    /// The second layer; each value is between 0 and 1.
    pub second: [f32; SECOND],
    /// The output: the logarithm of the odds that the side to move wins, where a draw is half a
    /// win.
    pub output: f32,
}

impl Parameters {
    /// Parameters that are all zero.
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

    /// The parameters as bytes: four bytes each, little-endian.
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

    /// The values of all units for these inputs.
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
    fn a_file_is_exactly_its_parameters() {
        let bytes = include_bytes!("network.bin");
        assert_eq!(Parameters::fitted().to_bytes(), bytes);
        assert_eq!(Parameters::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Parameters::from_bytes(&[&bytes[..], &[0; 4]].concat()), None);
    }
}
