//! The evaluation: on 8x8 by a network, on other boards by a weighted sum of features, the weights
//! depending on the number of pieces.
//!
//! Every feature is a count for the side to move less the same count for its opponent, so that a
//! position and its twin have the same features.

use std::sync::{Arc, OnceLock};

use super::network::{Network, Parameters, is_for};
use crate::board::{Board, Position, Side};

/// No evaluation is further from zero than this, so that none looks like a win or a loss.
pub(super) const LIMIT: i32 = 9_000;

/// Evaluates positions of a board.
#[derive(Clone)]
pub struct Evaluation {
    masks: Masks,
    /// For each number of pieces.
    weights: Vec<[i32; FEATURES]>,
    /// Used instead of features.
    network: Option<Arc<Network>>,
    #[cfg(target_arch = "x86_64")]
    has_fast_instructions: bool,
}

impl Evaluation {
    /// An evaluation for a board by features alone.
    pub fn new(board: &Board, weights: &Weights) -> Self {
        let squares = i32::from(board.squares());
        // A man has as far to go on any board: steps count by their part of the way.
        let way = i32::from(board.rows()) - 1;
        // The part that weights for many pieces have in the sum, in 256ths.
        let part = |pieces: i32| {
            let sixteenths = (16 * pieces).clamp(3 * squares, 9 * squares) - 3 * squares;
            256 * sixteenths / (6 * squares)
        };
        Evaluation {
            masks: Masks::new(board),
            weights: (0..=squares)
                .map(|pieces| {
                    std::array::from_fn(|i| {
                        let many = weights.many[i];
                        let few = weights.few[i];
                        let weight = few + (many - few) * part(pieces) / 256;
                        if NAMES[i].starts_with("tempo") { weight * 7 / way } else { weight }
                    })
                })
                .collect(),
            network: None,
            #[cfg(target_arch = "x86_64")]
            has_fast_instructions: std::is_x86_feature_detected!("popcnt")
                && std::is_x86_feature_detected!("avx2"),
        }
    }

    /// An evaluation by a network; `None` for a board other than 8x8.
    pub fn with_network(board: &Board, parameters: &Parameters) -> Option<Self> {
        let network = Some(Arc::new(Network::new(board, parameters)?));
        Some(Evaluation { network, ..Self::new(board, &Weights::FITTED) })
    }

    /// The best that there is for a board.
    pub fn fitted(board: &Board) -> Self {
        Self::by_network(board).cloned().unwrap_or_else(|| Self::new(board, &Weights::FITTED))
    }

    /// The evaluation by the network in use, made once; `None` for a board other than 8x8.
    pub fn by_network(board: &Board) -> Option<&'static Self> {
        static OF_8X8: OnceLock<Option<Evaluation>> = OnceLock::new();
        let make = || Self::with_network(board, &Parameters::fitted());
        if is_for(board) { OF_8X8.get_or_init(make).as_ref() } else { None }
    }

    pub fn features(&self, position: &Position) -> Features {
        self.masks.features(position)
    }

    /// The score for the side to move, in hundredths of a man.
    #[inline]
    pub fn score(&self, position: &Position) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if self.has_fast_instructions {
            // SAFETY: the processor has the instructions.
            return unsafe { self.score_fast(position) };
        }
        self.weigh::<false>(position)
    }

    /// Most of the work is counting bits, and sums of many small products: the plain instruction
    /// set counts bits one by one, and does four products at once instead of sixteen.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,avx2")]
    fn score_fast(&self, position: &Position) -> i32 {
        self.weigh::<true>(position)
    }

    #[inline(always)]
    fn weigh<const FAST: bool>(&self, position: &Position) -> i32 {
        let score = match &self.network {
            Some(network) => network.score::<FAST>(position),
            None => self.sum_of_features(position),
        };
        score.clamp(-LIMIT, LIMIT)
    }

    #[inline(always)]
    fn sum_of_features(&self, position: &Position) -> i32 {
        let features = self.masks.features(position);
        let weights = &self.weights[position.pieces() as usize];
        features.iter().zip(weights).map(|(f, w)| f * w).sum::<i32>() / 10
    }
}

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

pub const FEATURES: usize = 16;

/// The features' names, in order.
pub const NAMES: [&str; FEATURES] = [
    "men",
    "kings",
    "tempo",
    "back rank",
    "centre men",
    "centre kings",
    "edge men",
    "moves of men",
    "moves of kings",
    "trapped kings",
    "runaway men",
    "tempo of runaway men",
    "attacked",
    "any king",
    "turn",
    "opposition",
];

/// The counts of a position, in the order of [`NAMES`].
pub type Features = [i32; FEATURES];

