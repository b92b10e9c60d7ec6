//! Several certificates as one: the union of closed sets is closed.
//!
//! A node that several certificates have is taken from the first. For wins the ranks of a certificate
//! are put above those of the certificates before it: within a certificate their order stays, and a
//! position that is taken from an earlier one has a smaller rank than before. So every node still rests on
//! smaller ones, and a branch of a leaf that ended at a node still does. It may end earlier now, at a
//! node of another certificate; therefore every leaf that is kept is decoded with the nodes that it was
//! written for and packed again for those that are there now.

use std::collections::BTreeSet;
use std::path::PathBuf;

use certificate_spec::claim::Question;
use certificate_spec::leaves::Leaf;
use thiserror::Error;

use super::above::{Above, Region, Top};
use super::certificate::{Entry, Record, Section};
use super::read::{Basis, Part, PartNode, Stored, claimant};
use crate::board::{Board, Position};
use crate::egdb::Values;
use crate::search::{KeyMap, Replay, StrategyError, pack, suits};

/// A certificate that does not prove what it claims.
#[derive(Debug, Error)]
#[error("{directory}: no proof at {fen}: {what}; let check tell more")]
pub struct BrokenProof {
    /// The certificate.
    pub directory: PathBuf,
    /// The position of the node.
    pub fen: String,
    /// What was expected there, and what was found.
    pub what: String,
}

/// The parts of certificates that bear on a question.
pub struct Union<'a> {
    board: &'a Board,
    database: &'a Values,
    question: Question,
    sources: Vec<Source<'a>>,
    /// Where the node of each position is: source and number.
    index: KeyMap<(usize, usize)>,
}

struct Source<'a> {
    stored: &'a Stored,
    part: &'a Part,
    /// Added to its ranks.
    offset: u64,
    /// Its size.
    cost: u64,
}

/// Why a position needs no node above the certificates.
pub(super) enum Cover {
    /// The database or the rules say that it holds.
    Known,
    /// It is a node of a certificate of this size.
    Node(u64),
}

/// A node of the union.
#[derive(Clone, Copy)]
enum Place<'a> {
    Source(&'a Source<'a>, &'a PartNode),
    Above(Above),
}

impl<'a> Union<'a> {
    /// Takes what bears on a question: certificates of it and, as who wins does not lose, of the win.
    pub fn new(
        board: &'a Board,
        database: &'a Values,
        question: Question,
        certificates: &'a [Stored],
    ) -> Self {
        let (mut sources, mut index) = (Vec::new(), KeyMap::default());
        let mut offset = 0;
        let parts = certificates.iter().flat_map(|s| s.parts.iter().map(move |part| (s, part)));
        let bears = |part: &Part| {
            part.question == question || !question.is_win() && part.claimant() == claimant(question)
        };
        for (stored, part) in parts.filter(|(_, part)| bears(part)) {
            for (number, node) in part.nodes.iter().enumerate() {
                index.entry(node.position.key()).or_insert((sources.len(), number));
            }
            let cost = part.positions().saturating_add(part.nodes.len() as u64);
            sources.push(Source { stored, part, offset, cost });
            offset += 1 + part.nodes.iter().map(|n| u64::from(n.rank)).max().unwrap_or(0);
        }
        Union { board, database, question, sources, index }
    }

    /// The question.
    pub fn question(&self) -> Question {
        self.question
    }

    /// How many certificates bear on it.
    pub fn sources(&self) -> usize {
        self.sources.len()
    }

    /// What of a region holds.
    pub fn top(&'a self, region: &'a Region) -> Top<'a> {
        Top::new(region, self)
    }

    /// Whether the database says that a position holds, if it knows.
    fn known(&self, position: &Position) -> Option<bool> {
        let value = self.database.probe(position)?;
        Some(suits(value, self.claimant_moves(position), self.question.is_win()))
    }

    fn claimant_moves(&self, position: &Position) -> bool {
        position.turn == claimant(self.question)
    }

    /// Whether the opponent is to move and has no move.
    fn is_over(&self, position: &Position) -> bool {
        !self.claimant_moves(position) && !self.board.can_move(position)
    }

    pub(super) fn is_refuted(&self, position: &Position) -> bool {
        let is_stuck = self.claimant_moves(position) && !self.board.can_move(position);
        self.known(position).map_or(is_stuck, |holds| !holds)
    }

    pub(super) fn cover(&self, position: &Position) -> Option<Cover> {
        match (self.known(position), self.source(position)) {
            (Some(holds), _) => holds.then_some(Cover::Known),
            (None, Some((source, _))) => Some(Cover::Node(source.cost)),
            (None, None) => self.is_over(position).then_some(Cover::Known),
        }
    }

    fn source(&'a self, position: &Position) -> Option<(&'a Source<'a>, &'a PartNode)> {
        let &(source, number) = self.index.get(&position.key())?;
        let source = self.sources.get(source)?;
        Some((source, source.part.nodes.get(number)?))
    }

    /// The nodes that the start needs, if `top` says that it holds.
    ///
    /// # Errors
    /// [`BrokenProof`] if a certificate does not prove what it claims.
    pub fn section(&self, top: &Top<'_>, start: &Position) -> Result<Section, BrokenProof> {
        let mut gathering = Gathering { union: self, top, kept: Vec::new(), todo: Vec::new() };
        let mut seen: KeyMap<()> = KeyMap::default();
        if self.known(start).is_none() && gathering.place(start).is_some() {
            gathering.todo.push(*start);
        }
        while let Some(position) = gathering.todo.pop() {
            if seen.insert(position.key(), ()).is_none() {
                gathering.keep(&position)?;
            }
        }
        Ok(gathering.section())
    }
}

