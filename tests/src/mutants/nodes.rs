//! Changes that only the rules of the game can detect: of moves, replies, ranks and kinds.

use certificate_spec::claim::Value;

use super::base::Base;
use super::leaves::{at_random, up_to_nodes};
use super::leaves::{claimant_moves, in_database};
use super::random::Random;
use super::records::part;
use crate::prelude::*;

/// Nodes, each with its leaf if it is of kind Leaf, so that both can be added and removed together.
pub(super) type Pairs = Vec<(Node, Option<Leaf<Vec<u8>>>)>;

/// Takes the nodes and leaves out of a question.
pub(super) fn take(part: &mut Part) -> Pairs {
    let mut leaves = std::mem::take(&mut part.leaves).into_iter();
    let pair = |node: Node| (node, if node.kind == kind::LEAF { leaves.next() } else { None });
    std::mem::take(&mut part.nodes).into_iter().map(pair).collect()
}

/// Puts nodes back in order, the leaves with right numbers.
pub(super) fn put(part: &mut Part, mut pairs: Pairs) {
    pairs.sort_by_key(|(node, _)| node.position);
    for (mut node, leaf) in pairs {
        if let Some(leaf) = leaf {
            node.data = part.leaves.len().try_into().expect("few leaves");
            part.leaves.push(leaf);
        }
        part.nodes.push(node);
    }
}

/// Changes the nodes of a question, if it has any.
fn edit(
    draft: &mut Draft,
    random: &mut Random,
    edit: impl FnOnce(&Part, &mut Pairs, &mut Random) -> Option<()>,
) -> Option<()> {
    let part = part(draft, random, |part| !part.nodes.is_empty())?;
    let before = part.clone();
    let mut pairs = take(part);
    edit(&before, &mut pairs, random)?;
    put(part, pairs);
    Some(())
}

/// A random node for which `is` holds.
fn pick(pairs: &Pairs, random: &mut Random, is: impl Fn(&Node) -> bool) -> Option<usize> {
    let all: Vec<usize> = (0..pairs.len()).filter(|&i| is(&pairs[i].0)).collect();
    random.pick(&all).copied()
}

/// The successors of a node, which may have become impossible by an earlier change.
fn successors(rules: &Rules, node: &Node) -> Option<Vec<WirePosition>> {
    rules.is_possible(&node.position).then(|| rules.successors(&node.position))
}

pub(super) fn choice(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    edit(draft, random, |_, pairs, random| {
        let i = pick(pairs, random, |node| node.kind == kind::OR)?;
        let node = &mut pairs[i].0;
        node.data = random.below(successors(&base.rules, node)?.len()).try_into().ok()?;
        Some(())
    })
}

pub(super) fn removed(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    edit(draft, random, |_, pairs, random| {
        for _ in 0..1 + usize::from(random.one_in(4)) {
            let i = pick(pairs, random, |_| true)?;
            pairs.remove(i);
        }
        Some(())
    })
}

pub(super) fn reply_dropped(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    edit(draft, random, |_, pairs, random| {
        let i = pick(pairs, random, |node| node.kind == kind::AND)?;
        let replies = successors(&base.rules, &pairs[i].0)?;
        let i = pick(pairs, random, |node| replies.contains(&node.position))?;
        pairs.remove(i);
        Some(())
    })
}

/// A position near another: a successor, a successor of a successor, or one with a piece moved or
/// changed.
fn near(rules: &Rules, p: WirePosition, random: &mut Random) -> Option<WirePosition> {
    let mut p = p;
    if random.one_in(3) {
        let squares = usize::from(rules.board.squares());
        let from = 1 << random.below(squares);
        let to = 1 << random.below(squares);
        let all = [&mut p.black, &mut p.white];
        for set in all.into_iter().filter(|set| **set & from != 0) {
            *set = *set & !from | to;
        }
        if p.kings & from != 0 {
            p.kings = p.kings & !from | to;
        }
        if random.one_in(3) {
            p.kings ^= to;
        }
        return rules.is_possible(&p).then_some(p);
    }
    for _ in 0..1 + random.below(3) {
        p = *random.pick(&rules.successors(&p))?;
    }
    Some(p)
}

/// Gives a node a kind that suits the side to move, with the data or leaf that the kind needs.
fn dress(
    base: &Base,
    part: &Part,
    node: &mut Node,
    cover: &Cover,
    random: &mut Random,
) -> Option<Option<Leaf<Vec<u8>>>> {
    if random.one_in(3) {
        node.kind = kind::LEAF;
        return Some(Some(at_random(base, cover, part, node, random)?));
    }
    (node.kind, node.data) = (kind::AND, 0);
    if claimant_moves(part.question, &node.position) {
        let all = base.rules.successors(&node.position).len();
        (node.kind, node.data) = (kind::OR, random.below(all).try_into().ok()?);
    }
    Some(None)
}

