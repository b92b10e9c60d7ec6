//! Expands a certificate to one over a smaller cover. The moves that lose are known from the
//! database of the certificate (`Allowed`).
//!
//! Cuts a strategy into nodes and leaves.
//!
//! A leaf's replay keeps all of its positions in memory. So a position from which the strategy
//! reaches more than the limit becomes an Or or And node, and each position that it leads to is
//! treated alike. All nodes are chosen before the first leaf is packed, as leaves end at nodes.

use self::allowed::Allowed;
pub use self::allowed::{ExpandError, Sources};
use self::closed_set::ClosedSet;
use crate::board::Position;
use crate::certificate::{Section, Stored, StoredProof};
use crate::progress::Progress;
use crate::proof::{Basis, ProofNode};
use crate::search::{PositionMap, PositionSet, Replay};
use certificate_spec::cover::Cover;
use rayon::prelude::*;

mod allowed;
mod closed_set;

/// The most positions of a leaf: `check` replays one of this many in 2 to 4 GB of memory.
pub const MOST_A_LEAF: u64 = 58_000_000;

/// Returns the sections of a certificate over a smaller cover, with at most `most` positions a leaf
/// where that is possible. All leaves are replayed.
///
/// # Errors
/// [`ExpandError`]
pub fn expand(
    stored: &Stored,
    smaller: &Cover,
    sources: &Sources<'_>,
    most: u64,
    progress: &Progress,
) -> Result<Vec<Section>, ExpandError> {
    let section = |proof: &StoredProof| {
        let start = |what, work, unit| {
            progress.start(format!("{what} {}", proof.question.word()), work, unit)
        };
        let bar =
            proof.question.is_win().then(|| start("replaying", proof.positions(), "position"));
        let replayed = |n| bar.iter().for_each(|bar| bar.add(n));
        let allowed = Allowed::new(stored, proof, smaller, sources, replayed)?;
        bar.into_iter().for_each(|bar| bar.finish());
        let bar = start("expanding", 0, "node");
        let set = ClosedSet::find(&allowed, &stored.start, |n| bar.add(n))?;
        bar.finish();
        let bar = start("packing", 0, "position");
        let section = section(&set, &stored.start, most, |n| bar.add(n))?;
        bar.finish();
        Ok(section)
    };
    // The first error in the order of questions is reported.
    let sections: Vec<_> = stored.proofs.par_iter().map(section).collect();
    sections.into_iter().collect()
}

/// The section of a question over the smaller cover, with at most `most` positions a leaf where
/// that is possible. All its leaves are replayed.
fn section(
    set: &ClosedSet<'_>,
    start: &Position,
    most: u64,
    packed: impl Fn(u64),
) -> Result<Section, ExpandError> {
    let allowed = set.allowed;
    let (board, question) = (allowed.board, allowed.proof.question);
    let mut cut = Cut { set, most, ranks: PositionMap::new(board), nodes: Vec::new() };
    cut.choose_nodes(start)?;
    let Cut { ranks, mut nodes, .. } = cut;
    let known = |p: &Position| allowed.known(p);
    let (claimant, is_win) = (allowed.claimant(), allowed.is_win());
    let replay = Replay { board, claimant, is_win, known };
    for ProofNode { position, rank, basis } in &mut nodes {
        if let Basis::Leaf(leaf) = basis {
            let closes = |p: &Position| ranks.get(p).is_some_and(|there| !is_win || there < *rank);
            let choose =
                |p: &Position, successors: &[Position]| set.chosen(p, successors).ok().flatten();
            *leaf = replay.pack_by(position, closes, choose)?;
            replay.follow(leaf, position, closes, |_| ())?;
            packed(leaf.positions);
        }
    }
    nodes.sort_unstable_by_key(|node| node.position);
    Ok(Section::of(question, board, nodes))
}

struct Cut<'a> {
    set: &'a ClosedSet<'a>,
    most: u64,
    ranks: PositionMap<u32>,
    nodes: Vec<ProofNode>,
}

impl Cut<'_> {
    /// Chooses nodes from the start downwards. A position gets its rank after all that it leads to.
    fn choose_nodes(&mut self, start: &Position) -> Result<(), ExpandError> {
        let allowed = self.set.allowed;
        let is_win = allowed.is_win();
        let mut met = PositionSet::new(allowed.board);
        let mut tasks = vec![(*start, None)];
        while let Some((position, basis)) = tasks.pop() {
            if let Some(basis) = basis {
                let rank = if is_win { self.nodes.len() as u32 } else { 0 };
                self.ranks.insert(&position, rank);
                self.nodes.push(ProofNode { position, rank, basis });
                continue;
            }
            if allowed.known(&position).is_some() || !met.insert(&position, ()) {
                continue;
            }
            let mut successors = Vec::new();
            allowed.board.successors(&position, &mut successors);
            if position.turn != allowed.claimant() && successors.is_empty() {
                continue;
            }
            let is_small = self.is_small(&position)?;
            if is_small {
                let leaf = certificate_spec::leaves::Leaf { positions: 0, strategy: Vec::new() };
                tasks.push((position, Some(Basis::Leaf(leaf))));
            } else if position.turn == allowed.claimant() {
                let at = self.set.chosen(&position, &successors)?.unwrap_or(0);
                tasks.push((position, Some(Basis::Or(at as u32))));
                tasks.push((successors[at], None));
            } else {
                tasks.push((position, Some(Basis::And)));
                tasks.extend(successors.into_iter().rev().map(|s| (s, None)));
            }
        }
        Ok(())
    }

    /// Whether the strategy reaches at most `most` positions before it comes to nodes.
    fn is_small(&self, position: &Position) -> Result<bool, ExpandError> {
        let allowed = self.set.allowed;
        let mut seen = PositionSet::new(allowed.board);
        let mut todo = vec![*position];
        let mut successors = Vec::new();
        while let Some(position) = todo.pop() {
            let is_end = allowed.known(&position).is_some() || self.ranks.contains(&position);
            if is_end || !seen.insert(&position, ()) {
                continue;
            }
            if seen.len() > self.most {
                return Ok(false);
            }
            allowed.board.successors(&position, &mut successors);
            if position.turn == allowed.claimant() {
                let at = self.set.chosen(&position, &successors)?;
                todo.extend(at.map(|at| successors[at]));
            } else {
                todo.extend(&successors);
            }
        }
        Ok(true)
    }
}
