//! A whole question: its start, nodes and leaves (`SPEC.md` §6, §7).
//!
//! Enforces: that each of these items that is wanted is verified and counted; in a whole check all
//! items are wanted. Trusts: `tree.rs`, `leaf.rs`.

use super::leaf;
use super::tree::Tree;
use crate::certificate::Certificate;
use crate::part::{Count, LookedAt};
use crate::verdict::{Finding, Stop};
use certificate_spec::manifest::Kind;
use checker_aid::Progress;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Checks the question: the start, the nodes other than Leaf, the leaves. The first thing wrong in
/// this order is reported, whichever thread finds what first. Only what is wanted is looked at: of
/// the nodes, and of the leaves. The start counts as a node before the first. Returns what was
/// looked at.
pub(crate) fn check(
    tree: &Tree<'_>,
    certificate: &Certificate,
    is_wanted: impl Fn(Kind, usize) -> bool + Sync,
    progress: &Progress,
) -> Result<LookedAt, Stop> {
    let proof = tree.proof;
    let leaf_nodes: Vec<_> = proof.leaf_nodes().collect();
    // Below they go side by side, and none may be left out because there is no other.
    if leaf_nodes.len() != proof.leaves.len() {
        return Err(Stop::Error("there are more Leaf nodes or more leaves".into()));
    }
    let [nodes, leaves, positions] = [(); 3].map(|()| AtomicU64::default());
    if is_wanted(Kind::Nodes, 0) {
        tree.holds(&certificate.start, u64::MAX).map_err(|finding| {
            let is_missing = finding.rule == "not-covered";
            let rule = if is_missing { "start-missing" } else { finding.rule };
            Finding { rule, ..finding }.file("CLAIM")
        })?;
        nodes.fetch_add(1, Relaxed);
    }
    let wrong_node = proof.nodes.par_iter().enumerate().find_map_first(|(i, node)| {
        progress.add(1);
        let result = is_wanted(Kind::Nodes, i + 1).then(|| tree.check_node(node))?;
        nodes.fetch_add(1, Relaxed);
        Some((Kind::Nodes, i, result.err()?))
    });
    let wrong_leaf = || {
        leaf_nodes.par_iter().zip(&proof.leaves).enumerate().find_map_first(
            |(i, (&(_, node), leaf))| {
                let is_wanted = is_wanted(Kind::Leaves, i);
                let result = is_wanted.then(|| leaf::replay(tree, node, leaf))?;
                leaves.fetch_add(1, Relaxed);
                // No replay expands more positions than there is memory for.
                positions.fetch_add(leaf.positions, Relaxed);
                progress.add(leaf.positions);
                Some((Kind::Leaves, i, result.err()?))
            },
        )
    };
    if let Some((kind, i, finding)) = wrong_node.or_else(wrong_leaf) {
        return Err(certificate.refuted(finding, kind, proof.question, i));
    }
    let count = |n: AtomicU64, of: usize| Count { looked_at: n.into_inner(), of: of as u64 };
    Ok(LookedAt {
        question: proof.question as u8,
        nodes: count(nodes, proof.nodes.len() + 1),
        leaves: count(leaves, leaf_nodes.len()),
        positions: positions.into_inner(),
    })
}
