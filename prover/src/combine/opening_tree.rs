//! The top of a proof: from the start down to positions that certificates prove (Fig. 3 of the 2007
//! paper).
//!
//! All positions within some plies of the start are a [`Region`]. A position of it holds for a
//! question when it is supported - by a certificate, the database or the rules - or when the
//! claimant is to move and one successor holds, or the opponent is and all do. That is a least
//! fixed point, found from the positions farthest away upwards, so each position holds after those
//! that it rests on: the order is a rank (`SPEC.md` §2).

use super::merge::{Merge, Support};
use crate::board::{Board, Position};
use crate::certificate::claimant;
use crate::search::KeyMap;

/// What a missing position counts for that the database says does not hold.
const REFUTED: u64 = 1 << 40;

/// The positions within some plies of the start, nearest first.
pub struct Region {
    nodes: Vec<RegionNode>,
    index: KeyMap<usize>,
}

struct RegionNode {
    position: Position,
    /// Plies from the start.
    ply: u32,
    /// The node that it was first reached from.
    parent: usize,
    /// Its successors in canonical order; none where the region ends.
    successors: Option<Vec<usize>>,
}

impl Region {
    /// All positions as far from `start` as the farthest of `goals`, but at most `plies`.
    pub fn new(board: &Board, start: &Position, goals: &[Position], plies: u32) -> Self {
        let mut region = Region { nodes: Vec::new(), index: KeyMap::default() };
        region.node_of(start, 0, 0);
        let (mut from, mut successors) = (0, Vec::new());
        for ply in 0..plies {
            if goals.iter().all(|goal| region.has(goal)) {
                break;
            }
            let to = region.nodes.len();
            for parent in from..to {
                board.successors(&region.nodes[parent].position, &mut successors);
                let below = successors.iter().map(|s| region.node_of(s, ply + 1, parent)).collect();
                region.nodes[parent].successors = Some(below);
            }
            from = to;
        }
        region
    }

    fn node_of(&mut self, position: &Position, ply: u32, parent: usize) -> usize {
        let next = self.nodes.len();
        let at = *self.index.entry(position.key()).or_insert(next);
        if at == next {
            self.nodes.push(RegionNode { position: *position, ply, parent, successors: None });
        }
        at
    }

    /// Whether a position belongs to the region.
    pub fn has(&self, position: &Position) -> bool {
        self.index.contains_key(&position.key())
    }

    /// The moves that lead to a position of the region.
    fn moves(&self, board: &Board, at: usize) -> String {
        let mut line = Vec::new();
        let mut node = &self.nodes[at];
        while node.ply > 0 {
            let before = &self.nodes[node.parent];
            // A successor has a name.
            line.push(board.write_move(&before.position, &node.position).unwrap_or_default());
            node = before;
        }
        line.reverse();
        line.join(" ")
    }
}

/// Why a position of a region holds.
#[derive(Debug, Clone, Copy)]
struct Holding {
    /// About how much it takes to show it.
    cost: u64,
    /// The node that shows it, if no certificate does.
    node: Option<OpeningNode>,
}

/// A node to be put above the certificates.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpeningNode {
    /// The number of the chosen successor; none if all hold.
    pub(super) choice: Option<u32>,
    /// Larger than that of the nodes that it rests on.
    pub(super) order: u32,
}

/// An opening that no certificate proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The position, as FEN.
    pub fen: String,
    /// The moves that lead there.
    pub moves: String,
    /// Whether the database says that it does not hold, so that nothing can be done about it.
    pub is_refuted: bool,
}

/// What of a region holds for a question.
pub struct OpeningTree<'a> {
    region: &'a Region,
    merge: &'a Merge<'a>,
    /// For each position of the region.
    holding: Vec<Option<Holding>>,
}

