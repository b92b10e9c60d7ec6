//! A network in integers: the form that a search evaluates.
//!
//! A row of the board has four squares, and its pieces are one of 5⁴ = 625 possible rows. A table
//! has what the pieces of a row add to the first layer, so that the layer is a sum of eight table
//! entries, for any number of pieces.

use super::{HIDDEN, PARTS, Parameters, SECOND, is_for, part, rows};
use crate::board::{Board, Position};

/// The number of ways in which a row can be occupied.
const ROWS: usize = 5usize.pow(4);
/// The integer that stands for a value of 1 of a unit.
const ONE: i32 = 1024;
/// The binary logarithm of the integer that stands for a weight of 1 of the second layer.
const WEIGHT_BITS: u32 = 9;
const WEIGHT_ONE: f32 = (1 << WEIGHT_BITS) as f32;
const HALF: i32 = 1 << (WEIGHT_BITS - 1);
/// The greatest weight of the second layer, such that sums fit into 32 bits.
const MOST_WEIGHT: f32 = 15.0;
/// The integer that stands for a weight of 1 of the output.
const LAST_ONE: f32 = 64.0;
/// The score for an output of 1, in hundredths of a man.
const HUNDREDTHS: f32 = 140.0;

/// A row's sums for the first layer, aligned to cache lines.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Sums([i16; HIDDEN]);

/// The second layer and the output.
#[derive(Clone)]
struct Part {
    /// For each pair of units of the first layer, what both add to each unit of the second: the
    /// order in which processor instructions multiply and add pairs.
    second: [[[i16; 2]; SECOND]; HIDDEN / 2],
    second_bias: [i32; SECOND],
    last: [i32; SECOND],
    last_bias: i32,
}

/// A network that evaluates positions of 8x8.
#[derive(Clone)]
pub struct Network {
    rows: Box<[[Sums; ROWS]; 8]>,
    bias: Sums,
    parts: Box<[Part; PARTS]>,
    /// For each set of squares of two rows, the sums of their powers of five, the first row in the
    /// lower half.
    powers: Box<[u32; 256]>,
}

impl Network {
    /// The network with these parameters, or `None` for a board other than 8x8.
    pub fn new(board: &Board, parameters: &Parameters) -> Option<Self> {
        if !is_for(board) {
            return None;
        }
        Some(Network {
            rows: row_sums(parameters)?,
            bias: Sums(parameters.hidden_bias.map(|b| (b * ONE as f32).round() as i16)),
            parts: Box::new(std::array::from_fn(|number| Part::new(parameters, number))),
            powers: Box::new(std::array::from_fn(powers_of_five)),
        })
    }

    /// The score for the side to move, in hundredths of a man; `FAST` says that the processor has
    /// AVX2.
    #[inline(always)]
    pub(in super::super) fn score<const FAST: bool>(&self, position: &Position) -> i32 {
        let part = &self.parts[part(position)];
        #[cfg(target_arch = "x86_64")]
        if FAST {
            // SAFETY: the processor has the instructions.
            return unsafe { part.output(part.second_fast(&self.hidden_fast(position))) };
        }
        part.output(part.second(&self.hidden(position)))
    }

    /// The sums for the first layer of the eight rows of a position.
    #[inline(always)]
    fn rows(&self, position: &Position) -> [&Sums; 8] {
        let [men, kings, enemy_men, enemy_kings] = rows(position);
        let mut sums = [&self.bias; 8];
        for pair in 0..4 {
            let power = |of: [u8; 4]| self.powers[usize::from(of[pair])];
            let pieces =
                power(men) + 2 * power(kings) + 3 * power(enemy_men) + 4 * power(enemy_kings);
            sums[2 * pair] = &self.rows[2 * pair][pieces as usize & 0xffff];
            sums[2 * pair + 1] = &self.rows[2 * pair + 1][pieces as usize >> 16];
        }
        sums
    }

    /// The values of the first layer.
    fn hidden(&self, position: &Position) -> [i16; HIDDEN] {
        let mut sums = self.bias.0;
        for row in self.rows(position) {
            sums.iter_mut().zip(&row.0).for_each(|(sum, of_row)| *sum = sum.wrapping_add(*of_row));
        }
        sums.map(|sum| sum.clamp(0, ONE as i16))
    }

