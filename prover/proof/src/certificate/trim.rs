//! Moves that a certificate proves; and leaving out the nodes and leaves that its start does not
//! need.
//!
//! A node is needed if it is that of the start, the chosen successor of a needed Or node, a
//! successor of a needed And node, or the place where a branch of a needed leaf ends. The needed
//! nodes prove the claim by themselves: whatever `SPEC.md` §6 and §7 ask of one of them is answered
//! by the database, the rules or another needed node. No branch of a needed leaf ends at a node
//! that is left out, so strategies stay as they are.
//!
//! No database is needed: that its values suit is not verified here.

use super::read::{BrokenProof, Stored, StoredBasis, StoredNode, StoredProof};
use super::write::Section;
use crate::board::Position;
use crate::proof::{Basis, ProofNode};
use crate::search::{KeyMap, Replay, Strategy};
use certificate_spec::claim::Question;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

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
                    return Err(self.stored.broken(&node.position, what));
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
        if self.stored.admits(position) {
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
        Err(self.stored.broken(from.map_or(position, |from| &from.position), what))
    }
}

/// The moves of a certificate; leaves are replayed when they are first needed.
pub struct ProofMoves<'a> {
    stored: &'a Stored,
    /// The strategies of leaves that have been replayed, by question and number.
    strategies: BTreeMap<(usize, usize), Strategy>,
}

impl<'a> ProofMoves<'a> {
    /// The moves of a certificate, which need not have been checked: a move that it names is legal
    /// in any case.
    pub fn new(stored: &'a Stored) -> Self {
        ProofMoves { stored, strategies: BTreeMap::new() }
    }

    /// The proved move of the side to move, and the question that it proves; `None` if there is
    /// none.
    ///
    /// # Errors
    /// [`BrokenProof`] if the part of a certificate that is needed proves nothing.
    pub fn choice(
        &mut self,
        position: &Position,
    ) -> Result<Option<(Question, Position)>, BrokenProof> {
        let stored = self.stored;
        let ours = stored.proofs.iter().enumerate().filter(|(_, p)| p.claimant() == position.turn);
        for (q, proof) in ours {
            let after = match proof.node(position) {
                Some(node) => self.choice_of_node((q, proof), node)?,
                None => self.choice_within((q, proof), position)?,
            };
            let mut successors = Vec::new();
            stored.game.board.successors(position, &mut successors);
            if let Some(after) = after.filter(|after| successors.contains(after)) {
                return Ok(Some((proof.question, after)));
            }
        }
        Ok(None)
    }

    fn choice_of_node(
        &mut self,
        (q, proof): (usize, &StoredProof),
        node: &StoredNode,
    ) -> Result<Option<Position>, BrokenProof> {
        Ok(match node.basis {
            StoredBasis::Or(choice) => {
                let mut successors = Vec::new();
                self.stored.game.board.successors(&node.position, &mut successors);
                successors.get(choice as usize).copied()
            }
            StoredBasis::Leaf(leaf) => self.replay((q, proof), node, leaf)?.choice(&node.position),
            StoredBasis::And | StoredBasis::Assumed(_) => None,
        })
    }

    /// The move of a position in a leaf; in most games the leaf is one that was entered before.
    fn choice_within(
        &mut self,
        (q, proof): (usize, &StoredProof),
        position: &Position,
    ) -> Result<Option<Position>, BrokenProof> {
        let known = self.strategies.range((q, 0)..(q + 1, 0));
        if let Some(after) = known.filter_map(|(_, strategy)| strategy.choice(position)).next() {
            return Ok(Some(after));
        }
        for node in &proof.nodes {
            if let StoredBasis::Leaf(leaf) = node.basis
                && !self.strategies.contains_key(&(q, leaf))
                && let Some(after) = self.replay((q, proof), node, leaf)?.choice(position)
            {
                return Ok(Some(after));
            }
        }
        Ok(None)
    }

    fn replay(
        &mut self,
        (q, proof): (usize, &StoredProof),
        node: &StoredNode,
        number: usize,
    ) -> Result<&Strategy, BrokenProof> {
        Ok(match self.strategies.entry((q, number)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(leaf_strategy(self.stored, proof, node, number)?),
        })
    }
}

/// Replays the leaf of a node, and returns its strategy.
///
/// # Errors
/// [`BrokenProof`] if the leaf is no strategy.
pub fn leaf_strategy(
    stored: &Stored,
    proof: &StoredProof,
    node: &StoredNode,
    number: usize,
) -> Result<Strategy, BrokenProof> {
    replay_leaf(stored, proof, node, number, |position| proof.closes(node, position))
}

/// Replays the leaf of a node; `closes` tells where the proof tree takes over.
///
/// # Errors
/// [`BrokenProof`] if the leaf is no strategy.
fn replay_leaf(
    stored: &Stored,
    proof: &StoredProof,
    node: &StoredNode,
    number: usize,
    closes: impl FnMut(&Position) -> bool,
) -> Result<Strategy, BrokenProof> {
    let broken = |what: String| stored.broken(&node.position, what);
    let replay = stored_replay(stored, proof);
    let leaf = proof.leaves.get(number);
    let leaf = leaf.ok_or_else(|| broken(format!("expected leaf {number}, found none")))?;
    let strategy = replay.unpack(leaf, &node.position, closes);
    strategy.map_err(|e| broken(e.to_string()))
}

/// The replay of a certificate's leaves. They end where its cover begins; values are not looked up.
pub fn stored_replay<'a>(
    stored: &'a Stored,
    proof: &StoredProof,
) -> Replay<'a, impl Fn(&Position) -> Option<bool> + use<'a>> {
    let known = |p: &Position| stored.admits(p).then_some(true);
    let (claimant, is_win) = (proof.claimant(), proof.question.is_win());
    Replay { board: &stored.game.board, claimant, is_win, known }
}
