//! The board in plain numbers, and the sets of its squares by rank (`SPEC.md` §8.2).

/// A board of at most 32 squares.
#[derive(Debug, Clone)]
pub struct Board {
    /// The number S of squares.
    pub squares: u32,
    /// The number M of squares on which a man can stand.
    pub men_squares: u32,
    /// For each square the masks of the squares diagonally next to it, 0 beyond the edge: two on
    /// the row above, then two on the row below. Entries 0 and 3 are opposite, and so are 1 and 2.
    pub near: Vec<[u32; 4]>,
}

impl Board {
    /// A mask after half a turn of the board.
    pub(crate) fn turned(&self, mask: u32) -> u32 {
        mask.reverse_bits() >> (32 - self.squares)
    }
}

/// The numbers of the bits set in a mask, from 0, in ascending order.
pub(crate) fn bits_in(mask: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut mask = mask.into();
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(bit)
    })
}

/// Binomial coefficients C(n, k) for n ≤ 32.
const CHOOSE: [[u32; 33]; 33] = {
    let mut table = [[0; 33]; 33];
    let mut n = 0;
    while n < 33 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of sets of `k` squares among the first `n`.
pub(crate) fn choose(n: u32, k: u8) -> u64 {
    u64::from(CHOOSE[n as usize][usize::from(k)])
}

/// The number of sets of as many squares that come before this one (combinatorial number system).
pub(crate) fn rank(set: u32) -> u32 {
    bits_in(set).zip(1..).map(|(x, i): (usize, usize)| CHOOSE[x][i]).sum()
}

/// The set of `k` squares with this rank, which callers guarantee to exist.
pub(crate) fn nth(rank: u64, k: u8) -> u32 {
    let (mut rest, mut set) = (u32::try_from(rank).unwrap_or(0), 0);
    for i in (1..=usize::from(k)).rev() {
        let x = (0..32).rev().find(|&x| CHOOSE[x][i] <= rest).unwrap_or(0);
        rest -= CHOOSE[x][i];
        set |= 1 << x;
    }
    set
}

/// The next set of as many squares in the order of ranks, which is that of the masks.
pub(crate) fn next(set: u32) -> u32 {
    let low = u64::from(set & set.wrapping_neg());
    let carried = u64::from(set) + low;
    // The lowest run of squares moves its highest one up, and the others down to the first squares.
    let rest = (carried ^ u64::from(set)) >> (2 + low.trailing_zeros().min(32));
    // After the last set there is no next one: callers do not look at the result then.
    u32::try_from(carried | rest).unwrap_or(0)
}
