//! Adds positions to a book by drop-out expansion (T. R. Lincke, Strategies for the automatic
//! construction of opening books, Computers and Games 2000, LNCS 2063).
//!
//! The next position to add is the one that best play is most likely to reach: a path from a root
//! has a cost for each move, and a higher one for a move that is not the best, in proportion to the
//! score that it gives away. So main lines become long and side lines short, and a bad move is
//! searched only as far as needed to be sure that it is bad.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use draughtproof_proof::heuristic::{Heuristic, Limits};

use super::{Book, BookMove};
use crate::board::{Board, Position};

/// The cost of a move on a path.
const PLY: u64 = 100;
/// The cost of each hundredth of a man that a move gives away: half a man costs ten plies.
const DROP: u64 = 20;
/// Positions with a score beyond this, in hundredths of a man, are decided.
const DECIDED: i32 = 10_000;
/// The score of a move after which the other side has no move.
const WON: i32 = 30_000;

/// Searches the positions of a book.
pub struct Builder<'a> {
    /// The board of the book.
    pub board: &'a Board,
    /// The search of the positions after each move.
    pub engine: Heuristic<'a>,
    /// The limits of the search of each move.
    pub limits: Limits,
    /// The positions at which games begin.
    pub roots: Vec<Position>,
}

/// The result of growing a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// The book has one position more.
    Added,
    /// The builder was stopped before a position was added.
    Stopped,
    /// There is no position left to add.
    Complete,
}

impl Builder<'_> {
    /// Adds the most promising position. `is_stopped` is polled after each move; the results of a
    /// position that is not finished are dropped.
    pub fn grow(&mut self, book: &mut Book, is_stopped: impl Fn() -> bool) -> Growth {
        let Some(position) = self.next(book) else { return Growth::Complete };
        let mut successors = Vec::new();
        self.board.successors(&position, &mut successors);
        let mut moves = Vec::new();
        for after in successors {
            let (score, depth) = self.search(&after);
            if is_stopped() {
                return Growth::Stopped;
            }
            moves.push(BookMove { after, score, depth, value: score });
        }
        book.positions.insert(position, moves);
        book.back_up();
        Growth::Added
    }

    /// The score of a move, and the depth of the search of the position after it.
    fn search(&mut self, after: &Position) -> (i32, u32) {
        if !self.board.can_move(after) {
            return (WON, 0);
        }
        let found = self.engine.search(after, self.limits, |_| ());
        (-found.score, found.depth)
    }

    /// The position outside the book that has the cheapest path to it.
    fn next(&self, book: &Book) -> Option<Position> {
        let mut seen = BTreeSet::new();
        let mut queue: BinaryHeap<_> = self.roots.iter().map(|root| Reverse((0, *root))).collect();
        while let Some(Reverse((cost, position))) = queue.pop() {
            if !seen.insert(position) || !self.board.can_move(&position) {
                continue;
            }
            let Some(best) = book.value(&position) else { return Some(position) };
            for m in book.moves(&position).iter().filter(|m| m.value.abs() < DECIDED) {
                let drop = u64::from(best.abs_diff(m.value));
                queue.push(Reverse((cost + PLY + DROP * drop, m.after)));
            }
        }
        None
    }
}
