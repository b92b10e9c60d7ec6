//! What men on some squares are worth together, on the board of checkers.
//!
//! Nine groups of eight squares, four rows by four columns each, overlap. How the men of both sides
//! stand on a group is one of 3^8 patterns, each with a weight of its own, so that formations are
//! valued that no count of men describes. (Kings are left to the features.) Patterns are Buro's
//! idea ("Improving heuristic mini-max search by supervised learning", 2002).

use super::features::FEATURES;
use super::weights::Weights;
use crate::board::{Board, Position, Side};

/// Groups of squares.
const GROUPS: usize = 9;
/// Patterns of a group.
const PATTERNS: usize = 3usize.pow(8);

/// The number of patterns of all groups.
pub const ALL_PATTERNS: usize = GROUPS * PATTERNS;

/// A weight with many pieces and one with few, in thousandths of a man: see [`Weights`].
pub type WeightPair = [i16; 2];

/// The weights of features and patterns that were fitted together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternTable {
    weights: Vec<WeightPair>,
}

impl PatternTable {
    /// Weights of all features, then of all patterns.
    ///
    /// # Panics
    /// If they are not so many.
    pub fn new(weights: Vec<WeightPair>) -> Self {
        assert_eq!(weights.len(), FEATURES + ALL_PATTERNS);
        PatternTable { weights }
    }

    /// The table in use, made by `cargo run --release -p prover --example fit_patterns -- --db egdb
    /// --out prover/src/heuristic/patterns.bin` with the database of 8x8 with at most 6 pieces.
    pub fn fitted() -> Self {
        let bytes = include_bytes!("patterns.bin");
        let number = |bytes: &[u8]| i16::from_le_bytes([bytes[0], bytes[1]]);
        Self::new(bytes.chunks_exact(4).map(|b| [number(b), number(&b[2..])]).collect())
    }

    /// Each weight as two bytes, the lower first, as [`PatternTable::fitted`] reads it.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.weights.iter().flatten().flat_map(|weight| weight.to_le_bytes()).collect()
    }

    /// Those of features.
    pub(super) fn features(&self) -> Weights {
        let [many, few] = [0, 1].map(|k| std::array::from_fn(|i| i32::from(self.weights[i][k])));
        Weights { many, few }
    }

    /// Those of patterns.
    pub(super) fn patterns(&self) -> &[WeightPair] {
        &self.weights[FEATURES..]
    }
}

/// The patterns of 8x8.
#[derive(Debug, Clone)]
pub struct Patterns {
    /// For each side the squares of each group, as that side sees them.
    groups: [[u64; GROUPS]; 2],
    /// For each side and each set of squares of a group the sum of their powers of three.
    powers: [[u16; 256]; 2],
}

impl Patterns {
    /// The patterns of a board; there are none but on 8x8.
    pub fn new(board: &Board) -> Option<Self> {
        if (board.rows(), board.columns()) != (8, 8) {
            return None;
        }
        let group = |number: usize| {
            let (row, column) = (2 * (number as u8 / 3), 2 * (number as u8 % 3));
            let inside = |s: &u8| {
                // Of row r the squares stand on the columns 1, 3, 5, 7 or, if r is odd, 0, 2, 4, 6.
                let (r, c) = (s / 4, 2 * (s % 4) + 1 - s / 4 % 2);
                (row..row + 4).contains(&r) && (column..column + 4).contains(&c)
            };
            (0..32).filter(inside).fold(0, |bits, s| bits | board.bit(s))
        };
        let groups = std::array::from_fn(group);
        let groups = [groups, groups.map(|squares| board.turn(squares))];
        let power = |set: u8, of: &dyn Fn(u32) -> u32| -> u16 {
            (0..8).filter(|i| set >> i & 1 == 1).map(|i| 3u16.pow(of(i))).sum()
        };
        let powers = [
            std::array::from_fn(|set| power(set as u8, &|i| i)),
            // Turned by half a turn, the squares come in the opposite order.
            std::array::from_fn(|set| power(set as u8, &|i| 7 - i)),
        ];
        Some(Patterns { groups, powers })
    }

