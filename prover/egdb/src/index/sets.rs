//! The numbering of sets of squares by the combinatorial number system (`SPEC.md` §8.2), and rows
//! of bits over them.

use std::sync::OnceLock;

use draughtproof_game::Board;

/// The binomial coefficients C(n, k) for n ≤ 32, k ≤ 32.
const BINOMIAL: [[u64; 33]; 33] = {
    let mut table = [[0; 33]; 33];
    let mut n = 0;
    while n < 33 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + if k < n { table[n - 1][k] } else { 0 };
            k += 1;
        }
        n += 1;
    }
    table
};

/// The binomial coefficient C(n, k), for n and k up to 32.
pub fn binomial(n: u8, k: u8) -> u64 {
    BINOMIAL[usize::from(n)][usize::from(k)]
}

/// For each byte of a set, by the number of elements in the bytes below it and by its value: what
/// its elements add to the set's number. Four look-ups without a branch are faster than a loop over
/// the elements.
static PARTS: [[[u32; 256]; 33]; 4] = {
    let mut parts = [[[0; 256]; 33]; 4];
    let mut byte = 0;
    while byte < 4 {
        let mut before = 0;
        while before <= 8 * byte {
            let mut bits = 1;
            while bits < 256 {
                // The value without its highest element is looked up, and that element is added.
                let top = 7 - (bits as u8).leading_zeros() as usize;
                let rest = bits & !(1 << top);
                let i = before + (bits as u8).count_ones() as usize;
                let term = BINOMIAL[8 * byte + top][i];
                parts[byte][before][bits] = parts[byte][before][rest] + term as u32;
                bits += 1;
            }
            before += 1;
        }
        byte += 1;
    }
    parts
};

/// The number of a set (bit x for element x) among the sets of its size.
#[inline]
pub fn rank(set: u32) -> u64 {
    let mut before = 0;
    let mut sum = 0;
    for (part, byte) in PARTS.iter().zip(set.to_le_bytes()) {
        sum += part[before & 31][usize::from(byte)];
        before += byte.count_ones() as usize;
    }
    u64::from(sum)
}

/// The set of `k` elements with this number; the inverse of [`rank`].
pub fn unrank(mut number: u64, k: u8) -> u32 {
    let (mut set, mut x) = (0, 32);
    for i in (1..=usize::from(k)).rev() {
        // The largest element that is still possible.
        x = (0..x).rev().find(|&x| BINOMIAL[x][i] <= number).unwrap_or(0);
        number -= BINOMIAL[x][i];
        set |= 1 << x;
    }
    set
}

/// All sets of `k` of `n` squares in the order of their numbers.
pub fn sets(n: u8, k: u8) -> impl Iterator<Item = u32> {
    let first = if k == 0 { 0 } else { u32::MAX >> (32 - k) };
    let limit = 1u64 << n;
    // The next larger number with as many bits set; in 64 bits, since the step after the last may
    // pass 2³².
    std::iter::successors(Some(u64::from(first)), |&set| {
        let low = set & set.wrapping_neg();
        let ripple = set + low;
        (set != 0).then(|| ripple | (((set ^ ripple) >> 2) / low))
    })
    .take_while(move |&set| set < limit)
    .map(|set| set as u32)
}

/// The squares of a set, ascending.
pub fn squares(mut set: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as u8;
        set &= set.wrapping_sub(1);
        (square < 32).then_some(square)
    })
}

/// The sets of `k` kings on the squares of a board, with tables for row operations.
pub struct KingSets {
    /// The number of kings, k.
    pub kings: u8,
    pub sets: Vec<u32>,
    /// The number of words of a row of one bit for each set.
    pub words: usize,
    /// For each square, the row of the sets that contain it.
    occupied: Vec<Vec<u64>>,
    /// The row with the bits of all sets.
    pub all: Vec<u64>,
    /// The king steps: those of set i are `steps[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    steps: Vec<KingStep>,
}

/// [`KingSets`] of each number of kings, made when they are first needed: for ten kings on 32
/// squares they take seconds and gigabytes, and look-ups need none.
pub struct LazyKingSets {
    board: Board,
    sets: Vec<OnceLock<KingSets>>,
}

impl LazyKingSets {
    /// An empty collection for a board.
    pub fn new(board: &Board) -> Self {
        let sets = (0..=board.squares()).map(|_| OnceLock::new()).collect();
        LazyKingSets { board: board.clone(), sets }
    }

    /// The sets of `kings` kings; there must be at least that many squares.
    pub fn of(&self, kings: u8) -> &KingSets {
        self.sets[usize::from(kings)].get_or_init(|| KingSets::new(&self.board, kings))
    }
}

/// A step of a king of a set: its target, and the number of the resulting set.
#[derive(Clone, Copy)]
pub struct KingStep {
    /// The square stepped to.
    pub to: u8,
    /// The number of the set after the step.
    pub set: u32,
}

impl KingSets {
    /// The sets of `kings` squares of `board`.
    pub fn new(board: &Board, kings: u8) -> Self {
        let squares = board.squares();
        let all_sets: Vec<u32> = sets(squares, kings).collect();
        let words = all_sets.len().div_ceil(64);
        let mut all = vec![0; words];
        let mut occupied = vec![vec![0; words]; squares.into()];
        let mut first = vec![0];
        let mut steps = Vec::new();
        for (i, &set) in all_sets.iter().enumerate() {
            all[i / 64] |= 1 << (i % 64);
            for square in (0..squares).filter(|s| set >> s & 1 == 1) {
                occupied[usize::from(square)][i / 64] |= 1 << (i % 64);
                for to in (0..4).filter_map(|direction| board.step(square, direction)) {
                    if set >> to & 1 == 0 {
                        let moved = set & !(1 << square) | 1 << to;
                        steps.push(KingStep { to, set: rank(moved) as u32 });
                    }
                }
            }
            first.push(steps.len() as u32);
        }
        KingSets { kings, sets: all_sets, words, occupied, all, first, steps }
    }

    /// The approximate bytes of these tables: for each set the set itself, its steps, and a bit for
    /// each square.
    pub fn memory(board: &Board, kings: u8) -> u64 {
        let (squares, kings) = (board.squares(), kings.min(board.squares()));
        binomial(squares, kings) * (8 + 8 * 4 * u64::from(kings) + u64::from(squares) / 8)
    }

    /// The row of the sets that contain `square`.
    pub fn occupied(&self, square: u8) -> &[u64] {
        &self.occupied[usize::from(square)]
    }

    /// The king steps from set `i`, to squares without a king of the set.
    pub fn steps(&self, i: usize) -> &[KingStep] {
        &self.steps[self.first[i] as usize..self.first[i + 1] as usize]
    }
}
