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
