//! Binary logarithms in integers, which are the same on every machine.

/// Bits behind the point of a logarithm.
const BITS: u32 = 16;
/// A factor of two, as a logarithm.
pub(super) const ONE: i64 = 1 << BITS;

/// The logarithm of a number of 1 or more to the base 2, in units of [`ONE`]: exact for powers of
/// two, and linear in between, so that it is the same on every machine.
pub(super) fn logarithm(n: u32) -> i64 {
    let whole = n.ilog2();
    (i64::from(whole) << BITS) + ((i64::from(n) << BITS) >> whole) - ONE
}

/// The number of 1 or more of which this is the logarithm, rounded.
pub(super) fn power(logarithm: i64) -> u32 {
    let logarithm = logarithm.max(0);
    let whole = logarithm >> BITS;
    let rest = logarithm & (ONE - 1);
    ((((ONE + rest) << whole) + ONE / 2) >> BITS) as u32
}

#[cfg(test)]
mod tests {
    use super::{ONE, logarithm, power};

    #[test]
    fn a_logarithm_can_be_undone() {
        for n in (1..1 << 16).chain((1 << 16..1 << 24).step_by(999)) {
            assert!(power(logarithm(n)).abs_diff(n) <= n >> 16, "{n}");
            assert_eq!(logarithm(2 * n), logarithm(n) + ONE);
        }
        assert_eq!(power(logarithm(8) - 4 * ONE), 1);
    }
}
