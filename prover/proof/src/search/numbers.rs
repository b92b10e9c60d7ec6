//! Proof and disproof numbers, and their backup from the children of a node.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The numbers of a node from its children's, and which child is to be searched next.
pub(super) struct NodeBackup {
    rule: BackupRule,
    /// The node's numbers.
    pub(super) numbers: ProofNumbers,
    /// The child to search next.
    pub(super) best: usize,
    /// The numbers of that child.
    best_numbers: ProofNumbers,
    /// The second smallest of the numbers that are minimised.
    second: u32,
    /// The summand of each other undecided child, added to the largest of the numbers that are not
    /// minimised.
    added: u32,
}

/// The rule by which numbers are backed up, and by which the limits of a child are set.
#[derive(Debug, Clone, Copy)]
pub(super) struct BackupRule {
    /// The addition of each undecided child but one to the disproof number of an Or node.
    or_step: u32,
    /// The part of the second best number by which the best move of the defender may pass it.
    defender_share: u32,
    /// Whether a child may rise until its parent reaches its own limit, also where another child
    /// has the largest number.
    has_exact_limits: bool,
}

impl BackupRule {
    pub(super) const MATERIAL: Self =
        BackupRule { or_step: 1, defender_share: 4, has_exact_limits: false };
    /// The rule for first numbers by the network, with which searches take 0.66 times the nodes of
    /// the other one (docs/experiments/076).
    pub(super) const NETWORK: Self =
        BackupRule { or_step: 2, defender_share: 8, has_exact_limits: true };
}

impl NodeBackup {
    /// In an Or node the proof number is the least of the children's, and the disproof number is to
    /// say what it takes to disprove all of them; in an And node the other way round. A sum would
    /// count what the children share again and again, and on these boards they share nearly all; so
    /// it is the largest of their numbers and a step for each other child (weak proof numbers).
    pub(super) fn new(
        rule: BackupRule,
        is_or: bool,
        children: impl IntoIterator<Item = ProofNumbers>,
    ) -> Self {
        let mut least = (INFINITE, INFINITE);
        let mut second = INFINITE;
        let mut best = 0;
        let mut best_numbers = ProofNumbers { proof: 0, disproof: 0 };
        let mut largest = 0;
        let mut undecided = 0;
        for (i, child) in children.into_iter().enumerate() {
            let ProofNumbers { proof, disproof } = child;
            let (any, all) = if is_or { (proof, disproof) } else { (disproof, proof) };
            if all > 0 {
                largest = largest.max(all);
                undecided += 1;
            }
            if (any, all) < least {
                second = least.0;
                least = (any, all);
                (best, best_numbers) = (i, child);
            } else {
                second = second.min(any);
            }
        }
        let step = if is_or { rule.or_step } else { 1 };
        let (all, added) = match (largest, undecided) {
            (0, _) | (INFINITE, _) => (largest, 0),
            _ => {
                let added = step * (undecided - 1);
                ((largest + added).min(INFINITE - 1), added)
            }
        };
        let (proof, disproof) = if is_or { (least.0, all) } else { (all, least.0) };
        NodeBackup {
            rule,
            numbers: ProofNumbers { proof, disproof },
            best,
            best_numbers,
            second,
            added,
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        Outcome::of(self.numbers)
    }

    /// Whether the numbers have reached limits, or decide the node.
    pub(super) fn is_enough(&self, limits: ProofNumbers) -> bool {
        let ProofNumbers { proof, disproof } = self.numbers;
        self.numbers.is_decided() || proof >= limits.proof || disproof >= limits.disproof
    }

    /// The numbers up to which the best child is to be searched: until another one looks better by
    /// a quarter, so that the search does not go to and fro between them (the 1+ε trick, Pawlewicz
    /// and Lew 2007), or this node reaches its own limits.
    pub(super) fn limits(&self, is_or: bool, limits: ProofNumbers) -> ProofNumbers {
        self.limits_of(is_or, limits, self.best_numbers, self.second)
    }

    /// The numbers up to which a child of these numbers is to be searched that is not the best one:
    /// a quarter beyond its own, so that there is something to do.
    pub(super) fn limits_beside(
        &self,
        is_or: bool,
        limits: ProofNumbers,
        child: ProofNumbers,
    ) -> ProofNumbers {
        let own = if is_or { child.proof } else { child.disproof };
        let unlimited = ProofNumbers::UNLIMITED;
        let rest = self.limits_of(is_or, limits, child, own);
        let beyond = self.limits_of(is_or, unlimited, child, own);
        if is_or {
            ProofNumbers { proof: beyond.proof, ..rest }
        } else {
            ProofNumbers { disproof: beyond.disproof, ..rest }
        }
    }

    /// The limits of a child with these numbers, whose own number may pass `second` by a share.
    fn limits_of(
        &self,
        is_or: bool,
        limits: ProofNumbers,
        child: ProofNumbers,
        second: u32,
    ) -> ProofNumbers {
        let share = if is_or { 4 } else { self.rule.defender_share };
        let beyond = second.saturating_add((second / share).max(1)).min(INFINITE);
        let ProofNumbers { proof, disproof } = self.numbers;
        let rest = match (self.rule.has_exact_limits, is_or) {
            (true, _) => self.added,
            (false, true) => disproof.saturating_sub(child.disproof),
            (false, false) => proof.saturating_sub(child.proof),
        };
        if is_or {
            let disproof = limits.disproof.saturating_sub(rest);
            ProofNumbers { proof: limits.proof.min(beyond), disproof }
        } else {
            let proof = limits.proof.saturating_sub(rest);
            ProofNumbers { proof, disproof: limits.disproof.min(beyond) }
        }
    }
}

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