/// The sets of squares of a board that features need.
#[derive(Clone)]
pub(super) struct Masks {
    half: u32,
    rows: u8,
    squares: u64,
    /// For each side, the rows by the number of steps that a man has made to them: one set for each
    /// bit of that number.
    steps: [[u64; 3]; 2],
    home: [u64; 2],
    centre: u64,
    edge: u64,
    /// For each side the rows that have the parity of its home row.
    parity: [u64; 2],
}

impl Masks {
    pub(super) fn new(board: &Board) -> Self {
        let rows = board.rows();
        let columns = board.columns();
        let set = |wanted: &dyn Fn(u8) -> bool| {
            let squares = (0..board.squares()).filter(|&s| wanted(s));
            squares.fold(0, |bits, s| bits | board.bit(s))
        };
        // Edges follow from a square's neighbours; columns are not needed for anything else.
        let inner = |s: u8| (0..4).all(|d| board.step(s, d).is_some());
        let centre = |s: u8| inner(s) && (0..4).all(|d| board.step(s, d).is_some_and(inner));
        let side = |s: u8| {
            let goes = |d: usize| board.step(s, d).is_some();
            !(goes(0) || goes(2)) || !(goes(1) || goes(3))
        };
        let steps = |from: &dyn Fn(u8) -> u8| {
            [0, 1, 2].map(|bit| set(&|s| from(board.row(s)) >> bit & 1 == 1))
        };
        let last = rows - 1;
        let small = rows.min(columns) < 7;
        Masks {
            half: board.shift(),
            rows,
            squares: set(&|_| true),
            steps: [steps(&|row| row), steps(&|row| last - row)],
            home: [set(&|s| board.row(s) == 0), set(&|s| board.row(s) == last)],
            // On small boards no square is two steps away from all edges.
            centre: set(&|s| if small { inner(s) } else { centre(s) }),
            edge: set(&side),
            parity: [0, last].map(|home| set(&|s| board.row(s) % 2 == home % 2)),
        }
    }

    #[inline(always)]
    pub(super) fn features(&self, p: &Position) -> Features {
        let black = self.of::<true>(p);
        let white = self.of::<false>(p);
        let (own, other) = if p.turn == Side::Black { (black, white) } else { (white, black) };
        let mut features = [0; FEATURES];
        for (i, feature) in features.iter_mut().enumerate() {
            *feature = own[i] - other[i];
        }
        features[14] = 1;
        let odd = ((p.black | p.white) & self.parity[p.turn as usize]).count_ones() & 1;
        features[15] = if odd == 1 { 1 } else { -1 };
        features
    }

    /// The counts of one side.
    #[inline(always)]
    fn of<const BLACK: bool>(&self, p: &Position) -> Features {
        let side = usize::from(!BLACK);
        let (own, enemy) = if BLACK { (p.black, p.white) } else { (p.white, p.black) };
        let kings = own & p.kings;
        let men = own & !p.kings;
        let empty = self.squares & !(own | enemy);
        let h = self.half;
        let g = self.half + 1;
        let forward = |bits: u64, by: u32| if BLACK { bits << by } else { bits >> by };
        let backward = |bits: u64, by: u32| if BLACK { bits >> by } else { bits << by };
        let count = |bits: u64| bits.count_ones() as i32;
        let tempo = |men: u64| -> i32 {
            let [one, two, four] = self.steps[side];
            count(men & one) + 2 * count(men & two) + 4 * count(men & four)
        };
        // The squares from which a step forward leads to an empty square, for each diagonal, and
        // those from which a step back does.
        let ahead = backward(empty, h);
        let ahead_too = backward(empty, g);
        let behind = forward(empty, h);
        let behind_too = forward(empty, g);
        let men_moves = count(men & ahead) + count(men & ahead_too);
        let king_moves = count(kings & ahead)
            + count(kings & ahead_too)
            + count(kings & behind)
            + count(kings & behind_too);
        let trapped = kings & !(ahead | ahead_too | behind | behind_too);
        // As seen from this side, men of the other side jump backward and its kings in all
        // directions.
        let enemy_kings = enemy & p.kings;
        let attacked = own
            & (backward(enemy, h) & behind
                | backward(enemy, g) & behind_too
                | forward(enemy_kings, h) & ahead
                | forward(enemy_kings, g) & ahead_too);
        // The squares on which a man would meet an enemy, even one that first takes a step towards
        // it.
        let mut met = enemy | backward(enemy, h) | backward(enemy, g);
        met |= forward(enemy_kings, h) | forward(enemy_kings, g);
        met &= self.squares;
        for _ in 2..self.rows {
            met |= (backward(met, h) | backward(met, g)) & self.squares;
        }
        let runaway = men & !met;
        [
            count(men),
            count(kings),
            tempo(men),
            count(men & self.home[side]),
            count(men & self.centre),
            count(kings & self.centre),
            count(men & self.edge),
            men_moves,
            king_moves,
            count(trapped),
            count(runaway),
            tempo(runaway),
            count(attacked),
            i32::from(kings != 0),
            0,
            0,
        ]
    }
}
