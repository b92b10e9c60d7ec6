//! Changes of leaf strategies that keep their form: the numbers of positions, bits and bytes are
//! right.

use certificate_spec::bits::{BitReader, BitWriter, width};

use super::base::Base;
use super::random::Random;
use super::records::part;
use super::replay::Replay;
use crate::prelude::*;

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
