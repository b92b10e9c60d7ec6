//! The numbers of a node, backed up from those of its children.

use super::numbers::{INFINITE, Outcome, ProofNumbers};

/// The numbers of a node from its children's, and which child is to be searched next.
pub(super) struct NodeBackup {
    /// The node's numbers.
    pub(super) numbers: ProofNumbers,
    /// The child to search next.
    pub(super) best: usize,
    /// The numbers of that child.
    best_numbers: ProofNumbers,
    /// The second smallest of the numbers that are minimised.
    second: u32,
}

impl NodeBackup {
    /// In an Or node the proof number is the least of the children's, and the disproof number is to
    /// say what it takes to disprove all of them; in an And node the other way round. A sum would
    /// count what the children share again and again, and on these boards they share nearly all; so
    /// it is the largest of their numbers and one for each other child (weak proof numbers).
    pub(super) fn new(is_or: bool, children: impl IntoIterator<Item = ProofNumbers>) -> Self {
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
        let all = match (largest, undecided) {
            (0, _) | (INFINITE, _) => largest,
            _ => (largest + undecided - 1).min(INFINITE - 1),
        };
        let (proof, disproof) = if is_or { (least.0, all) } else { (all, least.0) };
        NodeBackup { numbers: ProofNumbers { proof, disproof }, best, best_numbers, second }
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

    fn limits_of(
        &self,
        is_or: bool,
        limits: ProofNumbers,
        child: ProofNumbers,
        second: u32,
    ) -> ProofNumbers {
        let beyond = second.saturating_add((second / 4).max(1)).min(INFINITE);
        let ProofNumbers { proof, disproof } = child;
        if is_or {
            let rest = self.numbers.disproof.saturating_sub(disproof);
            let disproof = limits.disproof.saturating_sub(rest);
            ProofNumbers { proof: limits.proof.min(beyond), disproof }
        } else {
            let rest = self.numbers.proof.saturating_sub(proof);
            let proof = limits.proof.saturating_sub(rest);
            ProofNumbers { proof, disproof: limits.disproof.min(beyond) }
        }
    }
}
