//! Replaying a leaf strategy: `SPEC.md` §7.
//!
//! Theorem (§2): every position expanded has the successors that the claim needs in the database, in
//! the tree, or among the positions expanded. For NotLost a position seen before closes a branch,
//! cycles included. For Win only a *completed* one does: completed positions have only completed ones
//! below them, so the order of completion is a rank.
//!
//! Enforces: this, with a stack of its own instead of recursion, and no more work or memory than the
//! number of positions that the leaf states; one bit of the file answers for at least one position.
//! Trusts: `rules.rs`, `tree.rs` for look-ups.

use crate::certificate::CheckedNode;
use crate::rules::Position;
use crate::tree::{Failure, Tree};
use certificate_spec::bits::{BitReader, width};
use certificate_spec::leaves::Leaf;
use std::collections::HashMap;

/// What is still to be done, the next last.
enum Task {
    Visit(Position),
    Complete(Position),
}

/// How far a position in `seen` has come.
#[derive(PartialEq)]
enum State {
    Open,
    Completed,
}

/// Replays the leaf of a Leaf node.
pub(crate) fn replay(
    tree: &Tree<'_>,
    node: &CheckedNode,
    leaf: &Leaf<&[u8]>,
) -> Result<(), Failure> {
    let is_win = tree.question.is_win();
    let mut bits = BitReader::new(leaf.strategy);
    let mut seen: HashMap<Position, State> = HashMap::new();
    let mut successors = Vec::new();
    let mut tasks = Vec::new();
    // The position of the node itself is expanded whatever it is; all others are visited first.
    let mut expand = Some(node.position);
    loop {
        if let Some(p) = expand.take() {
            if seen.len() as u64 == leaf.positions {
                return Err(syntax(p, format!("{} positions", leaf.positions), "more positions"));
            }
            seen.insert(p, State::Open);
            tree.board.successors(&p, &mut successors);
            tasks.push(Task::Complete(p));
            if tree.claimant_moves(&p) {
                tasks.push(Task::Visit(chosen(p, &successors, &mut bits)?));
            } else {
                tasks.extend(successors.iter().rev().copied().map(Task::Visit));
            }
        }
        match tasks.pop() {
            None => break,
            Some(Task::Complete(p)) => {
                seen.insert(p, State::Completed);
            }
            Some(Task::Visit(y)) => {
                if let Some(verdict) = tree.database_says(&y) {
                    verdict?;
                } else if let Some(state) = seen.get(&y) {
                    if is_win && *state != State::Completed {
                        return Err(Failure::new("leaf-repetition", y, "completed", "open"));
                    }
                } else if tree.node(&y).is_some_and(|other| !is_win || other.rank < node.rank) {
                    // The tree answers for it.
                } else {
                    expand = Some(y);
                }
            }
        }
    }
    if seen.len() as u64 != leaf.positions {
        let expected = format!("{} positions", leaf.positions);
        return Err(syntax(node.position, expected, format!("{} positions", seen.len())));
    }
    if !bits.is_finished() {
        return Err(syntax(node.position, "all bits used, the rest zero", "bits left"));
    }
    Ok(())
}

fn syntax(p: Position, expected: impl ToString, found: impl ToString) -> Failure {
    Failure::new("leaf-syntax", p, expected, found)
}

/// The successor that the strategy chooses in `p`.
fn chosen(
    p: Position,
    successors: &[Position],
    bits: &mut BitReader<'_>,
) -> Result<Position, Failure> {
    let count = successors.len();
    if count == 0 {
        return Err(Failure::new("leaf-stuck", p, "a move", "none"));
    }
    let Some(choice) = bits.take(width(count)) else {
        return Err(syntax(p, "another choice", "the end"));
    };
    let chosen = successors.get(choice as usize).copied();
    chosen.ok_or_else(|| Failure::new("move-index", p, format!("less than {count}"), choice))
}
