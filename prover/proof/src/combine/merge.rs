//! The merge of several certificates: the union of closed sets is closed.
//!
//! A node that several certificates have is taken from the first. For wins the ranks of a
//! certificate are put above those of the certificates before it: within a certificate their order
//! stays, and a position that is taken from an earlier certificate has a smaller rank than before.
//! So every node still rests on nodes of smaller rank, and a branch of a leaf that ended at a node
//! still does. It may end earlier now, at a node of another certificate; therefore every leaf that
//! is kept is decoded with the nodes that it was written for and packed again for those of the
//! merged proof.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::opening_tree::{OpeningNode, OpeningTree, Source, Sources};
use crate::board::Position;
use crate::certificate::{BrokenProof, Section, StoredBasis, StoredNode, claimant};
use crate::proof::{Basis, ProofNode};
use crate::search::{KeyMap, Replay, StrategyError};
use certificate_spec::claim::Question;
use certificate_spec::leaves::Leaf;

#[derive(Clone, Copy)]
enum Place<'a> {
    Source(&'a Source<'a>, &'a StoredNode),
    Opening(OpeningNode),
}

/// The nodes that the start needs, if it holds in the opening tree.
///
/// # Errors
/// [`BrokenProof`] if a certificate does not prove what it claims.
pub(super) fn merge(
    sources: &Sources<'_>,
    openings: &OpeningTree<'_>,
    start: &Position,
) -> Result<Section, BrokenProof> {
    let mut gathering = Gathering { sources, openings, kept: Vec::new(), todo: Vec::new() };
    let mut seen: KeyMap<()> = KeyMap::default();
    if sources.known(start).is_none() && gathering.place(start).is_some() {
        gathering.todo.push(*start);
    }
    while let Some(position) = gathering.todo.pop() {
        if seen.insert(position.key(), ()).is_none() {
            gathering.keep(&position)?;
        }
    }
    Ok(gathering.section())
}
/// A node that the start needs.
struct Kept {
    position: Position,
    /// The rank of the node among those of all certificates.
    rank: u64,
    basis: Basis,
}

/// The traversal of all nodes that the start needs.
struct Gathering<'a> {
    sources: &'a Sources<'a>,
    openings: &'a OpeningTree<'a>,
    kept: Vec<Kept>,
    /// Positions of nodes that are still to be visited.
    todo: Vec<Position>,
}

impl<'a> Gathering<'a> {
    fn place(&self, position: &Position) -> Option<Place<'a>> {
        let source = self.sources.source(position).map(|(s, node)| Place::Source(s, node));
        source.or_else(|| self.openings.node(position).map(Place::Opening))
    }

    fn rank(&self, place: Place<'_>) -> u64 {
        match place {
            _ if !self.sources.question.is_win() => 0,
            Place::Source(source, node) => source.offset + u64::from(node.rank),
            // This rank is larger than all ranks of certificates.
            Place::Opening(node) => (1 << 48) + u64::from(node.order),
        }
    }

    /// Whether the tree takes over at `position`, for a node with this rank; if so, records the
    /// position as needed.
    fn takes_over(&mut self, position: &Position, rank: u64) -> bool {
        let place = self.place(position);
        let below =
            place.is_some_and(|there| !self.sources.question.is_win() || self.rank(there) < rank);
        if below {
            self.todo.push(*position);
        }
        below
    }

    /// Whether a successor of a node with this rank holds (`SPEC.md` §6); records it as needed.
    fn holds(&mut self, successor: &Position, rank: u64) -> bool {
        match self.sources.known(successor) {
            Some(holds) => holds,
            None if self.place(successor).is_some() => self.takes_over(successor, rank),
            None => self.sources.is_over(successor),
        }
    }

    fn keep(&mut self, position: &Position) -> Result<(), BrokenProof> {
        let Some(place) = self.place(position) else { return Ok(()) };
        let rank = self.rank(place);
        let basis = match place {
            Place::Opening(node) => node.choice.map_or(Basis::And, Basis::Or),
            Place::Source(source, node) => match node.basis {
                StoredBasis::Or(choice) => Basis::Or(choice),
                StoredBasis::And => Basis::And,
                StoredBasis::Leaf(number) => {
                    let leaf = self.leaf(source, node, number, rank);
                    Basis::Leaf(leaf.map_err(|e| self.broken(place, position, &e.to_string()))?)
                }
                StoredBasis::Assumed(_) => {
                    return Err(self.broken(place, position, "it is only assumed"));
                }
            },
        };
        let mut successors = Vec::new();
        self.sources.board.successors(position, &mut successors);
        let needed = match &basis {
            Basis::Or(choice) => match successors.get(*choice as usize) {
                Some(chosen) => std::slice::from_ref(chosen),
                None => {
                    let moves = successors.len();
                    let what = format!("expected one of {moves} moves, found number {choice}");
                    return Err(self.broken(place, position, &what));
                }
            },
            Basis::And => &successors,
            Basis::Leaf(_) | Basis::Assumed(_) => &[],
        };
        for successor in needed {
            if !self.holds(successor, rank) {
                let fen = self.sources.board.write_fen(successor);
                let what = format!("expected a proof of {fen}, found none");
                return Err(self.broken(place, position, &what));
            }
        }
        self.kept.push(Kept { position: *position, rank, basis });
        Ok(())
    }

    fn broken(&self, place: Place<'_>, position: &Position, what: &str) -> BrokenProof {
        let directory = match place {
            Place::Source(source, _) => source.stored.directory.clone(),
            Place::Opening(_) => PathBuf::from("the nodes above the certificates"),
        };
        BrokenProof { directory, fen: self.sources.board.write_fen(position), what: what.into() }
    }

    /// Packs a leaf again, for the nodes of the merged proof.
    fn leaf(
        &mut self,
        source: &Source<'_>,
        node: &StoredNode,
        number: usize,
        rank: u64,
    ) -> Result<Leaf<Vec<u8>>, StrategyError> {
        let Sources { board, database, question, .. } = *self.sources;
        let replay = |question: Question| {
            Replay::over(board, database, claimant(question), question.is_win())
        };
        let proof = source.proof;
        let leaf = proof.leaves.get(number).ok_or(StrategyError::Bits)?;
        let written = replay(proof.question);
        let strategy = written.unpack(leaf, &node.position, |p| proof.closes(node, p))?;
        replay(question).pack(&strategy, &node.position, |p| self.takes_over(p, rank))
    }

    /// The kept nodes, with ranks from 0 without gaps.
    fn section(mut self) -> Section {
        self.kept.sort_unstable_by_key(|kept| kept.position);
        let ranks: BTreeSet<u64> = self.kept.iter().map(|kept| kept.rank).collect();
        let ranks: Vec<u64> = ranks.into_iter().collect();
        let node = |Kept { position, rank, basis }| {
            // Every rank is among them.
            let rank = ranks.binary_search(&rank).unwrap_or_default() as u32;
            ProofNode { position, rank, basis }
        };
        let nodes = self.kept.into_iter().map(node).collect();
        Section::of(self.sources.question, self.sources.board, nodes)
    }
}
