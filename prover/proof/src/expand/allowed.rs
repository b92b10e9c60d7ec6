//! The moves from which a smaller cover's strategy is chosen.
//!
//! They must not lead to a position of the database whose value does not suit. For a claim of
//! winning, they lead to positions of the certificate above its cover, and a measure falls with
//! each move, so that no choice can lead in a circle: above the cover, the number of a position in
//! the order in which the certificate's own proof completes them; in the cover, the depth, which
//! begins anew at each conversion.

use std::sync::{Mutex, PoisonError};

use certificate_spec::cover::Cover;

use crate::board::{Board, Position, Side};
use crate::certificate::{BrokenProof, Stored, StoredBasis, StoredProof, stored_replay};
use crate::egdb::{DepthFinder, Depths, StoreError, Value, Values, converts};
use crate::search::{PositionMap, StrategyError, suits};
use thiserror::Error;

/// The reason why a certificate cannot be expanded.
#[derive(Debug, Error)]
pub enum ExpandError {
    #[error(transparent)]
    Broken(#[from] BrokenProof),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a leaf strategy does not hold: {0}")]
    Strategy(#[from] StrategyError),
    #[error("{fen}: no depth of this win is known")]
    Depth { fen: String },
}

/// The values and depths of a database.
pub struct Sources<'a> {
    /// The values over the cover of the certificate.
    pub values: &'a Values,
    /// The depths that are stored beside them.
    pub depths: &'a Depths,
    /// The finder of other depths.
    pub finder: Mutex<DepthFinder>,
}

/// The moves that a question's claimant may choose.
pub(super) struct Allowed<'a> {
    stored: &'a Stored,
    pub(super) proof: &'a StoredProof,
    pub(super) board: &'a Board,
    smaller: &'a Cover,
    sources: &'a Sources<'a>,
    /// The positions of the certificate in the order of its proof, where the claim is a win.
    numbers: PositionMap<u32>,
}

impl<'a> Allowed<'a> {
    /// Replays the certificate's proof of a win; none of a claim of not losing is needed.
    /// `replayed` gets the number of positions of each leaf.
    pub(super) fn new(
        stored: &'a Stored,
        proof: &'a StoredProof,
        smaller: &'a Cover,
        sources: &'a Sources<'a>,
        replayed: impl Fn(u64),
    ) -> Result<Self, BrokenProof> {
        let board = &stored.game.board;
        let numbers = PositionMap::new(board);
        let mut allowed = Allowed { stored, proof, board, smaller, sources, numbers };
        if !allowed.is_win() {
            return Ok(allowed);
        }
        // A node's rank is larger than the ranks of all nodes that it rests on.
        let mut nodes: Vec<_> = proof.nodes.iter().collect();
        nodes.sort_by_key(|node| node.rank);
        let replay = stored_replay(stored, proof);
        for node in nodes {
            match node.basis {
                StoredBasis::Assumed(_) => {
                    return Err(allowed.broken(&node.position, "it is only assumed"));
                }
                StoredBasis::Or(_) | StoredBasis::And => allowed.enter(&node.position),
                StoredBasis::Leaf(number) => {
                    // `Stored::read` has counted the leaves.
                    let leaf = &proof.leaves[number];
                    let closes = |position: &Position| proof.closes(node, position);
                    let done = replay.follow(leaf, &node.position, closes, |p| allowed.enter(p));
                    done.map_err(|e| allowed.broken(&node.position, &e.to_string()))?;
                    replayed(leaf.positions);
                }
            }
        }
        Ok(allowed)
    }

    fn enter(&mut self, position: &Position) {
        let number = self.numbers.len() as u32;
        self.numbers.insert(position, number);
    }

    pub(super) fn is_win(&self) -> bool {
        self.proof.question.is_win()
    }

    pub(super) fn claimant(&self) -> Side {
        self.proof.claimant()
    }

    /// An error at a position.
    pub(super) fn broken(&self, position: &Position, what: &str) -> BrokenProof {
        self.stored.broken(position, what)
    }

    fn value(&self, position: &Position) -> Option<Value> {
        self.sources.values.probe(position)
    }

    fn suits(&self, position: &Position, value: Value) -> bool {
        suits(value, position.turn == self.claimant(), self.is_win())
    }

    /// Whether the value of a position of the smaller cover suits; `None` for other positions.
    pub(super) fn known(&self, position: &Position) -> Option<bool> {
        let [black, white] = [position.black, position.white].map(u64::count_ones);
        let is_known = self.smaller.admits(black, white);
        is_known.then(|| self.value(position).is_some_and(|value| self.suits(position, value)))
    }

    /// Whether a position needs no strategy, as the smaller cover has it.
    ///
    /// # Errors
    /// [`ExpandError::Broken`] if its value does not suit.
    pub(super) fn holds(&self, position: &Position) -> Result<bool, ExpandError> {
        match self.known(position) {
            Some(false) => Err(self.broken(position, "the database refutes it").into()),
            known => Ok(known.is_some()),
        }
    }

    /// Whether the database of the certificate says that the claim does not hold of a position.
    pub(super) fn is_lost(&self, position: &Position) -> bool {
        self.value(position).is_some_and(|value| !self.suits(position, value))
    }

    /// The values of the certificate's database.
    pub(super) fn values(&self) -> &'a Values {
        self.sources.values
    }

    /// Whether a claimant who is to win may move from one position to another, which the smaller
    /// cover does not have.
    ///
    /// # Errors
    /// [`ExpandError`]
    pub(super) fn may_choose(&self, from: &Position, to: &Position) -> Result<bool, ExpandError> {
        if !to.both_sides() {
            return Ok(true);
        }
        Ok(match self.value(to) {
            Some(value) if !self.suits(to, value) => false,
            Some(_) if self.value(from).is_none() || converts(from, to) => true,
            Some(_) => self.depth(to)? < self.depth(from)?,
            None => match (self.numbers.get(to), self.numbers.get(from)) {
                (Some(to), Some(from)) => to < from,
                _ => false,
            },
        })
    }

    /// The depth of a position of the database, which is won or lost.
    fn depth(&self, position: &Position) -> Result<u32, ExpandError> {
        let Sources { values, depths, finder } = self.sources;
        let value = self.value(position).unwrap_or(Value::Draw);
        if let Some(depth) = depths.depth(position, value)? {
            return Ok(depth);
        }
        let depth =
            finder
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .depth(values, position, &|| false);
        depth.ok_or_else(|| ExpandError::Depth { fen: self.board.write_fen(position) })
    }
}
