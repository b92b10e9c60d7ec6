//! Replaying a leaf strategy: `SPEC.md` §7.
//!
//! Theorem (§2): every position expanded has the successors that the claim needs in the database,
//! in the tree, or among the positions expanded. For NotLost a position seen before closes a
//! branch, cycles included. For Win only a *completed* one does: completed positions have only
//! completed ones below them, so the order of completion is a rank.
//!
//! Enforces: this, with a stack of its own instead of recursion, and no more work or memory than
//! the number of positions that the leaf states; one bit of the file answers for at least one
//! position. Trusts: `rules/board.rs`, `tree.rs` for look-ups.

use super::tree::Tree;
use crate::certificate::CheckedNode;
use crate::rules::Position;
use crate::verdict::Finding;
use certificate_spec::bits::{BitReader, width};
use certificate_spec::leaves::Leaf;
use std::collections::HashMap;

/// The tasks that remain, the next one last.
enum Task {
    Visit(Position),
    Expand(Position),
    Complete(Position),
}

/// Replays the leaf of a Leaf node.
///
/// # Errors
/// What is wrong with the leaf.
pub(crate) fn replay(
    tree: &Tree<'_>,
    node: &CheckedNode,
    leaf: &Leaf<Vec<u8>>,
) -> Result<(), Finding> {
    let stated = format!("{} positions", leaf.positions);
    let mut bits = BitReader::new(&leaf.strategy);
    // The positions expanded, and whether they are completed.
    let mut seen: HashMap<Position, bool> = HashMap::new();
    let mut successors = Vec::new();
    // The position of the node itself is expanded whatever it is; all others are visited first.
    let mut tasks = vec![Task::Expand(node.position)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Visit(y) => {
                if let Some(verdict) = tree.database_says(&y) {
                    verdict?;
                } else if let Some(&completed) = seen.get(&y) {
                    if tree.is_win() && !completed {
                        return Err(wrong("leaf-repetition", y, "completed", "open"));
                    }
                } else if tree.rank(&y).is_none_or(|r| tree.is_win() && r >= node.rank.into()) {
                    tasks.push(Task::Expand(y));
                }
            }
            Task::Expand(p) => {
                if seen.len() as u64 == leaf.positions {
                    return Err(wrong("leaf-syntax", p, &stated, "more positions"));
                }
                seen.insert(p, false);
                tree.board.successors(&p, &mut successors);
                tasks.push(Task::Complete(p));
                if tree.claimant_moves(&p) {
                    tasks.push(Task::Visit(chosen(p, &successors, &mut bits)?));
                } else {
                    tasks.extend(successors.iter().rev().copied().map(Task::Visit));
                }
            }
            Task::Complete(p) => {
                seen.insert(p, true);
            }
        }
    }
    if seen.len() as u64 != leaf.positions {
        let found = format!("{} positions", seen.len());
        return Err(wrong("leaf-syntax", node.position, &stated, found));
    }
    if !bits.is_finished() {
        let expected = "all bits used, the rest zero";
        return Err(wrong("leaf-syntax", node.position, expected, "bits left"));
    }
    Ok(())
}

fn wrong(rule: &'static str, p: Position, expected: &str, found: impl ToString) -> Finding {
    Finding::new(rule, expected, found).position(p)
}

/// The successor that the strategy chooses in `p`.
fn chosen(p: Position, all: &[Position], bits: &mut BitReader<'_>) -> Result<Position, Finding> {
    if all.is_empty() {
        return Err(wrong("leaf-stuck", p, "a move", "none"));
    }
    let Some(choice) = bits.take(width(all.len())) else {
        return Err(wrong("leaf-syntax", p, "another choice", "the end"));
    };
    let less = || format!("less than {}", all.len());
    all.get(choice as usize).copied().ok_or_else(|| wrong("move-index", p, &less(), choice))
}