    /// Like `hidden`, sixteen values at a time: compiled for a processor with AVX2, the loop there
    /// does one at a time.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn hidden_fast(&self, position: &Position) -> [i16; HIDDEN] {
        use std::arch::x86_64::{
            _mm256_add_epi16, _mm256_loadu_si256, _mm256_max_epi16, _mm256_min_epi16,
            _mm256_set1_epi16, _mm256_setzero_si256, _mm256_storeu_si256,
        };
        const { assert!(HIDDEN.is_multiple_of(16)) };
        let rows = self.rows(position);
        let mut all = [0; HIDDEN];
        for (first, values) in (0..).step_by(16).zip(all.as_chunks_mut::<16>().0) {
            // SAFETY: sixteen numbers are 32 bytes, and a row has them from `first` on.
            let load = |of: &Sums| unsafe { _mm256_loadu_si256(of.0[first..].as_ptr().cast()) };
            let sum =
                rows.iter().fold(load(&self.bias), |sum, row| _mm256_add_epi16(sum, load(row)));
            let sum = _mm256_max_epi16(sum, _mm256_setzero_si256());
            let sum = _mm256_min_epi16(sum, _mm256_set1_epi16(ONE as i16));
            // SAFETY: `values` is 32 bytes.
            unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), sum) };
        }
        all
    }
}

/// Returns the summands of the first layer for each occupation of each row of the board.
fn row_sums(parameters: &Parameters) -> Option<Box<[[Sums; ROWS]; 8]>> {
    let mut table = vec![[Sums([0; HIDDEN]); ROWS]; 8];
    for (row, of_row) in table.iter_mut().enumerate() {
        for (pieces, entry) in of_row.iter_mut().enumerate() {
            let on_square = |i: usize| match pieces / 5usize.pow(i as u32) % 5 {
                0 => None,
                kind => Some(&parameters.hidden[32 * (kind - 1) + 4 * row + i]),
            };
            entry.0 = std::array::from_fn(|unit| {
                let sum: f32 = (0..4).filter_map(on_square).map(|weights| weights[unit]).sum();
                (sum * ONE as f32).round() as i16
            });
        }
    }
    table.try_into().ok()
}

/// For eight squares of two rows, the sums of their powers of five, the first row in the lower
/// half.
fn powers_of_five(squares: usize) -> u32 {
    let of_row =
        |squares: usize| (0..4).filter(|i| squares >> i & 1 == 1).map(|i| 5u32.pow(i)).sum::<u32>();
    of_row(squares & 15) | of_row(squares >> 4) << 16
}

impl Part {
    fn new(parameters: &Parameters, number: usize) -> Self {
        let layers = &parameters.parts[number];
        let weight = |w: f32| (w.clamp(-MOST_WEIGHT, MOST_WEIGHT) * WEIGHT_ONE).round();
        let both = ONE as f32 * WEIGHT_ONE;
        Part {
            second: std::array::from_fn(|pair| {
                std::array::from_fn(|unit| {
                    [0, 1].map(|i| weight(layers.second[2 * pair + i][unit]) as i16)
                })
            }),
            // With half a unit added, the truncation of later shifts rounds.
            second_bias: layers.second_bias.map(|b| (b * both).round() as i32 + HALF),
            last: layers.last.map(|w| (w * HUNDREDTHS * LAST_ONE).round() as i32),
            last_bias: (layers.last_bias[0] * HUNDREDTHS * LAST_ONE * ONE as f32).round() as i32,
        }
    }

    /// The output for sums of the second layer.
    #[inline(always)]
    fn output(&self, sums: [i32; SECOND]) -> i32 {
        let values = sums.map(|sum| (sum >> WEIGHT_BITS).clamp(0, ONE));
        let products = values.iter().zip(&self.last).map(|(value, weight)| value * weight);
        products.fold(self.last_bias, i32::wrapping_add) / (ONE * LAST_ONE as i32)
    }

