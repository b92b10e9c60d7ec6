//! A thread's search of one position: limits, iterative deepening, and what it remembers.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::bound::Claims;
use super::eval::Evaluation;
use super::order::Order;
use super::path::Path;
use super::score::{DECISIVE, INFINITE, claims_allow};
use super::table::Table;
use crate::board::{Board, Position};
use crate::egdb::Values;

/// Paths are no longer than this, captures at their ends apart.
pub(super) const PLIES: usize = 256;
/// No more captures than this follow one another: every one takes a piece.
const CAPTURES: usize = 64;
/// The clock is read after so many nodes.
const CLOCK_INTERVAL: u64 = 1 << 12;
/// Half the width of the first window round the score expected.
const WINDOW: i32 = 20;

/// What was found of a position.
#[derive(Clone, Copy)]
pub(super) struct Found {
    /// For the side to move.
    pub(super) score: i32,
    /// What is proved, whatever the score.
    pub(super) claims: Claims,
}

impl Found {
    /// Nothing: the score of a draw, and no proof.
    pub(super) const NOTHING: Found = Found { score: 0, claims: Claims::NONE };

    /// The same where this is proved, too.
    pub(super) fn knowing(self, claims: Claims) -> Self {
        let claims = self.claims.and(claims);
        Found { score: claims_allow(claims, self.score), claims }
    }

    /// The same of a successor, whose score is that of the side that moved there.
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
    /// Whether it ends where a draw is proved.
    pub(super) ends_in_draw: bool,
}

/// What a thread remembers while it searches. Kept between searches only to save allocations.
pub(super) struct State {
    pub(super) order: Order,
    pub(super) path: Path,
    /// For each ply the best line from there.
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

/// What all threads of a search share.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) board: &'a Board,
    pub(super) database: &'a Values,
    pub(super) evaluation: &'a Evaluation,
    pub(super) table: &'a Table,
    /// Whether late moves are searched less deep, and branches are pruned.
    pub(super) is_selective: bool,
    /// The most nodes of a thread.
    pub(super) most_nodes: u64,
    pub(super) end: Option<Instant>,
    /// Set from outside to end the search.
    pub(super) stop: &'a AtomicBool,
    /// Set when the first thread has finished, so that the others end.
    pub(super) is_over: &'a AtomicBool,
    /// Those of all threads but the first, counted now and then.
    pub(super) nodes: &'a AtomicU64,
}

/// A thread's search of one position.
pub(super) struct Run<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) state: &'a mut State,
    is_first: bool,
    nodes: u64,
    /// Set when a limit is reached; what is found afterwards means nothing.
    pub(super) stopped: bool,
    /// The depth of the whole search; a path may become twice as long by extensions.
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

    /// The nodes of all threads, not quite up to date.
    pub(super) fn all_nodes(&self) -> u64 {
        self.nodes + self.shared.nodes.load(Ordering::Relaxed)
    }

    /// Searches the root deeper and deeper; `see` is shown what was found for each depth. Ends
    /// early when the value is proved.
    pub(super) fn deepen(
        &mut self,
        root: &Position,
        depths: RangeInclusive<u32>,
        mut see: impl FnMut(&Self, u32, Found),
    ) {
        let mut known = self.shared.database.probe(root).map_or(Claims::NONE, Claims::of);
        let mut expected = None;
        for depth in depths {
            let found = self.root(root, depth as i32, expected);
            if self.stopped {
                break;
            }
            known = known.and(found.claims);
            let found = found.knowing(known);
            see(self, depth, found);
            if found.claims.bound().is_exact() {
                break;
            }
            expected = Some(found.score);
        }
    }

    /// Searches `root` to a depth, first in a narrow window round the score expected.
    fn root(&mut self, root: &Position, depth: i32, expected: Option<i32>) -> Found {
        self.depth = depth;
        let (mut alpha, mut beta) = match expected {
            Some(score) if score.abs() < DECISIVE => (score - WINDOW, score + WINDOW),
            _ => (-INFINITE, INFINITE),
        };
        loop {
            let found = self.node(root, depth, alpha, beta);
            if self.stopped {
                return found;
            }
            if found.score <= alpha && alpha > -INFINITE {
                alpha = -INFINITE;
            } else if found.score >= beta && beta < INFINITE {
                beta = INFINITE;
            } else {
                return found;
            }
        }
    }

    /// The principal variation of the last search.
    pub(super) fn variation(&self) -> &Line {
        &self.state.lines[0]
    }

    /// Counts a node; whether to go on.
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

    /// Looks at the clock and at what other threads say.
    fn look_up(&mut self) {
        let shared = &self.shared;
        if !self.is_first {
            shared.nodes.fetch_add(CLOCK_INTERVAL, Ordering::Relaxed);
        }
        self.stopped |= shared.end.is_some_and(|end| Instant::now() >= end)
            || shared.stop.load(Ordering::Relaxed)
            || shared.is_over.load(Ordering::Relaxed);
    }
}
