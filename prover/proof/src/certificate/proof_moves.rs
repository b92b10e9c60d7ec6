//! Moves that a certificate proves.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use certificate_spec::claim::Question;

use super::{BrokenProof, Stored, StoredBasis, StoredNode, StoredProof};
use crate::board::Position;
use crate::search::{Replay, Strategy};

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
pub(super) fn replay_leaf(
    stored: &Stored,
    proof: &StoredProof,
    node: &StoredNode,
    number: usize,
    closes: impl FnMut(&Position) -> bool,
) -> Result<Strategy, BrokenProof> {
    let broken = |what: String| BrokenProof {
        directory: stored.directory.clone(),
        fen: stored.game.board.write_fen(&node.position),
        what,
    };
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
    let known = |p: &Position| {
        let [black, white] = [p.black, p.white].map(u64::count_ones);
        stored.claim.cover.admits(black, white).then_some(true)
    };
    let (claimant, is_win) = (proof.claimant(), proof.question.is_win());
    Replay { board: &stored.game.board, claimant, is_win, known }
}
