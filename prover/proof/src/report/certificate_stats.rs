//! The statistics of a question of a certificate: nodes by their distance from the start and by
//! their pieces, and the slices of the database that it rests on.
//!
//! The distance of a position is the least number of plies from the start along moves of the proof.
//! Nodes are visited in the order of their distances (Dijkstra), and the positions of each leaf
//! breadth first. Positions that several leaves expand count for each of them, as in the verdict of
//! `check`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};

use super::html::name;
use crate::board::{Board, MoveError, Position};
use crate::certificate::{
    BrokenProof, ProofMoves, Stored, StoredBasis, StoredNode, StoredProof, stored_replay,
};
use crate::egdb::{Slice, locate};
use crate::search::KeyMap;

/// A number of nodes or of leaves, and of the positions that leaves expand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// The number of nodes, or of leaves.
    pub nodes: u64,
    pub positions: u64,
}

/// The statistics of a question.
#[derive(Debug, Default)]
pub struct CertificateStats {
    /// Sizes by plies from the start; `None` for nodes that cannot be reached from there.
    pub by_ply: BTreeMap<Option<u32>, Size>,
    pub by_pieces: BTreeMap<u32, Size>,
    /// Sizes of leaves by the number of positions that they expand: from 2ⁿ to 2ⁿ⁺¹ − 1 for each n.
    pub leaves: BTreeMap<u32, Size>,
    /// The number of moves of the proof that lead to positions of each slice of the database.
    pub lookups: HashMap<Slice, u64>,
}

impl CertificateStats {
    /// Counts the nodes of a question. `replayed` gets the number of positions of each leaf.
    ///
    /// # Errors
    /// [`BrokenProof`] if the replay of a leaf fails. (The values of database positions are not
    /// looked up.)
    pub fn new(
        stored: &Stored,
        proof: &StoredProof,
        replayed: impl FnMut(u64),
    ) -> Result<Self, BrokenProof> {
        let mut counting = Counting {
            stored,
            proof,
            replayed,
            stats: CertificateStats::default(),
            queue: BinaryHeap::new(),
        };
        let mut done = vec![false; proof.nodes.len()];
        counting.meet(&stored.start, Some(0));
        while let Some(Reverse((ply, number))) = counting.queue.pop() {
            if !std::mem::replace(&mut done[number], true) {
                counting.node(&proof.nodes[number], Some(ply))?;
            }
        }
        for (node, _) in proof.nodes.iter().zip(&done).filter(|(_, done)| !**done) {
            counting.node(node, None)?;
        }
        Ok(counting.stats)
    }
}

struct Counting<'a, F> {
    stored: &'a Stored,
    proof: &'a StoredProof,
    replayed: F,
    stats: CertificateStats,
    /// Nodes to be counted, by their distance.
    queue: BinaryHeap<Reverse<(u32, usize)>>,
}

