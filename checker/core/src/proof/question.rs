//! A whole question: its start, nodes and leaves (`SPEC.md` §6, §7).
//!
//! Enforces: that each of these items that is wanted is verified and counted; in a whole check all
//! items are wanted. Trusts: `tree.rs`, `leaf.rs`.

use super::leaf;
use super::tree::Tree;
use crate::certificate::Certificate;
use crate::part::Counter;
use crate::verdict::{Finding, Stop};
use certificate_spec::manifest::Kind;
use checker_aid::Progress;
use rayon::prelude::*;

/// Checks the question: the start, the nodes other than Leaf, the leaves. The first thing wrong in
/// this order is reported, whichever thread finds what first. Only what is wanted is looked at: of
/// the nodes, and of the leaves. The start counts as a node before the first.
pub(crate) fn check(
    tree: &Tree<'_>,
    certificate: &Certificate,
    is_wanted: impl Fn(Kind, usize) -> bool + Sync,
    counter: &Counter,
    progress: &Progress,
) -> Result<(), Stop> {
    if is_wanted(Kind::Nodes, 0) {
        tree.holds(&certificate.start, u64::MAX).map_err(|finding| {
            let is_missing = finding.rule == "not-covered";
            let rule = if is_missing { "start-missing" } else { finding.rule };
            Finding { rule, ..finding }.file("CLAIM")
        })?;
        counter.add_node();
    }
    let nodes = tree.proof.nodes.par_iter().enumerate().find_map_first(|(i, node)| {
        progress.add(1);
        let result = is_wanted(Kind::Nodes, i + 1).then(|| tree.check_node(node))?;
        counter.add_node();
        Some((Kind::Nodes, i, result.err()?))
    });
    let leaves: Vec<_> = tree.proof.leaf_nodes().zip(&tree.proof.leaves).collect();
    // None may be left out because there is nothing of the other kind.
    if [tree.proof.leaf_nodes().count(), tree.proof.leaves.len()] != [leaves.len(); 2] {
        return Err(Stop::Error("there are more Leaf nodes or more leaves".into()));
    }
    let leaves = || {
        leaves.par_iter().enumerate().find_map_first(|(i, ((_, node), leaf))| {
            let is_wanted = is_wanted(Kind::Leaves, i);
            let result = is_wanted.then(|| leaf::replay(tree, node, leaf))?;
            counter.add_leaf(leaf.positions);
            progress.add(leaf.positions);
            Some((Kind::Leaves, i, result.err()?))
        })
    };
    nodes.or_else(leaves).map_or(Ok(()), |(kind, i, finding)| {
        Err(certificate.refuted(finding, kind, tree.proof.question, i))
    })
}
