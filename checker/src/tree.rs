//! The nodes of a question: `SPEC.md` §6.
//!
//! Theorem (§2): the positions of the nodes, leaf strategies and suitable database entries, and those
//! in which the opponent has no move, are a set in which every position with the claimant to move has
//! a successor and every one with the opponent to move has all its successors. For NotLost that is a
//! closed set. For Win the rank falls with each move, so the opponent runs out of moves.
//!
//! Enforces: this, for each node by itself; the order does not matter and threads share nothing.
//! Trusts: `rules.rs`, the values in `database` (checked before), the order of nodes (checked before).

use crate::certificate::{CheckedNode, Part};
use crate::database::{Database, Value};
use crate::rules::{Board, Position, Side};
use crate::verdict::{Finding, Stop};
use crate::{fen, leaf};
use certificate_spec::claim::Question;
use certificate_spec::nodes::kind;
use rayon::prelude::*;

/// The side that makes the claim.
pub(crate) fn claimant(question: Question) -> Side {
    if question.claimant_is_white() { Side::White } else { Side::Black }
}

/// More than any rank, for the start of the claim.
const ABOVE_ALL_RANKS: u64 = 1 << 32;

/// A question and what is known about it.
pub(crate) struct Tree<'a> {
    pub(crate) board: &'a Board,
    /// The values of all positions with both sides and at most N′ pieces, if N′ is not 0.
    pub(crate) database: Option<&'a Database>,
    pub(crate) question: Question,
    /// In strictly ascending order of their positions.
    pub(crate) nodes: &'a [CheckedNode],
}

/// Why a position does not hold.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) rule: &'static str,
    /// The position that it is about: a successor, say.
    pub(crate) position: Position,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Failure {
    pub(crate) fn new(
        rule: &'static str,
        p: Position,
        expected: impl ToString,
        found: impl ToString,
    ) -> Failure {
        Failure { rule, position: p, expected: expected.to_string(), found: found.to_string() }
    }

    fn refuted(self, finding: Finding) -> Stop {
        finding.position(&self.position).expected(self.expected).found(self.found).refuted()
    }
}

impl<'a> Tree<'a> {
    pub(crate) fn claimant_moves(&self, y: &Position) -> bool {
        y.turn == claimant(self.question)
    }

    /// The node with this position.
    pub(crate) fn node(&self, y: &Position) -> Option<&'a CheckedNode> {
        let i = self.nodes.binary_search_by(|node| node.position.cmp(y)).ok()?;
        self.nodes.get(i)
    }

    /// Whether the database's value suits the claim, if the position is in the database.
    pub(crate) fn database_says(&self, y: &Position) -> Option<Result<(), Failure>> {
        let value = self.database?.value(y)?;
        let (suits, expected) = match (self.question.is_win(), self.claimant_moves(y)) {
            (false, true) => (value != Value::Loss, "no loss"),
            (false, false) => (value != Value::Win, "no win"),
            (true, true) => (value == Value::Win, "a win"),
            (true, false) => (value == Value::Loss, "a loss"),
        };
        let failure = || Failure::new("database-value", *y, expected, format!("{value:?}"));
        Some(if suits { Ok(()) } else { Err(failure()) })
    }

    /// Whether the successor `y` of a node with this rank holds (`SPEC.md` §6, rules 1 to 4).
    fn holds(&self, y: &Position, rank: u64, scratch: &mut Vec<Position>) -> Result<(), Failure> {
        if let Some(verdict) = self.database_says(y) {
            return verdict;
        }
        if let Some(node) = self.node(y) {
            if !self.question.is_win() || u64::from(node.rank) < rank {
                return Ok(());
            }
            return Err(Failure::new("rank", *y, format!("less than {rank}"), node.rank));
        }
        if !self.claimant_moves(y) {
            self.board.moves(y, scratch);
            if scratch.is_empty() {
                return Ok(());
            }
        }
        Err(Failure::new("not-covered", *y, "covered", "nothing"))
    }

    /// Checks a node that is not a Leaf.
    fn check(&self, node: &CheckedNode, room: &mut Room) -> Result<(), Failure> {
        if node.kind == kind::ASSUMED {
            return Ok(());
        }
        self.board.successors(&node.position, &mut room.successors);
        let rank = u64::from(node.rank);
        if node.kind == kind::OR {
            let count = room.successors.len();
            let Some(y) = room.successors.get(node.data as usize) else {
                let expected = format!("less than {count}");
                return Err(Failure::new("move-index", node.position, expected, node.data));
            };
            return self.holds(y, rank, &mut room.scratch);
        }
        // An And node: the opponent is to move, and all replies have to be answered.
        room.successors.iter().try_for_each(|y| self.holds(y, rank, &mut room.scratch))
    }

    fn check_start(&self, start: &Position) -> Result<(), Failure> {
        self.holds(start, ABOVE_ALL_RANKS, &mut Vec::new()).map_err(|failure| match failure.rule {
            "not-covered" => Failure { rule: "start-missing", ..failure },
            _ => failure,
        })
    }
}

#[derive(Default)]
struct Room {
    successors: Vec<Position>,
    scratch: Vec<Position>,
}

/// Checks a question: the start, the nodes other than Leaf, the leaves. The first thing wrong in this
/// order is reported, whichever thread finds what first.
pub(crate) fn check(
    tree: &Tree<'_>,
    part: &Part<'_>,
    start: &Position,
    done: &(dyn Fn(u64) + Sync),
) -> Result<(), Stop> {
    tree.check_start(start).map_err(|failure| {
        let finding = Finding::new(failure.rule, "CLAIM");
        failure.refuted(finding)
    })?;
    let wrong = tree
        .nodes
        .par_iter()
        .enumerate()
        .filter(|(_, node)| node.kind != kind::LEAF)
        .map_init(Room::default, |room, (i, node)| {
            let result = tree.check(node, room);
            done(1);
            result.err().map(|failure| (i, failure))
        })
        .find_first(Option::is_some);
    if let Some((i, failure)) = wrong.flatten() {
        let node = &tree.nodes[i].position;
        let mut finding =
            part.node_finding(failure.rule, i).position(node).expected(failure.expected);
        finding = match failure.position == *node {
            true => finding.found(failure.found),
            false => {
                finding.found(format!("{} at {}", failure.found, fen::write(&failure.position)))
            }
        };
        return Err(finding.refuted());
    }
    let leaves: Vec<_> = part.leaf_nodes().map(|(_, node)| node).zip(&part.leaves).collect();
    let wrong = leaves
        .par_iter()
        .enumerate()
        .map(|(i, (node, leaf))| {
            let result = leaf::replay(tree, node, leaf);
            done(leaf.positions);
            result.err().map(|failure| (i, failure))
        })
        .find_first(Option::is_some);
    match wrong.flatten() {
        Some((i, failure)) => {
            let finding = part.leaf_finding(failure.rule, i);
            Err(failure.refuted(finding))
        }
        None => Ok(()),
    }
}
