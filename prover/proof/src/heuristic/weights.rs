//! The weights of the evaluation.

use super::features::FEATURES;

/// The weight of each feature, in thousandths of a man, on a board of eight rows: where at least
/// nine of sixteen squares are taken, and where at most three are. In between the weights are
/// interpolated by the number of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// The weights with many pieces.
    pub many: [i32; FEATURES],
    /// The weights with few pieces.
    pub few: [i32; FEATURES],
}

impl Weights {
    /// The weights of men and kings alone, a king at a man and a half: the baseline for other
    /// weights.
    pub const MATERIAL: Weights = {
        let mut weights = [0; FEATURES];
        weights[0] = 1000;
        weights[1] = 1500;
        Weights { many: weights, few: weights }
    };

    /// The weights in use, made by `cargo run --release -p prover --example fit -- --db egdb
    /// --games 3000 --rounds 3 --nodes 1500` with the database of 8x8 with at most 6 pieces, by the
    /// search and the random numbers of commit 496f2e4.
    pub const FITTED: Weights = Weights {
        many: [
            1000, // men
            478,  // kings
            -34,  // tempo
            190,  // back rank
            -76,  // centre men
            -84,  // centre kings
            -7,   // edge men
            4,    // moves of men
            5,    // moves of kings
            -47,  // trapped kings
            -777, // runaway men
            125,  // tempo of runaway men
            -252, // attacked
            764,  // any king
            -3,   // turn
            2,    // opposition
        ],
        few: [
            1000, // men
            424,  // kings
            -3,   // tempo
            87,   // back rank
            -40,  // centre men
            72,   // centre kings
            64,   // edge men
            112,  // moves of men
            146,  // moves of kings
            -192, // trapped kings
            -465, // runaway men
            47,   // tempo of runaway men
            -504, // attacked
            2312, // any king
            60,   // turn
            39,   // opposition
        ],
    };
}
