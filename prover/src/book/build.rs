//! Making a book larger by drop-out expansion (T. R. Lincke, Strategies for the automatic
//! construction of opening books, Computers and Games 2000, LNCS 2063).
//!
//! The next position to be added is the one that best play is most likely to reach: a path from a
//! root costs something for each move, and more for a move that is not the best, in proportion to
//! what it gives away. So main lines become long and side lines short, and a bad move is looked at
//! only as far as it takes to be sure.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::{Book, BookMove};
use crate::board::{Board, Position};
use crate::heuristic::{Heuristic, Limits};

/// The cost of a move on a path,
const PLY: u64 = 100;
/// and of each hundredth of a man that it gives away: half a man is worth ten plies.
const DROP: u64 = 20;
/// Beyond this, in hundredths of a man, a position is decided.
const DECIDED: i32 = 10_000;
/// The score of a move after which the other side has none.
const WON: i32 = 30_000;

/// Searches the positions of a book.
pub struct Builder<'a> {
    /// The board.
    pub board: &'a Board,
    /// The search,
    pub engine: Heuristic<'a>,
    /// and how far it goes for each move.
    pub limits: Limits,
    /// Where games begin.
    pub roots: Vec<Position>,
}

/// What became of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// It has one position more.
    Added,
    /// It was stopped before that.
    Stopped,
    /// There is nothing left to be added.
    Complete,
}

impl Builder<'_> {
    /// Adds the most promising position. `is_stopped` is asked after each move; what was found of
    /// the position by then is dropped.
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

    /// The score of a move, and how deep the position after it was searched.
    fn search(&mut self, after: &Position) -> (i32, u32) {
        if !self.board.can_move(after) {
            return (WON, 0);
        }
        let found = self.engine.search(after, self.limits, |_| ());
        (-found.score, found.depth)
    }

    /// The position with the cheapest path to it of those that are not in the book.
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