/// Going over all that the start needs.
struct Gathering<'a> {
    union: &'a Union<'a>,
    top: &'a Top<'a>,
    kept: Vec<(Position, u64, Record)>,
    /// Positions of nodes.
    todo: Vec<Position>,
}

impl<'a> Gathering<'a> {
    fn place(&self, position: &Position) -> Option<Place<'a>> {
        let source = self.union.source(position).map(|(s, node)| Place::Source(s, node));
        source.or_else(|| self.top.node(position).map(Place::Above))
    }

    fn rank(&self, place: Place<'_>) -> u64 {
        match place {
            _ if !self.union.question.is_win() => 0,
            Place::Source(source, node) => source.offset + u64::from(node.rank),
            // Larger than all ranks of all certificates.
            Place::Above(above) => (1 << 48) + u64::from(above.order),
        }
    }

    /// Whether the tree takes over at `position`, seen from a node with this rank; notes what it needs.
    fn takes_over(&mut self, position: &Position, rank: u64) -> bool {
        let place = self.place(position);
        let below =
            place.is_some_and(|there| !self.union.question.is_win() || self.rank(there) < rank);
        if below {
            self.todo.push(*position);
        }
        below
    }

    /// Whether a successor of a node with this rank holds (`SPEC.md` §6); notes what it needs.
    fn holds(&mut self, successor: &Position, rank: u64) -> bool {
        match self.union.known(successor) {
            Some(holds) => holds,
            None if self.place(successor).is_some() => self.takes_over(successor, rank),
            None => self.union.is_over(successor),
        }
    }

    fn keep(&mut self, position: &Position) -> Result<(), BrokenProof> {
        let Some(place) = self.place(position) else { return Ok(()) };
        let rank = self.rank(place);
        let record = match place {
            Place::Above(above) => above.choice.map_or(Record::And, Record::Or),
            Place::Source(source, node) => match node.basis {
                Basis::Or(choice) => Record::Or(choice),
                Basis::And => Record::And,
                Basis::Leaf(number) => {
                    let leaf = self.leaf(source, node, number, rank);
                    Record::Leaf(leaf.map_err(|e| self.broken(place, position, &e.to_string()))?)
                }
                Basis::Assumed => return Err(self.broken(place, position, "it is only assumed")),
            },
        };
        let mut successors = Vec::new();
        self.union.board.successors(position, &mut successors);
        let needed = match &record {
            Record::Or(choice) => match successors.get(*choice as usize) {
                Some(chosen) => std::slice::from_ref(chosen),
                None => {
                    let moves = successors.len();
                    let what = format!("expected one of {moves} moves, found number {choice}");
                    return Err(self.broken(place, position, &what));
                }
            },
            Record::And => &successors,
            Record::Leaf(_) | Record::Assumed(_) => &[],
        };
        for successor in needed {
            if !self.holds(successor, rank) {
                let fen = self.union.board.write_fen(successor);
                let what = format!("expected a proof of {fen}, found none");
                return Err(self.broken(place, position, &what));
            }
        }
        self.kept.push((*position, rank, record));
        Ok(())
    }

    fn broken(&self, place: Place<'_>, position: &Position, what: &str) -> BrokenProof {
        let directory = match place {
            Place::Source(source, _) => source.stored.directory.clone(),
            Place::Above(_) => PathBuf::from("the nodes above the certificates"),
        };
        BrokenProof { directory, fen: self.union.board.write_fen(position), what: what.into() }
    }

    /// Packs a leaf again, for the nodes that there are now.
    fn leaf(
        &mut self,
        source: &Source<'_>,
        node: &PartNode,
        number: usize,
        rank: u64,
    ) -> Result<Leaf<Vec<u8>>, StrategyError> {
        let Union { board, database, .. } = *self.union;
        let part = source.part;
        let (claimant, is_win) = (part.claimant(), part.question.is_win());
        let known = |p: &Position| Some(suits(database.probe(p)?, p.turn == claimant, is_win));
        let replay = Replay { board, claimant, is_win, known };
        let leaf = part.leaves.get(number).ok_or(StrategyError::Bits)?;
        let mut strategy = replay.decode(leaf, &node.position, |p| part.closes(node, p))?;
        strategy.is_win = self.union.question.is_win();
        pack(&strategy, board, database, &node.position, |p| self.takes_over(p, rank))
    }

    /// What was kept, with ranks from 0 without gaps.
    fn section(mut self) -> Section {
        self.kept.sort_unstable_by_key(|(position, ..)| *position);
        let ranks: BTreeSet<u64> = self.kept.iter().map(|(_, rank, _)| *rank).collect();
        let ranks: Vec<u64> = ranks.into_iter().collect();
        let entry = |(position, rank, record)| {
            // Every rank is among them.
            let rank = ranks.binary_search(&rank).unwrap_or_default() as u32;
            Entry { position, rank, record }
        };
        let entries = self.kept.into_iter().map(entry).collect();
        Section::of(self.union.question, self.union.board, entries)
    }
}
