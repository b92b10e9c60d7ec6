//! Maps bits over the numbers of some sets to bits over those of other sets.
//!
//! Remove a square from all sets that contain it, add one to all sets that do not, or replace one
//! by another: the order of two sets does not change, because the largest square that only one of
//! them contains remains the same (`SPEC.md` §8.2 orders sets by it). So when rows of bits over the
//! sets are renumbered, the bits of the sets in question keep their order: they are packed by one
//! mask and spread by another.

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
