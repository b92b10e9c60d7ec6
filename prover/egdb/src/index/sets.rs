//! The numbering of sets of squares by the combinatorial number system (`SPEC.md` §8.2), and rows
//! of bits over them.
//!
//! Maps bits over the numbers of some sets to bits over the numbers of other sets.
//!
//! Remove a square from all sets that contain it, add one to all sets that do not, or replace one
//! by another: the order of two sets does not change, because the largest square that only one of
//! them contains remains the same (`SPEC.md` §8.2 orders sets by it). So when rows of bits over the
//! sets are renumbered, the bits of the sets in question keep their order: they are packed by one
//! mask and spread by another.

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

/// Moves the bits of `from` in the places of one mask, in order, to the places of another mask of
/// equal size; all other bits are zero. Masks are given word by word.
pub fn renumber(
    from: &[u64],
    from_mask: impl Fn(usize) -> u64,
    to: &mut [u64],
    to_mask: impl Fn(usize) -> u64,
) {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has these instructions.
        unsafe { bmi2::renumber(from, from_mask, to, to_mask) };
        return;
    }
    stream(from, from_mask, to, to_mask, extract, deposit);
}

#[cfg(target_arch = "x86_64")]
mod bmi2 {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    #[target_feature(enable = "bmi2")]
    pub(crate) fn renumber(
        from: &[u64],
        from_mask: impl Fn(usize) -> u64,
        to: &mut [u64],
        to_mask: impl Fn(usize) -> u64,
    ) {
        let extract = |bits, mask| _pext_u64(bits, mask);
        super::stream(from, from_mask, to, to_mask, extract, |bits, mask| _pdep_u64(bits, mask));
    }
}

/// The work of [`renumber`], with given ways to pack the bits of a word and to spread them.
#[inline(always)]
fn stream(
    from: &[u64],
    from_mask: impl Fn(usize) -> u64,
    to: &mut [u64],
    to_mask: impl Fn(usize) -> u64,
    extract: impl Fn(u64, u64) -> u64,
    deposit: impl Fn(u64, u64) -> u64,
) {
    // The packed bits that are not spread yet, the next one lowest.
    let (mut under_way, mut count) = (0u128, 0);
    let mut source = from.iter().enumerate();
    for (i, place) in to.iter_mut().enumerate() {
        let mask = to_mask(i);
        let wanted = mask.count_ones();
        while count < wanted {
            let Some((j, &word)) = source.next() else { break };
            let mask = from_mask(j);
            under_way |= u128::from(extract(word, mask)) << count;
            count += mask.count_ones();
        }
        *place = deposit(under_way as u64, mask);
        under_way >>= wanted;
        count = count.saturating_sub(wanted);
    }
}

/// The bits of a word in the places of a mask, moved to the low end.
fn extract(bits: u64, mut mask: u64) -> u64 {
    let (mut out, mut i) = (0, 0);
    while mask != 0 {
        out |= (bits >> mask.trailing_zeros() & 1) << i;
        i += 1;
        mask &= mask - 1;
    }
    out
}

/// The low bits of a word in the places of a mask.
fn deposit(mut bits: u64, mut mask: u64) -> u64 {
    let mut out = 0;
    while mask != 0 {
        out |= (bits & 1) << mask.trailing_zeros();
        bits >>= 1;
        mask &= mask - 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{deposit, extract, renumber, stream};
    use crate::index::sets::{rank, sets};
    use draughtproof_game::Board;
    use quickcheck::quickcheck;

    /// The row of bits of the sets that `wanted` selects.
    fn row(all: &[u32], wanted: impl Fn(u32) -> bool) -> Vec<u64> {
        let mut row = vec![0; all.len().div_ceil(64)];
        for (i, _) in all.iter().enumerate().filter(|(_, set)| wanted(**set)) {
            row[i / 64] |= 1 << (i % 64);
        }
        row
    }

    quickcheck! {
        fn hardware_and_software_agree(from: Vec<u64>, masks: Vec<u64>) -> bool {
            let mask = |i: usize| masks.get(i).copied().unwrap_or(0);
            let (mut there, mut back) = (vec![0; from.len()], vec![0; from.len()]);
            renumber(&from, mask, &mut there, |i| mask(i).reverse_bits());
            stream(&from, mask, &mut back, |i| mask(i).reverse_bits(), extract, deposit);
            there == back
        }
    }

    #[test]
    fn sets_without_a_square_and_with_another() {
        let board = Board::new(6, 6).expect("a board");
        let squares = board.squares();
        for k in 1..=4 {
            let (all, fewer): (Vec<u32>, Vec<u32>) =
                (sets(squares, k).collect(), sets(squares, k - 1).collect());
            // The values only have to be irregular.
            let value = |set: u32| set.wrapping_mul(0x9e37_79b9) >> 31 == 1;
            for (from, to) in (0..squares).flat_map(|from| (0..squares).map(move |to| (from, to))) {
                let with = |set: u32, square: u8| set >> square & 1 == 1;
                let mut out = vec![0; all.len().div_ceil(64)];
                if from == to {
                    let has = row(&all, |set| with(set, from));
                    let lacks = row(&fewer, |set| !with(set, from));
                    renumber(&row(&fewer, value), |i| lacks[i], &mut out, |i| has[i]);
                    let after = |set: u32| set & !(1 << from);
                    assert_eq!(out, row(&all, |set| with(set, from) && value(after(set))));
                } else {
                    let before = row(&all, |set| with(set, to) && !with(set, from));
                    let here = row(&all, |set| with(set, from) && !with(set, to));
                    renumber(&row(&all, value), |i| before[i], &mut out, |i| here[i]);
                    let after = |set: u32| set & !(1 << from) | 1 << to;
                    let wanted = |set| with(set, from) && !with(set, to) && value(after(set));
                    assert_eq!(out, row(&all, wanted));
                    assert!(all.iter().all(|&set| all[rank(set) as usize] == set));
                }
            }
        }
    }
}
