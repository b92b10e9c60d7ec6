//! The tree: positions above the leaf searches, their proof and disproof numbers, and their proofs.
//!
//! Positions that are reached in several ways are one node, so the "tree" is a graph, and it has
//! cycles. They need no special care here: the cost of a proof is computed as a least fixed point
//! over the whole graph (Knuth 1977, *A generalization of Dijkstra's algorithm*), which no cycle
//! can lower. If the cost of a node stays infinite, the defender can stay inside the graph for ever
//! without meeting a position that is not disproved, if need be on a cycle. These are exactly the
//! closed sets of `SPEC.md` §2. So a proof or a disproof never depends on the path: there is no
//! graph-history interaction.
//!
//! With a *threshold* t, a frontier node that a heuristic search scores t or better for the
//! attacker counts as proved, one with −t or worse as disproved, and neither is searched ("Checkers
//! Is Solved", 2007). The decision of such a tree rests on assumptions; with a larger threshold it
//! has more frontier nodes to search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::queue::Guess;
use crate::board::Position;
use crate::search::{Goal, KeyMap, Outcome, PackedStrategy, ProofNumbers};
use certificate_spec::leaves::Leaf;

pub type NodeId = u32;

/// Costs of at least this are infinite.
pub const INFINITE: u64 = 1 << 60;

/// The target of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// The move leads to a position whose outcome is known without a search: whether the attacker
    /// wins.
    Known(bool),
    /// The move leads to this node.
    Node(NodeId),
}

/// The state of a node.
#[derive(Debug, Clone)]
pub enum Reason {
    /// The node was not searched yet.
    Frontier,
    /// The node was too hard for a leaf search; its successors are here, in canonical order.
    Expanded(Vec<Link>),
    /// A leaf search decided the node and found this strategy.
    Leaf(PackedStrategy),
}

/// The change of a score, in hundredths of a man, that amounts to a cost of 1. (With 10 instead, or
/// with scores alone, small boards take up to twice the nodes; without scores, a twentieth more.)
const PER_COST: u64 = 50;
/// Scores beyond this one, in hundredths of a man, count as this one.
const FAR: i32 = 300;

#[derive(Debug, Clone)]
pub struct Node {
    pub position: Position,
    /// The state of the node.
    pub reason: Reason,
    /// The heuristic guess of a frontier node.
    guess: Guess,
    /// The cost of a proof by the attacker, as of the last [`Tree::update`]; 0 when the node is
    /// proved, infinite when it is disproved.
    pub proof: u64,
    /// The estimated cost of a disproof; 0 when the node is disproved, infinite when it is proved.
    pub disproof: u64,
    /// The place in the order of costs: a proved node comes after those that prove it.
    pub order: u32,
}

impl Node {
    /// Whether the attacker wins, as of the last [`Tree::update`].
    pub fn is_proved(&self) -> bool {
        self.proof == 0
    }

    /// Whether the defender does not lose, as of the last [`Tree::update`].
    pub(super) fn is_disproved(&self) -> bool {
        self.proof >= INFINITE
    }

    /// The score for the attacker by a heuristic search, in hundredths of a man.
    pub fn score(&self) -> i32 {
        self.guess.score
    }

    /// Whether the node is decided, as of the last [`Tree::update`].
    pub(super) fn is_decided(&self) -> bool {
        self.is_proved() || self.is_disproved()
    }

    /// The estimated costs of a proof and of a disproof of a frontier node: the numbers of the
    /// search that generated it, and more the farther its score is from the threshold, up to a
    /// bound ("Checkers Is Solved", 2007). A principal variation that ends in a drawn position of
    /// the database makes a disproof likelier.
    fn costs(&self, threshold: Option<u32>) -> (u64, u64) {
        let Guess { numbers: ProofNumbers { proof, disproof }, score, ends_in_draw } = self.guess;
        let threshold = threshold.map_or(FAR, |t| score_of(t).min(FAR));
        let to_go = |score: i32| u64::from((threshold - score).clamp(0, 2 * FAR).unsigned_abs());
        let share = if ends_in_draw { 2 } else { 1 };
        let proof = u64::from(proof) + to_go(score) / PER_COST;
        let disproof = u64::from(disproof) + to_go(-score) / (PER_COST * share);
        (proof, disproof)
    }
}

/// The tree of one attacker.
pub struct Tree<'a> {
    goal: Goal<'a>,
    index: KeyMap<NodeId>,
    nodes: Vec<Node>,
    threshold: Option<u32>,
}

impl<'a> Tree<'a> {
    /// A tree of one frontier node, number 0.
    pub fn new(goal: Goal<'a>, root: &Position) -> Self {
        let mut tree = Tree { goal, index: KeyMap::default(), nodes: Vec::new(), threshold: None };
        tree.node_of(root, None);
        tree
    }

