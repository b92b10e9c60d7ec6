//! Changes of leaf strategies that keep their form: the numbers of positions, bits and bytes are
//! right.
//!
//! Replays leaf strategies (`SPEC.md` §7) by recursion with the prover's moves, to make new ones
//! and to find what a strategy rests on.

use super::base::Base;
use super::random::Random;
use super::records::part;
use crate::prelude::*;
use certificate_spec::bits::{BitReader, BitWriter, width};

/// The most positions that a leaf made here expands.
const MOST: usize = 2000;

/// A leaf for a node, with choices made by `choose`. It may end at any node whose rank is smaller
/// than `rank`.
fn leaf_of(
    base: &Base,
    cover: &Cover,
    part: &Part,
    (node, rank): (&Node, u32),
    mut choose: impl FnMut(usize) -> Option<usize>,
) -> Option<Leaf<Vec<u8>>> {
    let mut bits = BitWriter::default();
    let mut replay = Replay::new(&base.rules, cover, part, rank, MOST);
    replay.expand(node.position, &mut |n| {
        let choice = choose(n)?;
        bits.push(choice.try_into().ok()?, width(n));
        Some(choice)
    })?;
    Some(Leaf { positions: replay.expanded.len() as u64, strategy: bits.finish() })
}

/// The rank of a node; sometimes the largest rank, as if ranks did not matter.
fn rank_for(node: &Node, random: &mut Random) -> u32 {
    if random.one_in(3) { u32::MAX } else { node.rank }
}

/// A leaf with random choices.
pub(super) fn at_random(
    base: &Base,
    cover: &Cover,
    part: &Part,
    node: &Node,
    random: &mut Random,
) -> Option<Leaf<Vec<u8>>> {
    leaf_of(base, cover, part, (node, rank_for(node, random)), |n| (n > 0).then(|| random.below(n)))
}

/// A leaf that begins with the move that a node has chosen, and goes on with random choices. It
/// ends at every node, whatever the node's rank.
pub(super) fn up_to_nodes(
    base: &Base,
    cover: &Cover,
    part: &Part,
    node: &Node,
    random: &mut Random,
) -> Option<Leaf<Vec<u8>>> {
    let mut first = (node.kind == kind::OR).then_some(node.data as usize);
    leaf_of(base, cover, part, (node, u32::MAX), |n| {
        first.take().or_else(|| (n > 0).then(|| random.below(n)))
    })
}

/// A leaf with the old choices up to a place and others from there on, or with one other choice.
pub(super) fn replayed(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let cover = &draft.claim.cover.clone();
    let part = part(draft, random, |part| !part.leaves.is_empty())?;
    let nodes = part.nodes.iter().filter(|node| node.kind == kind::LEAF).copied();
    let nodes: Vec<Node> = nodes.filter(|node| base.rules.is_possible(&node.position)).collect();
    let node = *random.pick(&nodes)?;
    let number = usize::try_from(node.data).ok()?;
    let old = part.leaves.get(number)?.clone();
    let mut bits = BitReader::new(&old.strategy);
    // A choice takes at least one bit.
    let from = random.below(old.strategy.len() * 8);
    let only_here = random.one_in(2);
    let mut made = 0;
    let rank = rank_for(&node, random);
    let leaf = leaf_of(base, cover, part, (&node, rank), |n| {
        let old = bits.take(width(n)).map(|choice| choice as usize);
        made += 1;
        let is_changed = if only_here { made - 1 == from } else { made > from };
        let keep = old.filter(|choice| *choice < n && !is_changed);
        keep.or_else(|| (n > 0).then(|| random.below(n)))
    })?;
    part.leaves[number] = leaf;
    Some(())
}

pub(super) fn exchanged(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let leaves = &mut part(draft, random, |part| part.leaves.len() > 1)?.leaves;
    let i = random.below(leaves.len());
    let j = random.below(leaves.len());
    if random.one_in(3) {
        leaves[i] = leaves[j].clone();
    } else {
        leaves.swap(i, j);
    }
    Some(())
}

/// Whether the side that makes the claim is to move.
pub(super) fn claimant_moves(question: Question, p: &WirePosition) -> bool {
    (p.turn == 1) == question.claimant_is_white()
}

/// Whether the database has the value of a position: the meaning of the clauses of a cover, worked
/// out here and not by [`Cover::admits`].
pub(super) fn in_database(p: &WirePosition, cover: &Cover) -> bool {
    has(cover, p.black.count_ones(), p.white.count_ones())
}

/// Whether positions with `black` and `white` pieces are in the database.
pub(super) fn has(cover: &Cover, black: u32, white: u32) -> bool {
    let fits = |most: u8, there: u32| there <= most.into();
    let mut clauses = cover.clauses().iter();
    black > 0
        && white > 0
        && clauses.any(|clause| {
            fits(clause.pieces, black + white)
                && fits(clause.side, black)
                && fits(clause.side, white)
        })
}

/// The state of a replay.
pub(super) struct Replay<'a> {
    rules: &'a Rules,
    cover: &'a Cover,
    question: Question,
    ranks: BTreeMap<WirePosition, u32>,
    rank: u32,
    most: usize,
    seen: HashSet<WirePosition>,
    /// The positions expanded so far, each with the successors that it needs.
    pub(super) expanded: Vec<(WirePosition, Vec<WirePosition>)>,
}

impl<'a> Replay<'a> {
    /// A replay from a leaf of this rank, of at most `most` positions.
    pub(super) fn new(
        rules: &'a Rules,
        cover: &'a Cover,
        part: &Part,
        rank: u32,
        most: usize,
    ) -> Self {
        Replay {
            rules,
            cover,
            question: part.question,
            ranks: part.nodes.iter().map(|node| (node.position, node.rank)).collect(),
            rank,
            most,
            seen: HashSet::new(),
            expanded: Vec::new(),
        }
    }

    /// Expands a position; `choose` returns the number of a successor, given how many there are.
    /// `None` if it returns none, if there is no successor, or if there are too many positions.
    pub(super) fn expand(
        &mut self,
        p: WirePosition,
        choose: &mut dyn FnMut(usize) -> Option<usize>,
    ) -> Option<()> {
        if self.expanded.len() == self.most {
            return None;
        }
        self.seen.insert(p);
        let mut needed = self.rules.successors(&p);
        if claimant_moves(self.question, &p) {
            let choice = choose(needed.len())?;
            needed = vec![*needed.get(choice)?];
        }
        self.expanded.push((p, needed.clone()));
        for y in needed {
            let lower = |rank: &u32| !self.question.is_win() || *rank < self.rank;
            let is_known = in_database(&y, self.cover)
                || self.seen.contains(&y)
                || self.ranks.get(&y).is_some_and(lower);
            if !is_known {
                self.expand(y, choose)?;
            }
        }
        Some(())
    }
}