impl<'a> OpeningTree<'a> {
    pub(super) fn new(region: &'a Region, merge: &'a Merge<'a>) -> Self {
        let supported = |node: &RegionNode| match merge.support(&node.position)? {
            Support::Known => Some(Holding { cost: 0, node: None }),
            Support::Certificate(cost) => Some(Holding { cost, node: None }),
        };
        let holding = region.nodes.iter().map(supported).collect();
        let mut tree = OpeningTree { region, merge, holding };
        let mut order = 0;
        loop {
            let before = order;
            for at in (0..region.nodes.len()).rev() {
                if tree.holding[at].is_none() {
                    tree.holding[at] = tree.supported_by_successors(at, order);
                    order += u32::from(tree.holding[at].is_some());
                }
            }
            if order == before {
                return tree;
            }
        }
    }

    /// Whether a position holds because of what is known of its successors; its node gets this
    /// order.
    fn supported_by_successors(&self, at: usize, order: u32) -> Option<Holding> {
        let node = &self.region.nodes[at];
        let costs = || {
            let below = node.successors.iter().flatten();
            below.map(|&s| self.holding[s].map(|holding| holding.cost))
        };
        if node.position.turn == claimant(self.merge.question()) {
            let held = (0..).zip(costs()).filter_map(|(choice, cost)| Some((cost?, choice)));
            let (cost, choice) = held.min()?;
            let node = Some(OpeningNode { choice: Some(choice), order });
            return Some(Holding { cost: cost.saturating_add(1), node });
        }
        node.successors.as_ref()?;
        let cost = costs().try_fold(1u64, |sum, cost| Some(sum.saturating_add(cost?)))?;
        Some(Holding { cost, node: Some(OpeningNode { choice: None, order }) })
    }

    /// Whether the start holds.
    pub fn holds(&self) -> bool {
        self.holding[0].is_some()
    }

    /// The node above the certificates at a position, if it needs one.
    pub(super) fn node(&self, position: &Position) -> Option<OpeningNode> {
        self.holding[*self.region.index.get(&position.key())?]?.node
    }

    /// What has to be proved still. Where the opponent is to move these are all successors that do
    /// not hold, where the claimant is, the one that needs the fewest positions at the end of the
    /// region; where no certificate bears on what comes after a position, it is this position.
    pub fn missing(&self, board: &Board) -> Vec<Missing> {
        let nodes = &self.region.nodes;
        // Only farther positions count, so that repetitions do not matter.
        let below = |at: usize| {
            let all = nodes[at].successors.iter().flatten().copied();
            all.filter(move |&s| nodes[s].ply > nodes[at].ply)
        };
        let mut concerned = vec![false; nodes.len()];
        let mut count = vec![0u64; nodes.len()];
        let is_refuted = |at: usize| self.merge.is_refuted(&nodes[at].position);
        let chooses = |at: usize| nodes[at].position.turn == claimant(self.merge.question());
        let least = |at: usize, concerned: &[bool], count: &[u64]| {
            below(at).min_by_key(|&s| (count[s], !concerned[s], s))
        };
        for at in (0..nodes.len()).rev() {
            let support = self.merge.support(&nodes[at].position);
            let has_node = matches!(support, Some(Support::Certificate(_)));
            concerned[at] = has_node || below(at).any(|s| concerned[s]);
            count[at] = if self.holding[at].is_some() {
                0
            } else if is_refuted(at) {
                REFUTED
            } else if nodes[at].successors.is_none() {
                1
            } else if chooses(at) {
                least(at, &concerned, &count).map_or(1, |s| count[s])
            } else {
                below(at).map(|s| count[s]).sum::<u64>().clamp(1, REFUTED)
            };
        }
        let (mut seen, mut todo, mut found) = (vec![false; nodes.len()], vec![0], Vec::new());
        while let Some(at) = todo.pop() {
            if self.holding[at].is_some() || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if !concerned[at] {
                found.push(at);
            } else if chooses(at) {
                todo.extend(least(at, &concerned, &count));
            } else {
                todo.extend(below(at));
            }
        }
        found.sort_unstable();
        let show = |at: usize| Missing {
            fen: board.write_fen(&nodes[at].position),
            moves: self.region.moves(board, at),
            is_refuted: is_refuted(at),
        };
        found.into_iter().map(show).collect()
    }
}