pub(super) fn added(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let cover = &draft.claim.cover.clone();
    edit(draft, random, |part, pairs, random| {
        let from = pairs[pick(pairs, random, |_| true)?].0;
        let from_is_possible = base.rules.is_possible(&from.position);
        let position =
            if from_is_possible { near(&base.rules, from.position, random)? } else { return None };
        // Sometimes a position that has a node already, or that is in the database.
        let is_there = pairs.iter().any(|(node, _)| node.position == position);
        if (is_there || in_database(&position, cover)) && !random.one_in(16) {
            return None;
        }
        let rank = from.rank.saturating_sub(u32::from(!random.one_in(4)));
        let mut node = Node { position, rank, data: 0, kind: 0, reserved: 0 };
        let leaf = dress(base, part, &mut node, cover, random)?;
        pairs.push((node, leaf));
        Some(())
    })
}

/// A claim about a random position, true or false, and one node that states it.
pub(super) fn made_up(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let rules = &base.rules;
    let mut position = rules.wire(&rules.board.read_fen(&draft.claim.start).ok()?);
    for _ in 0..random.below(12) {
        position = near(rules, position, random).unwrap_or(position);
    }
    let (value, question) = *random.pick(&[
        (Value::BlackNotLost, Question::BlackNotLost),
        (Value::WhiteNotLost, Question::WhiteNotLost),
        (Value::BlackWins, Question::BlackWins),
        (Value::WhiteWins, Question::WhiteWins),
    ])?;
    let mut part = Part::new(question);
    let rank = if question.is_win() { random.number_u32(0) } else { 0 };
    let mut node = Node { position, rank, data: 0, kind: 0, reserved: 0 };
    let leaf = dress(base, &part, &mut node, &draft.claim.cover, random)?;
    put(&mut part, vec![(node, leaf)]);
    (draft.claim.value, draft.parts) = (value, vec![part]);
    draft.claim.start = rules.board.write_fen(&rules.read(&position));
    Some(())
}

pub(super) fn moved(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let cover = &draft.claim.cover.clone();
    edit(draft, random, |part, pairs, random| {
        let i = pick(pairs, random, |node| base.rules.is_possible(&node.position))?;
        let (node, leaf) = &mut pairs[i];
        node.position = near(&base.rules, node.position, random)?;
        if random.one_in(2) {
            *leaf = dress(base, part, node, cover, random)?;
        }
        Some(())
    })
}

pub(super) fn kind_changed(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let cover = &draft.claim.cover.clone();
    edit(draft, random, |part, pairs, random| {
        let i = pick(pairs, random, |node| base.rules.is_possible(&node.position))?;
        let (node, leaf) = &mut pairs[i];
        match random.below(8) {
            // Assumed: the node is not proved any more.
            0 => (node.kind, node.data, *leaf) = (kind::ASSUMED, random.number_u32(0), None),
            1 if node.kind == kind::OR => (node.kind, node.data) = (kind::AND, 0),
            1 if node.kind == kind::AND => node.kind = kind::OR,
            // The kind Leaf without a leaf for it.
            2 => (node.kind, *leaf) = (kind::LEAF, None),
            _ => *leaf = dress(base, part, node, cover, random)?,
        }
        Some(())
    })
}

/// Replaces a node by a leaf: this is still a proof, unless the rank of the leaf is no longer above
/// those of the nodes at which it ends.
pub(super) fn into_leaf(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let cover = &draft.claim.cover.clone();
    edit(draft, random, |part, pairs, random| {
        let is_plain = |node: &Node| node.kind == kind::OR || node.kind == kind::AND;
        let i = pick(pairs, random, |n| is_plain(n) && base.rules.is_possible(&n.position))?;
        let (node, leaf) = &mut pairs[i];
        *leaf = Some(up_to_nodes(base, cover, part, node, random)?);
        node.kind = kind::LEAF;
        if part.question.is_win() && random.one_in(2) {
            node.rank = u32::try_from(random.below(node.rank as usize)).ok()?;
        }
        Some(())
    })
}

pub(super) fn rank(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let part = part(draft, random, |part| part.question.is_win() && !part.nodes.is_empty())?;
    let nodes = &mut part.nodes;
    let i = random.below(nodes.len());
    let j = random.below(nodes.len());
    let most = nodes.iter().map(|node| node.rank).max().unwrap_or(0).saturating_add(3);
    match random.below(8) {
        0 => nodes[i].rank = random.number_u32(nodes[i].rank),
        1 => nodes[i].rank = nodes[i].rank.saturating_add(1),
        2 => nodes[i].rank = nodes[i].rank.saturating_sub(1),
        3 => nodes[i].rank = nodes[j].rank,
        4 => {
            let a = nodes[i].rank;
            let b = nodes[j].rank;
            (nodes[i].rank, nodes[j].rank) = (b, a);
        }
        5 => nodes[i].rank = u32::try_from(random.below(most as usize)).ok()?,
        // Changes all ranks: only some of these changes keep their order.
        6 => {
            let times = random.byte() % 3;
            let plus = random.byte();
            for node in nodes {
                node.rank = node.rank.wrapping_mul(times.into()).wrapping_add(plus.into());
            }
        }
        _ => nodes.iter_mut().for_each(|node| node.rank = most.saturating_sub(node.rank)),
    }
    Some(())
}
