//! The proofs of certificates that bear on a question, as one set of nodes.

use certificate_spec::claim::Question;

use crate::board::{Board, Position};
use crate::certificate::{Stored, StoredNode, StoredProof, claimant};
use crate::egdb::Values;
use crate::search::{KeyMap, suits};

/// The proofs in several certificates that bear on a question.
pub(super) struct Sources<'a> {
    pub(super) board: &'a Board,
    pub(super) database: &'a Values,
    pub(super) question: Question,
    sources: Vec<Source<'a>>,
    /// The node of each position: the number of its source and its number there.
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
