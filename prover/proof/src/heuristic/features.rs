//! The features of a position that the evaluation counts, on any board.
//!
//! Every feature is a count for the side to move less the same count for its opponent, so that a
//! position and its twin have the same features.

use crate::board::{Board, Position, Side};

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
