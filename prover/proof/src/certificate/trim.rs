//! Leaves out the nodes and leaves of a certificate that its start does not need.
//!
//! A node is needed if it is that of the start, the chosen successor of a needed Or node, a
//! successor of a needed And node, or the place where a branch of a needed leaf ends. The needed
//! nodes prove the claim by themselves: whatever `SPEC.md` §6 and §7 ask of one of them is answered
//! by the database, the rules or another needed node. No branch of a needed leaf ends at a node
//! that is left out, so strategies stay as they are.
//!
//! No database is needed: that its values suit is not verified here.

use super::proof_moves::replay_leaf;
use super::read::{BrokenProof, Stored, StoredBasis, StoredNode, StoredProof};
use super::write::Section;
use crate::board::Position;
use crate::proof::{Basis, ProofNode};
use crate::search::KeyMap;

/// The sections of a certificate without the nodes and leaves that the start does not need. A
/// question of which something is left out has no provenance any more, since what that states would
/// not make this certificate. `replayed` gets the number of positions of each leaf that is kept.
///
/// # Errors
/// [`BrokenProof`] if the certificate does not prove what it claims, whatever the values of the
/// database are.
pub fn trim(stored: &Stored, mut replayed: impl FnMut(u64)) -> Result<Vec<Section>, BrokenProof> {
    stored.proofs.iter().map(|proof| trim_question(stored, proof, &mut replayed)).collect()
}

fn trim_question(
    stored: &Stored,
    proof: &StoredProof,
    replayed: &mut impl FnMut(u64),
) -> Result<Section, BrokenProof> {
    let mut reach = Reach { stored, proof, todo: Vec::new() };
    reach.meet(&stored.start, None)?;
    let mut kept: KeyMap<()> = KeyMap::default();
    while let Some(position) = reach.todo.pop() {
        if let Some(node) = proof.node(&position)
            && kept.insert(position.key(), ()).is_none()
        {
            reach.follow(node)?;
            if let StoredBasis::Leaf(number) = node.basis {
                replayed(proof.leaves[number].positions);
            }
        }
    }
    let needed = proof.nodes.iter().filter(|node| kept.contains_key(&node.position.key()));
    let nodes: Vec<ProofNode> = needed.map(|node| proof_node(proof, node)).collect();
    let is_whole = nodes.len() == proof.nodes.len();
    let section = Section::of(proof.question, &stored.game.board, nodes);
    Ok(match proof.provenance.clone().filter(|_| is_whole) {
        Some(provenance) => section.with_provenance(provenance),
        None => section,
    })
}

/// A stored node as a node of a proof. Its leaf is there: the node was followed.
fn proof_node(proof: &StoredProof, node: &StoredNode) -> ProofNode {
    let basis = match node.basis {
        StoredBasis::Or(choice) => Basis::Or(choice),
        StoredBasis::And => Basis::And,
        StoredBasis::Leaf(number) => Basis::Leaf(proof.leaves[number].clone()),
        StoredBasis::Assumed(score) => Basis::Assumed(score),
    };
    ProofNode { position: node.position, rank: node.rank, basis }
}

/// The traversal of the nodes that the start needs.
struct Reach<'a> {
    stored: &'a Stored,
    proof: &'a StoredProof,
    /// Positions of nodes that are needed and still to be followed.
    todo: Vec<Position>,
}

impl Reach<'_> {
    /// Notes what a node needs.
    fn follow(&mut self, node: &StoredNode) -> Result<(), BrokenProof> {
        let mut successors = Vec::new();
        self.stored.game.board.successors(&node.position, &mut successors);
        match node.basis {
            StoredBasis::Or(choice) => {
                let Some(chosen) = successors.get(choice as usize) else {
                    let moves = successors.len();
                    let what = format!("expected one of {moves} moves, found number {choice}");
                    return Err(self.broken(&node.position, what));
                };
                self.meet(chosen, Some(node))
            }
            StoredBasis::And => successors.iter().try_for_each(|s| self.meet(s, Some(node))),
            StoredBasis::Leaf(number) => {
                let (proof, todo) = (self.proof, &mut self.todo);
                let closes = |position: &Position| {
                    let closes = proof.closes(node, position);
                    if closes {
                        todo.push(*position);
                    }
                    closes
                };
                replay_leaf(self.stored, proof, node, number, closes).map(|_| ())
            }
            StoredBasis::Assumed(_) => Ok(()),
        }
    }

    /// Notes that the node `from`, or the claim itself, needs that `position` holds.
    fn meet(&mut self, position: &Position, from: Option<&StoredNode>) -> Result<(), BrokenProof> {
        let board = &self.stored.game.board;
        let [black, white] = [position.black, position.white].map(u64::count_ones);
        if self.stored.claim.cover.admits(black, white) {
            return Ok(());
        }
        let is_below = |from: &StoredNode| self.proof.closes(from, position);
        if self.proof.node(position).is_some() && from.is_none_or(is_below) {
            self.todo.push(*position);
            return Ok(());
        }
        let mut successors = Vec::new();
        board.successors(position, &mut successors);
        if position.turn != self.proof.claimant() && successors.is_empty() {
            return Ok(());
        }
        let what = format!("expected a proof of {}, found none", board.write_fen(position));
        Err(self.broken(from.map_or(position, |from| &from.position), what))
    }

    fn broken(&self, position: &Position, what: String) -> BrokenProof {
        BrokenProof {
            directory: self.stored.directory.clone(),
            fen: self.stored.game.board.write_fen(position),
            what,
        }
    }
}
