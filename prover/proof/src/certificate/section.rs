//! The encoded nodes and leaves of one question.

use certificate_spec::claim::Question;
use certificate_spec::leaves::Leaf;
use certificate_spec::nodes::{Node, WirePosition, kind};
use certificate_spec::provenance::Provenance;

use super::read::claimant;
use crate::board::{Board, Position};
use crate::egdb::Values;
use crate::proof::{Basis, ProofNode, QuestionProof};
use crate::search::{KeyMap, Replay, StrategyError};

/// The nodes and leaves of one question.
#[derive(Debug)]
pub struct Section {
    question: Question,
    nodes: Vec<Node>,
    leaves: Vec<Leaf<Vec<u8>>>,
    /// The provenance of the answer, if it is stated.
    provenance: Option<Provenance>,
}

impl Section {
    /// Encodes a proof, and replays its strategies as the checker does: they end where the tree
    /// takes over.
    ///
    /// # Errors
    /// [`StrategyError`] if a strategy does not hold.
    pub fn new(
        board: &Board,
        database: &Values,
        proof: QuestionProof,
    ) -> Result<Self, StrategyError> {
        let QuestionProof { question, mut nodes, .. } = proof;
        let is_win = question.is_win();
        let replay = Replay::over(board, database, claimant(question), is_win);
        let ranks: KeyMap<u32> = nodes.iter().map(|n| (n.position.key(), n.rank)).collect();
        for ProofNode { position, rank, basis } in &mut nodes {
            if let Basis::Leaf(leaf) = basis {
                *leaf = replay.repack(leaf, position, |p| {
                    ranks.get(&p.key()).is_some_and(|there| !is_win || there < rank)
                })?;
            }
        }
        Ok(Section::of(question, board, nodes))
    }

    /// The section of a question from its nodes, in ascending order of their positions, with leaves
    /// that end where the tree takes over.
    pub(crate) fn of(question: Question, board: &Board, proof: Vec<ProofNode>) -> Self {
        let mut nodes = Vec::with_capacity(proof.len());
        let mut leaves = Vec::new();
        for ProofNode { position, rank, basis } in proof {
            let (kind, data) = match basis {
                Basis::Or(choice) => (kind::OR, choice),
                Basis::And => (kind::AND, 0),
                Basis::Leaf(leaf) => {
                    leaves.push(leaf);
                    (kind::LEAF, leaves.len() as u32 - 1)
                }
                Basis::Assumed(score) => (kind::ASSUMED, score.cast_unsigned()),
            };
            let position = wire(board, &position);
            nodes.push(Node { position, rank, data, kind, reserved: 0 });
        }
        Section { question, nodes, leaves, provenance: None }
    }

    /// Adds the provenance of the answer (`SPEC.md` §7.1).
    pub fn with_provenance(self, provenance: Provenance) -> Self {
        Section { provenance: Some(provenance), ..self }
    }

    /// The question that is answered.
    pub fn question(&self) -> Question {
        self.question
    }

    /// The encoded nodes, in ascending order of their positions.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The leaves of the Leaf nodes, in order.
    pub fn leaves(&self) -> &[Leaf<Vec<u8>>] {
        &self.leaves
    }

    /// The provenance of the answer, if it is stated.
    pub fn provenance(&self) -> Option<&Provenance> {
        self.provenance.as_ref()
    }

    /// The number of Assumed nodes.
    pub fn assumed(&self) -> usize {
        self.nodes.iter().filter(|n| n.kind == kind::ASSUMED).count()
    }
}

fn wire(board: &Board, position: &Position) -> WirePosition {
    WirePosition {
        black: board.to_dense(position.black),
        white: board.to_dense(position.white),
        kings: board.to_dense(position.kings),
        turn: position.turn as u8,
    }
}
