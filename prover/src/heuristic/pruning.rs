//! Pruning: branches that are cut off before their depth is searched.
//!
//! A position that is evaluated well above the window is searched less deep first, against a bound
//! that is as much higher. If even that is passed, the whole depth is taken to pass the window and
//! is not searched (after Buro's ProbCut, "ProbCut: An effective selective extension of the
//! alpha-beta algorithm", 1995; here with one margin for all depths).
//!
//! Pruning changes scores, never what is proved. The shallow search is one of the same position, so
//! its claims are true of it; those of the search that is left out are only missing. Wins and
//! losses are no subject of pruning, nor is the principal variation.
//!
//! The figures were measured: docs/experiments/063.

use super::run::{Found, Run};
use super::score::DECISIVE;
use super::search::Node;

/// By how much a position must be above the window, in hundredths of a man.
const MARGIN: i32 = 28;
/// By how many moves the search is less deep.
const LESS: i32 = 4;
/// Positions with fewer moves to go are not pruned.
const LEAST_DEPTH: i32 = 3;

impl Run<'_> {
    /// Whether a position is so good for the side to move that pruning is worth a try; `beta` is
    /// the upper end of the window.
    pub(super) fn is_far_above(&self, node: &Node<'_>, beta: i32) -> bool {
        self.shared.is_selective
            && node.ply > 0
            && node.depth >= LEAST_DEPTH
            && beta.abs() < DECISIVE
            && self.shared.evaluation.score(node.position) >= beta + MARGIN
    }

    /// What a shallow search says of such a position, if it confirms that it is good enough.
    pub(super) fn pruned(&mut self, node: &Node<'_>, beta: i32) -> Option<Found> {
        let bound = beta + MARGIN;
        let found = self.node(node.position, (node.depth - LESS).max(1), bound - 1, bound);
        (found.score >= bound || self.stopped).then_some(found)
    }
}
