//! The proof of one question: the part of a decided tree that its decision rests on.

use certificate_spec::claim::Question;
use certificate_spec::leaves::Leaf;
use certificate_spec::provenance::Iteration;

use super::tree::{Link, Node, NodeId, Reason, Tree};
use crate::board::{Position, Side};
use crate::search::{KeyMap, Outcome};

#[derive(Debug, Clone)]
pub struct QuestionProof {
    /// The question, whose answer is yes.
    pub question: Question,
    /// The nodes, in ascending order of their positions; none where the database or the rules
    /// decide the start.
    pub nodes: Vec<ProofNode>,
    /// The iterations of the threshold.
    pub history: Vec<Iteration>,
}

#[derive(Debug, Clone)]
pub struct ProofNode {
    pub position: Position,
    /// For a win, a number larger than those of the nodes that this one rests on; otherwise 0.
    pub rank: u32,
    /// The reason why the node is decided.
    pub basis: Basis,
}

/// The reason why a node of a proof is decided.
#[derive(Debug, Clone)]
pub enum Basis {
    /// The successor with this number; the claimant is to move.
    Or(u32),
    /// All successors; the opponent is to move.
    And,
    /// A strategy that a leaf search found.
    Leaf(Leaf<Vec<u8>>),
    /// An assumption by a heuristic score: the claimant's, in hundredths of a man.
    Assumed(i32),
}

impl QuestionProof {
    /// The proof without nodes, of a start that the database or the rules decide.
    pub(super) fn of_known_start(question: Question) -> Self {
        QuestionProof { question, nodes: Vec::new(), history: Vec::new() }
    }

    pub fn assumed(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node.basis, Basis::Assumed(_))).count()
    }
}

/// The question whose answer is yes when it is decided whether `attacker` wins.
pub fn question_decided(attacker: Side, won: bool) -> Question {
    match (won, attacker) {
        (true, Side::Black) => Question::BlackWins,
        (true, Side::White) => Question::WhiteWins,
        (false, Side::White) => Question::BlackNotLost,
        (false, Side::Black) => Question::WhiteNotLost,
    }
}

/// Puts the condition before a claim that rests on `nodes` Assumed nodes.
pub fn if_assumed(nodes: usize, claim: &str) -> String {
    match nodes {
        0 => claim.into(),
        1 => format!("NOT PROVED yet; if 1 assumed position holds: {claim}"),
        n => format!("NOT PROVED yet; if {n} assumed positions hold: {claim}"),
    }
}

impl Tree<'_> {
    /// The proof that the decision at the root rests on, without a history. Frontier nodes that
    /// count as decided at the tree's threshold become Assumed nodes of it. `None` if the root is
    /// not decided, or if the tree does not hold, which would be a mistake of the prover.
    pub fn into_proof(mut self) -> Option<QuestionProof> {
        let won = self.decision()?;
        let (mut seen, mut nodes): (KeyMap<()>, _) = (KeyMap::default(), Vec::new());
        let mut todo = vec![0];
        while let Some(id) = todo.pop() {
            let position = self.nodes()[id as usize].position;
            if seen.insert(position.key(), ()).is_none() {
                let basis = self.take_basis(id, won, &seen, &mut todo)?;
                let rank = if won { self.nodes()[id as usize].order } else { 0 };
                nodes.push(ProofNode { position, rank, basis });
            }
        }
        nodes.sort_by_key(|node| node.position);
        let question = question_decided(self.goal().attacker, won);
        Some(QuestionProof { question, nodes, history: Vec::new() })
    }

    /// Whether the attacker wins, if the root is decided.
    fn decision(&self) -> Option<bool> {
        match self.outcome() {
            Outcome::Proved => Some(true),
            Outcome::Disproved => Some(false),
            Outcome::Unknown(_) => None,
        }
    }

    /// Whether the decision of a node may rest on a link of it.
    fn holds(&self, node: &Node, link: &Link, won: bool) -> bool {
        match link {
            Link::Known(known) => *known == won,
            Link::Node(child) if won => self.nodes()[*child as usize].order < node.order,
            Link::Node(child) => self.nodes()[*child as usize].is_disproved(),
        }
    }

    /// Takes the basis of a node; nodes that it rests on are added to `todo`. `seen` holds the
    /// nodes that are kept anyway. A strategy is taken out of the tree.
    fn take_basis(
        &mut self,
        id: NodeId,
        won: bool,
        seen: &KeyMap<()>,
        todo: &mut Vec<NodeId>,
    ) -> Option<Basis> {
        if let Some(leaf) = self.take_leaf(id) {
            return Some(Basis::Leaf(leaf));
        }
        let nodes = self.nodes();
        let node = &nodes[id as usize];
        let links = match &node.reason {
            Reason::Expanded(links) => links,
            _ => return Some(Basis::Assumed(if won { node.score() } else { -node.score() })),
        };
        let holds = |link: &Link| self.holds(node, link, won);
        let attacker = self.goal().attacker;
        let claimant = if won { attacker } else { attacker.opponent() };
        if node.position.turn != claimant {
            for link in links {
                if !holds(link) {
                    return None;
                }
                if let Link::Node(child) = link {
                    todo.push(*child);
                }
            }
            return Some(Basis::And);
        }
        // A known position costs nothing, a node that is kept anyway costs less than a leaf, and a
        // leaf less than an inner node.
        let cost = |link: &Link| match link {
            Link::Known(_) => (0, 0),
            Link::Node(child) => {
                let child_node = &nodes[*child as usize];
                let class = if seen.contains_key(&child_node.position.key()) {
                    1
                } else if matches!(child_node.reason, Reason::Leaf(_)) {
                    2
                } else {
                    3
                };
                (class, *child)
            }
        };
        let good = links.iter().enumerate().filter(|(_, link)| holds(link));
        let (choice, link) = good.min_by_key(|(_, link)| cost(link))?;
        if let Link::Node(child) = link {
            todo.push(*child);
        }
        Some(Basis::Or(choice as u32))
    }
}
