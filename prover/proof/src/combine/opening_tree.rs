//! The top of a proof: from the start down to positions that certificates prove (Fig. 3 of the 2007
//! paper).
//!
//! All positions within some plies of the start are a [`Region`]. A position of it holds for a
//! question when it is supported - by a certificate, the database or the rules - or when the
//! claimant is to move and one successor holds, or the opponent is to move and all successors hold.
//! The result is a least fixed point, found from the positions farthest away upwards, so each
//! position holds after those that it rests on: the order is a rank (`SPEC.md` §2).

use crate::board::{Board, Position};
use crate::certificate::{Stored, StoredNode, StoredProof, claimant};
use crate::egdb::Values;
use crate::search::{KeyMap, suits};
use certificate_spec::claim::Question;

/// The cost of a missing position that does not hold by its database value.
const REFUTED: u64 = 1 << 40;

/// The positions within some plies of the start, nearest first.
pub(super) struct Region {
    nodes: Vec<RegionNode>,
    index: KeyMap<usize>,
}

struct RegionNode {
    position: Position,
    /// The number of plies from the start.
    ply: u32,
    /// The node that it was first reached from.
    parent: usize,
    /// The successors in canonical order; none at the edge of the region.
    successors: Option<Vec<usize>>,
}

impl Region {
    /// All positions as far from `start` as the farthest of `goals`, but at most `plies` plies.
    pub(super) fn new(board: &Board, start: &Position, goals: &[Position], plies: u32) -> Self {
        let mut region = Region { nodes: Vec::new(), index: KeyMap::default() };
        region.node_of(start, 0, 0);
        let mut from = 0;
        let mut successors = Vec::new();
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
    pub(super) fn has(&self, position: &Position) -> bool {
        self.index.contains_key(&position.key())
    }

    /// The moves that lead to a position of the region.
    fn moves(&self, board: &Board, at: usize) -> String {
        let mut line = Vec::new();
        let mut node = &self.nodes[at];
        while node.ply > 0 {
            let before = &self.nodes[node.parent];
            // Every successor has a name.
            line.push(board.write_move(&before.position, &node.position).unwrap_or_default());
            node = before;
        }
        line.reverse();
        line.join(" ")
    }
}

/// The reason why a position of a region holds.
#[derive(Debug, Clone, Copy)]
struct Holding {
    /// The approximate size of its proof.
    cost: u64,
    /// The node that proves it, if no certificate does.
    node: Option<OpeningNode>,
}

/// A node to be put above the certificates.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpeningNode {
    /// The number of the chosen successor; none if all hold.
    pub(super) choice: Option<u32>,
    /// A number larger than those of the nodes that it rests on.
    pub(super) order: u32,
}

/// An opening that no certificate proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub fen: String,
    /// The names of the moves that lead to the position.
    pub moves: String,
    /// Whether the position does not hold by its database value, so that it cannot be proved.
    pub is_refuted: bool,
}

/// The positions of a region that hold for a question.
pub(super) struct OpeningTree<'a> {
    region: &'a Region,
    sources: &'a Sources<'a>,
    /// For each position of the region, the reason why it holds.
    holding: Vec<Option<Holding>>,
}