impl<F: FnMut(u64)> Counting<'_, F> {
    fn board(&self) -> &Board {
        &self.stored.game.board
    }

    fn is_in_database(&self, position: &Position) -> bool {
        let [black, white] = [position.black, position.white].map(u64::count_ones);
        self.stored.claim.cover.admits(black, white)
    }

    /// Counts a move of the proof to `position`, which is `ply` plies from the start if that is
    /// known.
    fn meet(&mut self, position: &Position, ply: Option<u32>) {
        if self.is_in_database(position) {
            let (slice, _) = locate(self.board(), position);
            *self.stats.lookups.entry(slice).or_default() += 1;
        } else if let (Some(ply), Ok(at)) =
            (ply, self.proof.nodes.binary_search_by_key(position, |n| n.position))
        {
            self.queue.push(Reverse((ply, at)));
        }
    }

    fn count(&mut self, position: &Position, ply: Option<u32>, size: Size) {
        let sums = [
            self.stats.by_ply.entry(ply).or_default(),
            self.stats.by_pieces.entry(position.pieces()).or_default(),
        ];
        for sum in sums {
            sum.nodes += size.nodes;
            sum.positions += size.positions;
        }
    }

    fn node(&mut self, node: &StoredNode, ply: Option<u32>) -> Result<(), BrokenProof> {
        self.count(&node.position, ply, Size { nodes: 1, positions: 0 });
        let mut successors = Vec::new();
        self.board().successors(&node.position, &mut successors);
        let below = ply.map(|ply| ply + 1);
        match node.basis {
            StoredBasis::Or(choice) => {
                if let Some(chosen) = successors.get(choice as usize) {
                    self.meet(chosen, below);
                }
            }
            StoredBasis::And => successors.iter().for_each(|s| self.meet(s, below)),
            StoredBasis::Leaf(number) => self.leaf(node, number, ply)?,
            StoredBasis::Assumed(_) => {}
        }
        Ok(())
    }

    fn leaf(
        &mut self,
        node: &StoredNode,
        number: usize,
        ply: Option<u32>,
    ) -> Result<(), BrokenProof> {
        let proof = self.proof;
        let claimant = self.proof.claimant();
        let Some(leaf) = proof.leaves.get(number) else { return Ok(()) };
        let replay = stored_replay(self.stored, proof);
        let strategy = replay.unpack(leaf, &node.position, |p| proof.closes(node, p));
        let strategy = strategy.map_err(|e| BrokenProof {
            directory: self.stored.directory.clone(),
            fen: self.board().write_fen(&node.position),
            what: e.to_string(),
        })?;
        let class = self.stats.leaves.entry(leaf.positions.ilog2()).or_default();
        class.nodes += 1;
        class.positions += leaf.positions;

        let mut seen: KeyMap<()> = KeyMap::default();
        seen.insert(node.position.key(), ());
        let mut queue = VecDeque::from([(node.position, ply)]);
        let mut successors = Vec::new();
        while let Some((position, ply)) = queue.pop_front() {
            self.count(&position, ply, Size { nodes: 0, positions: 1 });
            let below = ply.map(|ply| ply + 1);
            self.board().successors(&position, &mut successors);
            if position.turn == claimant {
                successors.clear();
                successors.extend(strategy.choice(&position));
            }
            for successor in &successors {
                let is_seen = seen.contains_key(&successor.key());
                if self.is_in_database(successor) || !is_seen && proof.closes(node, successor) {
                    self.meet(successor, below);
                } else if !is_seen {
                    seen.insert(successor.key(), ());
                    queue.push_back((*successor, below));
                }
            }
        }
        (self.replayed)(leaf.positions);
        Ok(())
    }
}

/// The first moves of a question, by name.
pub struct FirstMoves {
    /// The claimant's first move, where it moves first.
    pub first: Option<String>,
    /// Each move of the other side, and the claimant's answer.
    pub replies: Vec<[String; 2]>,
}

/// The reason why first moves cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum FirstMovesError {
    #[error(transparent)]
    Broken(#[from] BrokenProof),
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl FirstMoves {
    /// The first moves of a question.
    pub fn new(stored: &Stored, proof: &StoredProof) -> Result<Self, FirstMovesError> {
        let board = &stored.game.board;
        let mut moves = ProofMoves::new(stored);
        let start = stored.start;
        let claimant = proof.claimant();
        let mut first = None;
        let mut from = start;
        if start.turn == claimant {
            let Some((_, after)) = moves.choice(&start)? else {
                return Ok(FirstMoves { first: None, replies: Vec::new() });
            };
            first = Some(board.write_move(&start, &after)?);
            from = after;
        }
        let mut replies = Vec::new();
        if !is_in_database(stored, &from) {
            let mut successors = Vec::new();
            board.successors(&from, &mut successors);
            for after in successors {
                let reply = board.write_move(&from, &after)?;
                replies.push([reply, answer(stored, board, &mut moves, &after)?]);
            }
        }
        Ok(FirstMoves { first, replies })
    }
}

fn is_in_database(stored: &Stored, position: &Position) -> bool {
    let [black, white] = [position.black, position.white].map(u64::count_ones);
    stored.claim.cover.admits(black, white)
}

fn answer(
    stored: &Stored,
    board: &Board,
    moves: &mut ProofMoves<'_>,
    position: &Position,
) -> Result<String, FirstMovesError> {
    if is_in_database(stored, position) {
        return Ok("in the database".into());
    }
    if !board.can_move(position) {
        return Ok(format!("{} has no move", name(position.turn)));
    }
    Ok(match moves.choice(position)? {
        Some((_, after)) => board.write_move(position, &after)?,
        None => "not in the proof".into(),
    })
}