    /// The numbers of a position's patterns as the side to move sees them, below [`ALL_PATTERNS`].
    pub fn of(&self, position: &Position) -> [usize; GROUPS] {
        self.numbers::<false>(position)
    }

    /// The same; `PEXT` says that the processor has the instruction of this name.
    #[inline(always)]
    pub(super) fn numbers<const PEXT: bool>(&self, p: &Position) -> [usize; GROUPS] {
        let side = p.turn as usize;
        let (own, enemy) = match p.turn {
            Side::Black => (p.black, p.white),
            Side::White => (p.white, p.black),
        };
        let (own, enemy) = (own & !p.kings, enemy & !p.kings);
        let powers = &self.powers[side];
        std::array::from_fn(|group| {
            let squares = self.groups[side][group];
            let [own, enemy] =
                [own, enemy].map(|men| usize::from(powers[extract::<PEXT>(men, squares)]));
            group * PATTERNS + own + 2 * enemy
        })
    }
}

/// The bits of a set at eight squares, moved together. `PEXT` says that the processor has the
/// instruction for that.
#[inline(always)]
fn extract<const PEXT: bool>(bits: u64, squares: u64) -> usize {
    #[cfg(target_arch = "x86_64")]
    if PEXT {
        // SAFETY: the processor has the instruction.
        return unsafe { std::arch::x86_64::_pext_u64(bits, squares) } as usize;
    }
    let (mut left, mut set) = (squares, 0);
    for i in 0..8 {
        let square = left & left.wrapping_neg();
        set |= usize::from(bits & square != 0) << i;
        left ^= square;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::{ALL_PATTERNS, PATTERNS, PatternTable, Patterns};
    use crate::board::{Board, Game};

    #[test]
    fn patterns_are_those_of_men_as_the_side_to_move_sees_them() {
        let game: Game = "8x8".parse().unwrap();
        let patterns = Patterns::new(&game.board).unwrap();
        // Three rows of own men in the groups at home, one row in the middle.
        let of_row = |row: u32, digit: usize| 4 * digit * 9usize.pow(row);
        let at_home = of_row(0, 1) + of_row(1, 1) + of_row(2, 1);
        let start = patterns.of(&game.start());
        assert_eq!(start[0], at_home);
        assert_eq!(start[3] - 3 * PATTERNS, of_row(0, 1) + of_row(3, 2));
        let twin = game.start().twin(&game.board);
        assert_eq!(patterns.of(&twin), start);
        let kings = game.board.read_fen("B:WK32,K11:BK1,K2").unwrap();
        assert!(patterns.of(&kings).iter().all(|number| number % PATTERNS == 0));
        assert!(Patterns::new(&Board::new(8, 6).unwrap()).is_none());
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_instruction_does_the_same() {
        if !std::is_x86_feature_detected!("bmi2") {
            return;
        }
        let game: Game = "8x8".parse().unwrap();
        let patterns = Patterns::new(&game.board).unwrap();
        let mut at = game.start();
        let mut moves = Vec::new();
        for number in 0..200 {
            assert_eq!(patterns.numbers::<true>(&at), patterns.numbers::<false>(&at));
            game.board.successors(&at, &mut moves);
            at = moves.get(number % moves.len().max(1)).copied().unwrap_or(game.start());
        }
    }

    #[test]
    fn the_table_in_use_has_all_weights() {
        let table = PatternTable::fitted();
        assert_eq!(table.patterns().len(), ALL_PATTERNS);
        assert!(table.patterns().iter().filter(|w| **w != [0; 2]).count() > 10_000);
        assert_eq!(table.to_bytes(), include_bytes!("patterns.bin"));
    }
}
