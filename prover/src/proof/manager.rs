//! Growing the tree until its root is decided.
//!
//! Each round hands the frontier nodes that matter most to df-pn searches, each with a fresh table
//! and the same budget, and applies the results in the order in which the nodes were chosen. A node
//! that is too hard for the budget is expanded. The searches of a round run in parallel, and their
//! number does not depend on the number of threads, so neither does the tree.

use rayon::prelude::*;

use super::tree::{NodeId, Tree};
use crate::board::{Board, Position, Side};
use crate::egdb::Values;
use crate::progress::Progress;
use crate::search::{KeyMap, Outcome, Search, Strategy};

/// The least number of searches of a round.
const ROUND: usize = 16;
/// With larger trees a round has a search for each so many nodes, so that the work of choosing them,
/// which goes over the whole tree, stays in proportion.
const NODES_PER_SEARCH: usize = 16;

/// What limits a proof.
#[derive(Debug, Clone, Copy)]
pub struct Manager {
    /// The budget of a leaf search, in nodes.
    pub leaf_nodes: u64,
    /// The budget of all searches together, in nodes.
    pub max_nodes: u64,
}

/// How a proof ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The answer at the root.
    pub outcome: Outcome,
    /// Nodes expanded by all leaf searches.
    pub nodes: u64,
    /// The number of leaf searches.
    pub searches: u64,
}

/// What a leaf search says.
enum Found {
    /// It decided the node.
    Decided(Strategy),
    /// It ran out of nodes, or its strategy did not stand up to the replay. The numbers of the
    /// successors that it looked into.
    TooHard(KeyMap<(u32, u32)>),
}

impl Manager {
    /// Decides whether `attacker` wins from `root`.
    pub fn prove<'a>(
        &self,
        board: &'a Board,
        database: &'a Values,
        attacker: Side,
        root: &Position,
        progress: &Progress,
    ) -> (Tree<'a>, Verdict) {
        let mut tree = Tree::new(board, database, attacker, root);
        let (mut nodes, mut searches) = (0, 0);
        let bar = progress.start(format!("does {attacker:?} win?"), 0, "nodes searched");
        loop {
            tree.update();
            let outcome = tree.outcome();
            let Outcome::Unknown { proof, disproof } = outcome else {
                bar.finish();
                return (tree, Verdict { outcome, nodes, searches });
            };
            if nodes >= self.max_nodes {
                bar.finish();
                return (tree, Verdict { outcome, nodes, searches });
            }
            let round = tree.frontier(ROUND.max(tree.nodes().len() / NODES_PER_SEARCH));
            let found: Vec<(NodeId, Found, u64)> = round
                .into_par_iter()
                .map(|id| {
                    let position = tree.nodes()[id as usize].position;
                    let (found, nodes) = self.search(board, database, attacker, &position);
                    (id, found, nodes)
                })
                .collect();
            for (id, found, spent) in found {
                nodes += spent;
                searches += 1;
                bar.add(spent);
                match found {
                    Found::Decided(strategy) => tree.decide(id, strategy),
                    Found::TooHard(guess) => tree.expand(id, |p| guess.get(&p.key()).copied()),
                }
            }
            let size = tree.nodes().len();
            bar.note(&format!("proof number {proof}, disproof number {disproof}, tree {size}"));
        }
    }

    fn search(
        &self,
        board: &Board,
        database: &Values,
        attacker: Side,
        position: &Position,
    ) -> (Found, u64) {
        let mut search = Search::new(board, database, attacker);
        let outcome = search.run(position, self.leaf_nodes);
        let decided = match outcome {
            Outcome::Unknown { .. } => None,
            _ => search.strategy(position).ok(),
        };
        let found = match decided {
            Some(strategy) => Found::Decided(strategy),
            None => Found::TooHard(search.numbers_below(position)),
        };
        (found, search.nodes())
    }
}