impl<'a> OpeningTree<'a> {
    pub(super) fn new(region: &'a Region, sources: &'a Sources<'a>) -> Self {
        let supported = |node: &RegionNode| match sources.support(&node.position)? {
            Support::Known => Some(Holding { cost: 0, node: None }),
            Support::Certificate(cost) => Some(Holding { cost, node: None }),
        };
        let holding = region.nodes.iter().map(supported).collect();
        let mut tree = OpeningTree { region, sources, holding };
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

    /// Whether a position holds by its successors; its node gets this order.
    fn supported_by_successors(&self, at: usize, order: u32) -> Option<Holding> {
        let node = &self.region.nodes[at];
        let costs = || {
            let below = node.successors.iter().flatten();
            below.map(|&s| self.holding[s].map(|holding| holding.cost))
        };
        if node.position.turn == claimant(self.sources.question) {
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
    pub(super) fn holds(&self) -> bool {
        self.holding[0].is_some()
    }

    /// The node above the certificates at a position, if it needs one.
    pub(super) fn node(&self, position: &Position) -> Option<OpeningNode> {
        self.holding[*self.region.index.get(&position.key())?]?.node
    }

    /// The positions that still have to be proved. Where the opponent is to move these are all
    /// successors that do not hold; where the claimant is to move, those of the successor that
    /// needs the fewest positions at the edge of the region. Where no certificate bears on the
    /// positions after a position, it is this position.
    pub(super) fn missing(&self, board: &Board) -> Vec<Missing> {
        let nodes = &self.region.nodes;
        // Only positions farther from the start count, so that repetitions do not matter.
        let below = |at: usize| {
            let all = nodes[at].successors.iter().flatten().copied();
            all.filter(move |&s| nodes[s].ply > nodes[at].ply)
        };
        let mut concerned = vec![false; nodes.len()];
        let mut count = vec![0u64; nodes.len()];
        let is_refuted = |at: usize| self.sources.is_refuted(&nodes[at].position);
        let chooses = |at: usize| nodes[at].position.turn == claimant(self.sources.question);
        let least = |at: usize, concerned: &[bool], count: &[u64]| {
            below(at).min_by_key(|&s| (count[s], !concerned[s], s))
        };
        for at in (0..nodes.len()).rev() {
            let support = self.sources.support(&nodes[at].position);
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
        let mut seen = vec![false; nodes.len()];
        let mut todo = vec![0];
        let mut found = Vec::new();
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

/// The proofs in several certificates that bear on a question.
pub(super) struct Sources<'a> {
    pub(super) board: &'a Board,
    pub(super) database: &'a Values,
    pub(super) question: Question,
    sources: Vec<Source<'a>>,
    index: KeyMap<(usize, usize)>,
}

pub(super) struct Source<'a> {
    pub(super) stored: &'a Stored,
    pub(super) proof: &'a StoredProof,
    /// The offset that is added to the ranks of the source.
    pub(super) offset: u64,
    /// The size of the source.
    cost: u64,
}

/// The reason why a position needs no node above the certificates.
pub(super) enum Support {
    /// The position holds by the database or the rules.
    Known,
    /// The position is a node of a certificate of this size.
    Certificate(u64),
}

impl<'a> Sources<'a> {
    /// Takes the proofs that bear on a question: those of the question itself, and those of the
    /// win, since a side that wins does not lose.
    pub(super) fn new(
        board: &'a Board,
        database: &'a Values,
        question: Question,
        certificates: &'a [Stored],
    ) -> Self {
        let mut sources = Vec::new();
        let mut index = KeyMap::default();
        let mut offset = 0;
        let proofs = certificates.iter().flat_map(|s| s.proofs.iter().map(move |proof| (s, proof)));
        let bears = |proof: &StoredProof| {
            proof.question == question
                || !question.is_win() && proof.claimant() == claimant(question)
        };
        for (stored, proof) in proofs.filter(|(_, proof)| bears(proof)) {
            for (number, node) in proof.nodes.iter().enumerate() {
                index.entry(node.position.key()).or_insert((sources.len(), number));
            }
            let cost = proof.positions().saturating_add(proof.nodes.len() as u64);
            sources.push(Source { stored, proof, offset, cost });
            offset += 1 + proof.nodes.iter().map(|n| u64::from(n.rank)).max().unwrap_or(0);
        }
        Sources { board, database, question, sources, index }
    }

    /// The number of certificates that bear on the question.
    pub(super) fn number(&self) -> usize {
        self.sources.len()
    }

    /// Whether a position holds by its database value; `None` if the database does not have it.
    pub(super) fn known(&self, position: &Position) -> Option<bool> {
        let value = self.database.probe(position)?;
        Some(suits(value, self.claimant_moves(position), self.question.is_win()))
    }

    fn claimant_moves(&self, position: &Position) -> bool {
        position.turn == claimant(self.question)
    }

    /// Whether the opponent is to move and has no move.
    pub(super) fn is_over(&self, position: &Position) -> bool {
        !self.claimant_moves(position) && !self.board.can_move(position)
    }

    pub(super) fn is_refuted(&self, position: &Position) -> bool {
        let is_stuck = self.claimant_moves(position) && !self.board.can_move(position);
        self.known(position).map_or(is_stuck, |holds| !holds)
    }

    pub(super) fn support(&self, position: &Position) -> Option<Support> {
        match (self.known(position), self.source(position)) {
            (Some(holds), _) => holds.then_some(Support::Known),
            (None, Some((source, _))) => Some(Support::Certificate(source.cost)),
            (None, None) => self.is_over(position).then_some(Support::Known),
        }
    }

    pub(super) fn source(
        &'a self,
        position: &Position,
    ) -> Option<(&'a Source<'a>, &'a StoredNode)> {
        let &(source, number) = self.index.get(&position.key())?;
        let source = self.sources.get(source)?;
        Some((source, source.proof.nodes.get(number)?))
    }
}
