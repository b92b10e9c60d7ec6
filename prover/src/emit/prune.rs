//! The part of a decided tree that its decision rests on.

use certificate_spec::leaves::Leaf;

use crate::board::Position;
use crate::proof::{Link, NodeId, Reason, Tree};
use crate::search::{KeyMap, Outcome};

/// A node to be emitted.
pub(super) struct Kept<'t> {
    pub(super) position: Position,
    /// For a win; else 0.
    pub(super) rank: u32,
    pub(super) proof: Proof<'t>,
}

/// What a node rests on.
pub(super) enum Proof<'t> {
    /// The chosen successor's number.
    Or(u32),
    And,
    Leaf(&'t Leaf<Vec<u8>>),
    /// Nothing but a score, the claimant's.
    Assumed(i32),
}

/// The nodes that the decision at the root needs, in the order of their positions; and whether the
/// attacker won.
pub(super) fn prune<'t>(tree: &'t Tree<'_>) -> Option<(Vec<Kept<'t>>, bool)> {
    let won = match tree.outcome() {
        Outcome::Proved => true,
        Outcome::Disproved => false,
        Outcome::Unknown { .. } => return None,
    };
    let claimant = if won { tree.attacker() } else { tree.attacker().opponent() };
    let nodes = tree.nodes();
    let mut number: KeyMap<()> = KeyMap::default();
    let (mut kept, mut todo) = (Vec::new(), vec![0 as NodeId]);
    while let Some(id) = todo.pop() {
        let node = &nodes[id as usize];
        if number.insert(node.position.key(), ()).is_some() {
            continue;
        }
        let rank = if won { node.order } else { 0 };
        let holds = |link: &Link| match link {
            Link::Known(known) => *known == won,
            Link::Node(child) if won => nodes[*child as usize].order < node.order,
            Link::Node(child) => nodes[*child as usize].is_disproved(),
        };
        let proof = match &node.reason {
            Reason::Frontier => Proof::Assumed(if won { node.score() } else { -node.score() }),
            Reason::Leaf { leaf, .. } => Proof::Leaf(leaf),
            Reason::Expanded(links) if node.position.turn == claimant => {
                // A known position costs nothing, then a node that is kept anyway, then a leaf.
                let cost = |link: &Link| match link {
                    Link::Known(_) => (0, 0),
                    Link::Node(child) => {
                        let child_node = &nodes[*child as usize];
                        let class = if number.contains_key(&child_node.position.key()) {
                            1
                        } else if matches!(child_node.reason, Reason::Leaf { .. }) {
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
                Proof::Or(choice as u32)
            }
            Reason::Expanded(links) => {
                for link in links {
                    if !holds(link) {
                        return None;
                    }
                    if let Link::Node(child) = link {
                        todo.push(*child);
                    }
                }
                Proof::And
            }
        };
        kept.push(Kept { position: node.position, rank, proof });
    }
    kept.sort_by_key(|k| k.position);
    Some((kept, won))
}
