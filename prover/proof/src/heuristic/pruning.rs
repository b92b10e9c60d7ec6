//! Pruning: branches that are cut off before their depth is searched.
//!
//! A position that is evaluated well above the window is first searched less deep, against a bound
//! that is higher by this margin. If the shallow search exceeds even that bound, the full search is
//! taken to exceed the window and is skipped (after Buro's ProbCut, "ProbCut: An effective
//! selective extension of the alpha-beta algorithm", 1995; here with one margin for all depths).
//!
//! Pruning changes scores, never what is proved. The shallow search is one of the same position, so
//! its claims are true of it; those of the skipped search are only missing. Wins and losses are not
//! pruned, nor is the principal variation.
//!
//! The figures were measured: docs/experiments/063.

use super::run::{Found, Run};
use super::score::DECISIVE;
use super::search::Node;

/// The distance of a position above the window from which it is pruned, in hundredths of a man.
const MARGIN: i32 = 28;
/// The depth that the shallow search has less, in moves.
const LESS: i32 = 4;
/// The least remaining depth at which positions are pruned, in moves.
const LEAST_DEPTH: i32 = 3;

impl Run<'_> {
    /// Whether a position is evaluated far enough above the window for a try at pruning; `beta` is
    /// the upper end of the window.
    pub(super) fn is_far_above(&self, node: &Node<'_>, beta: i32) -> bool {
        self.shared.is_selective
            && node.ply > 0
            && node.depth >= LEAST_DEPTH
            && beta.abs() < DECISIVE
            && self.shared.evaluation.score(node.position) >= beta + MARGIN
    }

    /// The result of the shallow search of such a position, if it confirms the evaluation.
    pub(super) fn pruned(&mut self, node: &Node<'_>, beta: i32) -> Option<Found> {
        let bound = beta + MARGIN;
        let found = self.node(node.position, (node.depth - LESS).max(1), bound - 1, bound);
        (found.score >= bound || self.stopped).then_some(found)
    }
}
