//! The nodes of a question: `SPEC.md` §6.
//!
//! Theorem (§2): the positions of the nodes, leaf strategies and suitable database entries, and
//! those in which the opponent has no move, are a set in which every position with the claimant to
//! move has a successor and every one with the opponent to move has all its successors. For NotLost
//! that is a closed set. For Win the rank falls with each move, so the opponent runs out of moves.
//!
//! Enforces: this, for each node by itself; the order does not matter and threads share nothing.
//! Trusts: `rules/board.rs`, the values in `database` (checked before), the order of nodes (checked
//! before).

use crate::certificate::{CheckedNode, QuestionProof, claimant};
use crate::rules::write_fen;
use crate::rules::{Board, Position};
use crate::values::Database;
use crate::values::Value;
use crate::verdict::Finding;
use certificate_spec::nodes::kind;
use std::slice;

/// A question, and the data that its nodes and leaves are checked against.
pub(crate) struct Tree<'a> {
    /// The board of the game.
    pub(crate) board: &'a Board,
    /// The values of all positions that the cover admits; `None` if it admits none.
    pub(crate) database: Option<&'a Database>,
    /// The nodes and leaves of the question.
    pub(crate) proof: &'a QuestionProof,
}

impl Tree<'_> {
    pub(crate) fn is_win(&self) -> bool {
        self.proof.question.is_win()
    }

    /// Whether the claimant is to move.
    pub(crate) fn claimant_moves(&self, y: &Position) -> bool {
        y.turn == claimant(self.proof.question)
    }

    /// The rank of the node with this position, if there is one.
    pub(crate) fn rank(&self, y: &Position) -> Option<u64> {
        let i = self.proof.nodes.binary_search_by(|node| node.position.cmp(y)).ok()?;
        Some(self.proof.nodes.get(i)?.rank.into())
    }

    /// Whether the database's value suits the claim, if the position is in the database.
    pub(crate) fn database_says(&self, y: &Position) -> Option<Result<(), Finding>> {
        let value = self.database?.value(y)?;
        let (suits, expected) = match (self.is_win(), self.claimant_moves(y)) {
            (false, true) => (value != Value::Loss, "no loss"),
            (false, false) => (value != Value::Win, "no win"),
            (true, true) => (value == Value::Win, "a win"),
            (true, false) => (value == Value::Loss, "a loss"),
        };
        let finding = || Finding::new("database-value", expected, format!("{value:?}"));
        Some(if suits { Ok(()) } else { Err(finding().position(*y)) })
    }

    /// Whether the successor `y` of a node with this rank holds (`SPEC.md` §6, rules 1 to 4).
    pub(crate) fn holds(&self, y: &Position, rank: u64) -> Result<(), Finding> {
        if let Some(verdict) = self.database_says(y) {
            return verdict;
        }
        if let Some(lower) = self.rank(y) {
            if !self.is_win() || lower < rank {
                return Ok(());
            }
            return Err(Finding::new("rank", format!("less than {rank}"), lower).position(*y));
        }
        if !self.claimant_moves(y) {
            let mut moves = Vec::new();
            self.board.moves(y, &mut moves);
            if moves.is_empty() {
                return Ok(());
            }
        }
        Err(Finding::new("not-covered", "covered", "nothing").position(*y))
    }

    /// Checks a node that is not a Leaf.
    ///
    /// # Errors
    /// What is wrong with the node.
    pub(crate) fn check_node(&self, node: &CheckedNode) -> Result<(), Finding> {
        let mut successors = Vec::new();
        self.board.successors(&node.position, &mut successors);
        let must_hold = match node.kind {
            // Leaves are checked elsewhere, and what is assumed is counted in the verdict.
            kind::LEAF | kind::ASSUMED => return Ok(()),
            kind::OR => match successors.get(node.data as usize) {
                Some(chosen) => slice::from_ref(chosen),
                None => {
                    let less = format!("less than {}", successors.len());
                    return Err(Finding::new("move-index", less, node.data).position(node.position));
                }
            },
            // And: the opponent is to move, and all replies have to be answered. A kind that
            // there is not would have to hold in the same way.
            _ => &successors,
        };
        for y in must_hold {
            self.holds(y, node.rank.into()).map_err(|finding| {
                let found = format!("{} at {}", finding.found, write_fen(y));
                Finding { found, ..finding }.position(node.position)
            })?;
        }
        Ok(())
    }
}
