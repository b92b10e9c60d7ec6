//! Proof and disproof numbers, and what they say.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Proof numbers at and above this are infinite.
pub const INFINITE: u32 = 1 << 24;

/// A proof number and a disproof number: how much is left to do to prove a position, and to
/// disprove it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProofNumbers {
    /// Proof number: 0 when the attacker wins, infinite when the defender does not lose.
    pub proof: u32,
    /// Disproof number: 0 when the defender does not lose, infinite when the attacker wins.
    pub disproof: u32,
}

impl ProofNumbers {
    /// The numbers of a position that the attacker wins.
    pub const PROVED: ProofNumbers = ProofNumbers { proof: 0, disproof: INFINITE };
    /// The numbers of a position that the defender does not lose.
    pub const DISPROVED: ProofNumbers = ProofNumbers { proof: INFINITE, disproof: 0 };
    /// Numbers that no position reaches before it is decided.
    pub(super) const UNLIMITED: ProofNumbers = ProofNumbers { proof: INFINITE, disproof: INFINITE };

    /// Returns the numbers of a decided position.
    pub fn of(won: bool) -> Self {
        if won { Self::PROVED } else { Self::DISPROVED }
    }

    /// Whether the position is proved or disproved.
    pub fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

impl fmt::Display for ProofNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "proof number {}, disproof number {}", self.proof, self.disproof)
    }
}

/// The outcome of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The attacker wins.
    Proved,
    /// The defender does not lose.
    Disproved,
    /// It ended before that was decided, with these numbers at the root.
    Unknown(ProofNumbers),
}

impl Outcome {
    /// Returns the outcome that proof and disproof numbers state.
    pub(super) fn of(numbers: ProofNumbers) -> Self {
        match numbers {
            ProofNumbers { proof: 0, .. } => Outcome::Proved,
            ProofNumbers { disproof: 0, .. } => Outcome::Disproved,
            numbers => Outcome::Unknown(numbers),
        }
    }
}

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