    /// The sums of the second layer.
    fn second(&self, hidden: &[i16; HIDDEN]) -> [i32; SECOND] {
        let mut sums = self.second_bias;
        for (pair, weights) in hidden.as_chunks::<2>().0.iter().zip(&self.second) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += i32::from(pair[0]) * i32::from(weight[0]);
                *sum += i32::from(pair[1]) * i32::from(weight[1]);
            }
        }
        sums
    }

    /// Like `second`, sixteen products at a time.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn second_fast(&self, hidden: &[i16; HIDDEN]) -> [i32; SECOND] {
        use std::arch::x86_64::{
            _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_set1_epi32,
            _mm256_storeu_si256,
        };
        const { assert!(SECOND == 16) };
        // SAFETY: each array of 16 numbers of 32 bits, or pairs of 16, is 64 bytes.
        let load = |at: *const i32| unsafe {
            [_mm256_loadu_si256(at.cast()), _mm256_loadu_si256(at.add(8).cast())]
        };
        let mut sums = load(self.second_bias.as_ptr());
        for (pair, weights) in hidden.as_chunks::<2>().0.iter().zip(&self.second) {
            let pair = _mm256_set1_epi32(i32::from(pair[0] as u16) | (i32::from(pair[1])) << 16);
            let weights = load(weights.as_ptr().cast());
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pair, weights));
            }
        }
        let mut all = [0; SECOND];
        for (half, sum) in all.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
            // SAFETY: half of the array is 32 bytes.
            unsafe { _mm256_storeu_si256(half.as_mut_ptr().cast(), sum) };
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::Inputs;
    use super::{HUNDREDTHS, Network, ONE, Parameters};
    use crate::board::{Board, Game, Position};

    /// Positions of games with random moves.
    fn positions(game: &Game) -> Vec<Position> {
        let mut at = game.start();
        let mut moves = Vec::new();
        let next = |number: usize| {
            let position = at;
            game.board.successors(&position, &mut moves);
            at = moves.get(number * number % moves.len().max(1)).copied().unwrap_or(game.start());
            position
        };
        (0..3000).map(next).collect()
    }

    #[test]
    fn integers_agree_with_floats() {
        let game: Game = "8x8".parse().unwrap();
        let parameters = Parameters::fitted();
        let network = Network::new(&game.board, &parameters).unwrap();
        for position in positions(&game) {
            let exact = parameters.activity(&Inputs::of(&position)).output * HUNDREDTHS;
            let score = network.score::<false>(&position);
            assert!((exact - score as f32).abs() < 3.0, "{exact} {score}");
        }
    }

    #[test]
    fn first_layer_sums_fit_16_bits() {
        let parameters = Parameters::fitted();
        for (unit, bias) in parameters.hidden_bias.into_iter().enumerate() {
            // At most one kind of piece stands on a square.
            let most = |square: usize| {
                let kinds = (0..4).map(|kind| parameters.hidden[32 * kind + square][unit].abs());
                kinds.fold(0.0, f32::max)
            };
            let sum = bias.abs() + (0..32).map(most).sum::<f32>();
            assert!(sum * (ONE as f32) < f32::from(i16::MAX), "{sum}");
        }
    }

    #[test]
    fn twins_have_equal_scores() {
        let game: Game = "8x8".parse().unwrap();
        let network = Network::new(&game.board, &Parameters::fitted()).unwrap();
        for position in positions(&game) {
            let twin = position.twin(&game.board);
            assert_eq!(network.score::<false>(&position), network.score::<false>(&twin));
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn simd_agrees_with_scalar() {
        if !std::is_x86_feature_detected!("avx2") {
            return;
        }
        let game: Game = "8x8".parse().unwrap();
        let network = Network::new(&game.board, &Parameters::fitted()).unwrap();
        for position in positions(&game) {
            let plain = network.score::<false>(&position);
            assert_eq!(network.score::<true>(&position), plain);
        }
    }

    #[test]
    fn only_8x8_has_a_network() {
        let board = Board::new(8, 6).unwrap();
        assert!(Network::new(&board, &Parameters::fitted()).is_none());
    }
}