    /// The goal that the tree decides.
    pub fn goal(&self) -> Goal<'a> {
        self.goal
    }

    /// The nodes, each at its number.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    fn node_of(&mut self, position: &Position, guess: Option<Guess>) -> NodeId {
        let next = self.nodes.len() as NodeId;
        let id = *self.index.entry(position.key()).or_insert(next);
        if id == next {
            self.nodes.push(Node {
                position: *position,
                reason: Reason::Frontier,
                guess: guess.unwrap_or_else(|| {
                    let numbers = self.goal.estimate(position);
                    Guess { numbers, score: 0, ends_in_draw: false }
                }),
                proof: 1,
                disproof: 1,
                order: u32::MAX,
            });
        }
        id
    }

    /// Expands a frontier node: adds its successors that are not known to `goal`, with `guesses`,
    /// if given, for each in canonical order.
    pub fn expand(&mut self, id: NodeId, guesses: Option<&[Guess]>, goal: &Goal<'_>) {
        let mut successors = Vec::new();
        goal.board.successors(&self.nodes[id as usize].position, &mut successors);
        let link = |(i, s): (usize, &Position)| match goal.known(s) {
            Some(won) => Link::Known(won),
            None => Link::Node(self.node_of(s, guesses.and_then(|g| g.get(i)).copied())),
        };
        let links = successors.iter().enumerate().map(link).collect();
        self.nodes[id as usize].reason = Reason::Expanded(links);
    }

    /// Makes a frontier node a leaf, with the strategy that a search found.
    pub fn decide(&mut self, id: NodeId, strategy: PackedStrategy) {
        self.nodes[id as usize].reason = Reason::Leaf(strategy);
    }

    /// Takes the leaf of a node that a leaf search decided.
    pub(super) fn take_leaf(&mut self, id: NodeId) -> Option<Leaf<Vec<u8>>> {
        match &mut self.nodes[id as usize].reason {
            Reason::Leaf(PackedStrategy { leaf, .. }) => {
                let strategy = std::mem::take(&mut leaf.strategy);
                Some(Leaf { positions: leaf.positions, strategy })
            }
            _ => None,
        }
    }

    pub fn find(&self, position: &Position) -> Option<NodeId> {
        self.index.get(&position.key()).copied()
    }

    /// The outcome at the root, as of the last update.
    pub fn outcome(&self) -> Outcome {
        self.outcome_of(0)
    }

    /// The outcome at a node, as of the last update.
    pub(super) fn outcome_of(&self, id: NodeId) -> Outcome {
        let node = &self.nodes[id as usize];
        match (node.proof, node.disproof) {
            (0, _) => Outcome::Proved,
            (INFINITE.., _) => Outcome::Disproved,
            (proof, disproof) => {
                let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
                Outcome::Unknown(ProofNumbers { proof: small(proof), disproof: small(disproof) })
            }
        }
    }

    fn is_or(&self, id: NodeId) -> bool {
        self.goal.is_or(&self.nodes[id as usize].position)
    }

    /// Computes the numbers of all nodes anew; `threshold` is in hundredths of a man.
    pub fn update(&mut self, threshold: Option<u32>) {
        self.threshold = threshold;
        self.update_proofs();
        self.update_disproofs();
    }

    fn update_proofs(&mut self) {
        let count = self.nodes.len();
        let mut parents: Vec<Vec<NodeId>> = vec![Vec::new(); count];
        // For And nodes: the sum of the costs of the settled children, and the number of the
        // others.
        let mut pending: Vec<(u64, u32)> = vec![(0, 0); count];
        let mut queue = BinaryHeap::new();
        for (i, node) in self.nodes.iter_mut().enumerate() {
            let id = i as NodeId;
            (node.proof, node.order) = (INFINITE, u32::MAX);
            match &node.reason {
                Reason::Frontier => match decided_by_score(self.threshold, id, node) {
                    Some(true) => queue.push(Reverse((0, id))),
                    Some(false) => {}
                    None => queue.push(Reverse((node.costs(self.threshold).0, id))),
                },
                Reason::Leaf(PackedStrategy { is_win: true, .. }) => {
                    queue.push(Reverse((0, id)));
                }
                Reason::Leaf(_) => {}
                Reason::Expanded(links) => {
                    let won = |l: &Link| *l == Link::Known(true);
                    if self.goal.is_or(&node.position) {
                        if links.iter().any(won) {
                            queue.push(Reverse((0, id)));
                        }
                    } else {
                        let open = links.iter().filter(|l| !won(l)).count() as u32;
                        pending[i].1 = open;
                        if open == 0 {
                            queue.push(Reverse((0, id)));
                        }
                    }
                    for link in links {
                        if let Link::Node(child) = link {
                            parents[*child as usize].push(id);
                        }
                    }
                }
            }
        }
        let mut order = 0;
        while let Some(Reverse((cost, id))) = queue.pop() {
            let node = &mut self.nodes[id as usize];
            if node.order != u32::MAX {
                continue;
            }
            (node.proof, node.order) = (cost, order);
            order += 1;
            for &parent in &parents[id as usize] {
                if self.is_or(parent) {
                    queue.push(Reverse((cost, parent)));
                } else {
                    let (sum, open) = &mut pending[parent as usize];
                    *sum = (*sum + cost).min(INFINITE - 1);
                    *open -= 1;
                    if *open == 0 {
                        queue.push(Reverse((*sum, parent)));
                    }
                }
            }
        }
    }

    /// Computes the disproof numbers depth first from the root. A move back to a node on the
    /// current path, which closes a cycle, costs the defender nothing.
    fn update_disproofs(&mut self) {
        let mut state = vec![0u8; self.nodes.len()];
        let mut path: Vec<(NodeId, usize)> = vec![(0, 0)];
        for node in &mut self.nodes {
            node.disproof = match (&node.reason, node.proof) {
                (_, INFINITE..) => 0,
                (_, 0) => INFINITE,
                (Reason::Frontier, _) => node.costs(self.threshold).1,
                _ => 0,
            };
        }
        while let Some((id, next)) = path.last_mut() {
            let id = *id as usize;
            let at = *next;
            *next += 1;
            state[id] = 1;
            let node = &self.nodes[id];
            match &node.reason {
                Reason::Expanded(links) if !node.is_decided() => match links.get(at) {
                    Some(Link::Node(child)) if state[*child as usize] == 0 => {
                        path.push((*child, 0))
                    }
                    Some(_) => {}
                    None => {
                        let numbers = links.iter().map(|link| match link {
                            Link::Known(true) => INFINITE,
                            Link::Known(false) => 0,
                            Link::Node(child) => self.nodes[*child as usize].disproof,
                        });
                        let disproof = if self.is_or(id as NodeId) {
                            let undecided = numbers.clone().filter(|&n| n > 0).count() as u64;
                            numbers.max().unwrap_or(0) + undecided.saturating_sub(1)
                        } else {
                            numbers.min().unwrap_or(INFINITE)
                        };
                        self.nodes[id].disproof = disproof.clamp(1, INFINITE - 1);
                        path.pop();
                    }
                },
                _ => {
                    path.pop();
                }
            }
        }
    }

    /// The largest distance of a node from the root, in moves by the shortest path.
    pub fn depth(&self) -> u32 {
        let mut depth = 0;
        let mut layer = vec![0];
        let mut seen = vec![false; self.nodes.len()];
        seen[0] = true;
        loop {
            let mut next = Vec::new();
            for &id in &layer {
                let Reason::Expanded(links) = &self.nodes[id as usize].reason else { continue };
                for link in links {
                    if let Link::Node(child) = *link
                        && !std::mem::replace(&mut seen[child as usize], true)
                    {
                        next.push(child);
                    }
                }
            }
            if next.is_empty() {
                return depth;
            }
            (depth, layer) = (depth + 1, next);
        }
    }

    /// The smallest absolute score by which a frontier node counts as decided as of the last
    /// update; `None` if no node counts as decided by its score.
    pub(super) fn least_assumed(&self) -> Option<u32> {
        let assumed = |(id, node): (usize, &Node)| {
            let is_frontier = matches!(node.reason, Reason::Frontier);
            decided_by_score(self.threshold.filter(|_| is_frontier), id as NodeId, node)?;
            Some(node.guess.score.unsigned_abs())
        };
        self.nodes.iter().enumerate().filter_map(assumed).min()
    }

    /// At most `most` frontier nodes to search next: those that the cheaper of a proof and a
    /// disproof of the node `of` rests on.
    pub fn frontier(&self, of: NodeId, most: usize) -> Vec<NodeId> {
        let root = &self.nodes[of as usize];
        let prove = root.proof <= root.disproof;
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = vec![of];
        let mut found = Vec::new();
        while let Some(id) = todo.pop() {
            let node = &self.nodes[id as usize];
            if node.is_decided() || std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            let links = match &node.reason {
                Reason::Expanded(links) => links,
                _ => {
                    found.push(id);
                    if found.len() == most {
                        break;
                    }
                    continue;
                }
            };
            let children = links.iter().filter_map(|link| match link {
                Link::Node(child) => Some(*child),
                Link::Known(_) => None,
            });
            let numbers = |id: &NodeId| {
                let node = &self.nodes[*id as usize];
                // If one child is enough, the easiest; if all are needed, first the one that
                // is likeliest to fail, which is last on the stack.
                if prove { (node.proof, node.order) } else { (node.disproof, node.order) }
            };
            if prove == self.is_or(id) {
                todo.extend(children.min_by_key(numbers));
            } else {
                let mut all: Vec<NodeId> = children.collect();
                all.sort_by_key(numbers);
                todo.extend(all);
            }
        }
        found
    }
}

fn score_of(threshold: u32) -> i32 {
    i32::try_from(threshold).unwrap_or(i32::MAX)
}

/// Whether a frontier node counts as proved or disproved at a threshold. The root (number 0) has no
/// score.
fn decided_by_score(threshold: Option<u32>, id: NodeId, node: &Node) -> Option<bool> {
    let threshold = score_of(threshold.filter(|_| id != 0)?);
    // With a threshold of 0 an even position counts as not won for the attacker.
    match node.guess.score {
        score if score <= -threshold => Some(false),
        score if score >= threshold => Some(true),
        _ => None,
    }
}
