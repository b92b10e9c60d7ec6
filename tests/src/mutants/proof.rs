//! Whether nodes and leaves prove what they claim, found in another way than `check` does: by fixed
//! points over the sets of `SPEC.md` §2, with the prover's moves and the values of its builder.
//! Ranks and the order in which leaves are completed have no part in it.

use certificate_spec::bits::{BitReader, width};
use certificate_spec::value::Value;

use super::leaves::{Replay, claimant_moves, in_database};
use crate::prelude::*;

/// The lists of successors that support a position: all successors in one of its lists must hold.
type Supports = BTreeMap<WirePosition, Vec<Vec<WirePosition>>>;

/// The positions of a question, with what supports them.
struct Proof<'a> {
    rules: &'a Rules,
    cover: &'a Cover,
    question: Question,
    supports: Supports,
}

/// Judges a question of a claim that rests on the database of a cover. Positions that are assumed
/// are taken for granted; their number is returned.
///
/// # Errors
/// The position that is not proved, or whose claim is false.
pub(super) fn judge(
    rules: &Rules,
    cover: &Cover,
    part: &Part,
    start: &WirePosition,
) -> Result<usize, String> {
    let supports = collect(rules, cover, part)?;
    let proof = Proof { rules, cover, question: part.question, supports };
    let held = proof.held();
    if let Some(p) = proof.supports.keys().find(|p| !held.contains(p)) {
        return Err(format!("{:?}: {p:?} is not supported", part.question));
    }
    if !proof.holds(start, &held) {
        return Err(format!("{:?}: the start is not supported", part.question));
    }
    let assumed = part.nodes.iter().filter(|node| node.kind == kind::ASSUMED).count();
    // Where nothing is assumed, each position must have the value that the claim implies.
    if assumed == 0 {
        proof.supports.keys().chain([start]).try_for_each(|p| proof.is_true(p))?;
    }
    Ok(assumed)
}

/// Whether nodes are in order and have zeros in unused fields, and leaves are numbered.
fn well_formed(part: &Part) -> bool {
    let ascending = part.nodes.windows(2).all(|pair| pair[0].position < pair[1].position);
    let leaf_nodes = part.nodes.iter().filter(|node| node.kind == kind::LEAF);
    let numbers = leaf_nodes.map(|node| node.data as usize);
    ascending
        && numbers.eq(0..part.leaves.len())
        && part.nodes.iter().all(|node| {
            node.reserved == 0
                && (node.kind != kind::AND || node.data == 0)
                && (part.question.is_win() || node.rank == 0)
        })
}

/// The positions of the nodes and leaves, with what supports each.
fn collect(rules: &Rules, cover: &Cover, part: &Part) -> Result<Supports, String> {
    if !well_formed(part) {
        return Err(format!("{:?}: nodes or leaves are not as they must be", part.question));
    }
    let mut supports = Supports::new();
    for node in &part.nodes {
        let p = node.position;
        if !rules.is_possible(&p) || in_database(&p, cover) {
            return Err(format!("{p:?} cannot be a node"));
        }
        let mut add = |p, needed| supports.entry(p).or_default().push(needed);
        match (node.kind, claimant_moves(part.question, &p)) {
            (kind::OR, true) => {
                let chosen = rules.successors(&p).get(node.data as usize).copied();
                add(p, vec![chosen.ok_or_else(|| format!("{p:?} has no such move"))?]);
            }
            (kind::AND, false) => add(p, rules.successors(&p)),
            (kind::ASSUMED, _) => add(p, Vec::new()),
            (kind::LEAF, _) => {
                let leaf = part.leaves.get(node.data as usize).ok_or("a leaf that is not there")?;
                let most = usize::try_from(leaf.positions).unwrap_or(usize::MAX);
                let mut bits = BitReader::new(&leaf.strategy);
                let mut replay = Replay::new(rules, cover, part, node.rank, most);
                let replayed = replay.expand(p, &mut |n| Some(bits.take(width(n))? as usize));
                replayed.ok_or_else(|| format!("the leaf of {p:?} breaks off"))?;
                if replay.expanded.len() as u64 != leaf.positions || !bits.is_finished() {
                    return Err(format!("the leaf of {p:?} has more than it needs"));
                }
                replay.expanded.into_iter().for_each(|(p, needed)| add(p, needed));
            }
            _ => return Err(format!("{p:?} has the wrong side to move")),
        }
    }
    Ok(supports)
}

impl Proof<'_> {
    fn suits(&self, p: &WirePosition, value: Value) -> bool {
        match (self.question.is_win(), claimant_moves(self.question, p)) {
            (false, true) => value != Value::Loss,
            (false, false) => value != Value::Win,
            (true, true) => value == Value::Win,
            (true, false) => value == Value::Loss,
        }
    }

    /// Whether a position holds if those in `held` do.
    fn holds(&self, p: &WirePosition, held: &BTreeSet<WirePosition>) -> bool {
        if in_database(p, self.cover) {
            return self.rules.value(p).is_some_and(|value| self.suits(p, value));
        }
        let opponent_is_stuck =
            || !claimant_moves(self.question, p) && self.rules.successors(p).is_empty();
        held.contains(p) || opponent_is_stuck()
    }

    /// The positions that hold: for NotLost the largest set that supports itself, for Win the
    /// smallest.
    fn held(&self) -> BTreeSet<WirePosition> {
        let mut held: BTreeSet<WirePosition> = match self.question.is_win() {
            false => self.supports.keys().copied().collect(),
            true => BTreeSet::new(),
        };
        loop {
            let supported = |lists: &Vec<Vec<WirePosition>>| {
                lists.iter().any(|needed| needed.iter().all(|y| self.holds(y, &held)))
            };
            let new = self.supports.iter().filter(|(_, lists)| supported(lists));
            let new: BTreeSet<WirePosition> = new.map(|(p, _)| *p).collect();
            if new == held {
                return held;
            }
            held = new;
        }
    }

    /// Checks that the value of a position suits the claim, by the builder in memory.
    fn is_true(&self, p: &WirePosition) -> Result<(), String> {
        let (mine, others) = if p.turn == 0 { (p.black, p.white) } else { (p.white, p.black) };
        let value = match self.rules.value(p) {
            None if mine == 0 || self.rules.successors(p).is_empty() => Some(Value::Loss),
            // The opponent has no pieces, and therefore no move.
            None if others == 0 => Some(Value::Win),
            value => value,
        };
        match value {
            Some(value) if self.suits(p, value) => Ok(()),
            value => Err(format!("{:?}: {p:?} is worth {value:?}", self.question)),
        }
    }
}
