//! A thread's search of one position: its limits, its path and the rest of its state.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::eval::Evaluation;
use super::order::Order;
use super::score::{Claims, claims_allow};
use super::table::Table;
use crate::board::{Board, Position};
use crate::egdb::Values;

/// The greatest length of a path, without the captures at its end.
pub(super) const PLIES: usize = 256;
/// The greatest number of captures in a row: each takes a piece.
const CAPTURES: usize = 64;
/// The number of nodes between two readings of the clock.
const CLOCK_INTERVAL: u64 = 1 << 12;

/// The result of a search of a position.
#[derive(Clone, Copy)]
pub(super) struct Found {
    /// The score for the side to move.
    pub(super) score: i32,
    /// The proved claims, independent of the score.
    pub(super) claims: Claims,
}

impl Found {
    /// No result: the score of a draw, and no proof.
    pub(super) const NOTHING: Found = Found { score: 0, claims: Claims::NONE };

    /// This result with these claims proved, too.
    pub(super) fn knowing(self, claims: Claims) -> Self {
        let claims = self.claims.and(claims);
        Found { score: claims_allow(claims, self.score), claims }
    }

    /// This result of a successor with these claims proved, too. The score is for the side that
    /// moved there.
    pub(super) fn of_successor_knowing(self, claims: Claims) -> Self {
        let claims = self.claims.and(claims);
        Found { score: -claims_allow(claims, -self.score), claims }
    }
}

/// A line of play.
#[derive(Clone, Default)]
pub(super) struct Line {
    /// The positions after each move.
    pub(super) positions: Vec<Position>,
    /// Whether the line ends in a position that is a proved draw.
    pub(super) ends_in_draw: bool,
}

/// The state of a thread during a search. It is kept between searches only to save allocations.
pub(super) struct State {
    pub(super) order: Order,
    pub(super) path: Path,
    /// The best line from each ply.
    pub(super) lines: Vec<Line>,
}

impl State {
    pub(super) fn new() -> Self {
        State {
            order: Order::new(PLIES + 1),
            path: Path::new(),
            lines: vec![Line::default(); PLIES + CAPTURES],
        }
    }
}

/// The parameters and flags that all threads of a search share.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) board: &'a Board,
    pub(super) database: &'a Values,
    pub(super) evaluation: &'a Evaluation,
    pub(super) table: &'a Table,
    /// Whether late moves are reduced, and branches pruned.
    pub(super) is_selective: bool,
    /// The most nodes of a thread.
    pub(super) most_nodes: u64,
    pub(super) end: Option<Instant>,
    /// Set by the caller to end the search.
    pub(super) stop: &'a AtomicBool,
    /// Set when the first thread has finished, so that the others end.
    pub(super) is_over: &'a AtomicBool,
    /// The nodes of all threads but the first, updated now and then.
    pub(super) nodes: &'a AtomicU64,
}

/// A thread's search of one position.
pub(super) struct Run<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) state: &'a mut State,
    is_first: bool,
    nodes: u64,
    /// Set when a limit is reached; results that come afterwards are invalid.
    pub(super) stopped: bool,
    /// The depth of the whole search; extensions may make a path twice as long.
    pub(super) depth: i32,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        shared: Shared<'a>,
        state: &'a mut State,
        (earlier, root): (&[Position], &Position),
        is_first: bool,
    ) -> Self {
        state.order.clear();
        state.path.begin(earlier, root);
        Run { shared, state, is_first, nodes: 0, stopped: false, depth: 0 }
    }

    /// The number of nodes of all threads, slightly out of date.
    pub(super) fn all_nodes(&self) -> u64 {
        self.nodes + self.shared.nodes.load(Ordering::Relaxed)
    }

    /// The principal variation of the last search.
    pub(super) fn variation(&self) -> &Line {
        &self.state.lines[0]
    }

    /// Counts a node; returns whether the search goes on.
    pub(super) fn count(&mut self) -> bool {
        self.nodes += 1;
        // The first iteration is always finished, so that there is an answer.
        if self.depth > 1 {
            self.stopped |= self.nodes > self.shared.most_nodes;
            if self.nodes.is_multiple_of(CLOCK_INTERVAL) {
                self.look_up();
            }
        }
        !self.stopped
    }

    /// Checks the clock and the flags that other threads set.
    fn look_up(&mut self) {
        let shared = &self.shared;
        if !self.is_first {
            shared.nodes.fetch_add(CLOCK_INTERVAL, Ordering::Relaxed);
        }
        self.stopped |= shared.end.is_some_and(|end| Instant::now() >= end)
            || shared.stop.load(Ordering::Relaxed)
            || shared.database.has_failed()
            || shared.is_over.load(Ordering::Relaxed);
    }
}

/// Positions, the oldest first, each with the number of reversible moves that lead up to it.
pub(super) struct Path {
    positions: Vec<(Position, u32)>,
    /// The index of the root of the search.
    root: usize,
}

impl Path {
    pub(super) fn new() -> Self {
        Path { positions: Vec::new(), root: 0 }
    }

    /// Begins at `root`, which a game reached through `earlier`.
    pub(super) fn begin(&mut self, earlier: &[Position], root: &Position) {
        self.positions.clear();
        earlier.iter().chain([root]).for_each(|position| self.push(position));
        self.root = earlier.len();
    }

    /// The number of moves made since the root.
    pub(super) fn ply(&self) -> usize {
        self.positions.len() - 1 - self.root
    }

    pub(super) fn push(&mut self, to: &Position) {
        let reversible = match self.positions.last() {
            Some((from, moves)) if only_a_king_moved(from, to) => moves + 1,
            _ => 0,
        };
        self.positions.push((*to, reversible));
    }

    pub(super) fn pop(&mut self) {
        self.positions.pop();
    }

    /// Whether the last position has occurred before.
    pub(super) fn repeats(&self) -> bool {
        let Some(&(position, reversible)) = self.positions.last() else { return false };
        let last = self.positions.len() - 1;
        (4..=reversible as usize).step_by(2).any(|back| self.positions[last - back].0 == position)
    }
}

/// Whether a move is reversible: no man moved, nothing was captured.
fn only_a_king_moved(from: &Position, to: &Position) -> bool {
    let enemy = from.turn.opponent();
    let men = |p: &Position| p.of(from.turn) & !p.kings;
    from.of(enemy) == to.of(enemy) && men(from) == men(to)
}
