//! Solves in the background what neither a proof nor the database decides, within budgets.
//!
//! Positions wait in a queue, those that were asked about last in front. A position is forgotten if
//! no request has asked about it for a while before its turn comes. A few threads take them from
//! there: each gives a position a score first, which is a guess, and then searches its value by
//! df-pn; the strategies that decide it are replayed before the value counts.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use draughtproof_proof::heuristic::{Heuristic, Limits};
use draughtproof_proof::proof::{PositionValue, position_value};
use draughtproof_proof::search::{Goal, Search, SearchProgress};

use super::request::App;
use super::site::BoardSite;
use crate::board::Position;
use crate::egdb::{StoreError, ValueRange};

/// The most positions that wait.
const WAITING: usize = 1_000;
/// The most results that are kept.
const KEPT: usize = 100_000;
/// The time after which a position is forgotten that waits and is not asked about.
const FORGOTTEN: Duration = Duration::from_secs(20);
/// The budget of a guess, in nodes of alpha-beta.
const GUESS_NODES: u64 = 10_000;

/// The positions that may be solved on the way, and the limits of each search.
#[derive(Debug, Clone, Copy)]
pub struct SolverLimits {
    /// Nodes for a position; 0 for no search.
    pub nodes: u64,
    /// The time limit of a position.
    pub time: Duration,
    /// Bytes of memory for the transposition tables of all searches together.
    pub memory: u64,
    /// Searches at a time.
    pub threads: usize,
}

/// The result of the server's searches of a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Solved {
    /// The proved bounds of its value, for the side to move.
    pub(super) value: ValueRange,
    /// The nodes that df-pn has expanded.
    pub(super) nodes: u64,
    /// The guess, in hundredths of a man for the side to move; none before it is made.
    pub(super) score: Option<i32>,
    /// Whether the search has ended.
    pub(super) is_done: bool,
}

/// The name of a board and a position.
type Key = (String, Position);

#[derive(Default)]
struct State {
    /// The positions that wait, with the time of the last request; the next one is at the front.
    waiting: VecDeque<(Key, Instant)>,
    found: HashMap<Key, Solved>,
    /// The positions in `found` whose search has ended, the oldest first.
    order: VecDeque<Key>,
    /// The number of threads that search.
    threads: usize,
}

/// The positions that wait, and what was found.
pub(super) struct Solver {
    limits: SolverLimits,
    state: Mutex<State>,
}

impl Solver {
    pub(super) fn new(limits: SolverLimits) -> Self {
        Solver { limits, state: Mutex::default() }
    }

    /// Whether anything is searched.
    pub(super) fn is_on(&self) -> bool {
        self.limits.nodes > 0 && self.limits.threads > 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the result for a position so far.
    pub(super) fn found(&self, board: &str, position: &Position) -> Option<Solved> {
        self.state().found.get(&(board.to_owned(), *position)).copied()
    }

    /// Puts positions in front of the queue, in their order, and starts a thread if none is free.
    pub(super) fn ask(app: &Arc<App>, board: &str, positions: &[Position]) {
        let solver = &app.solver;
        if positions.is_empty() || !solver.is_on() {
            return;
        }
        let now = Instant::now();
        let mut state = solver.state();
        for position in positions.iter().rev() {
            let key = (board.to_owned(), *position);
            state.waiting.retain(|(other, _)| *other != key);
            if !state.found.contains_key(&key) {
                state.waiting.push_front((key, now));
            }
        }
        state.waiting.truncate(WAITING);
        let more = solver.limits.threads.saturating_sub(state.threads).min(state.waiting.len());
        state.threads += more;
        drop(state);
        for _ in 0..more {
            let app = Arc::clone(app);
            thread::spawn(move || app.solver.work(&app));
        }
    }

    /// Searches one position after the other, until none waits.
    fn work(&self, app: &App) {
        while let Some((board, position)) = self.next() {
            let Some(site) = app.site.board(&board) else { continue };
            let score = Some(guess(site, &position));
            let open = Solved { value: ValueRange::UNKNOWN, nodes: 0, score, is_done: false };
            self.keep((board.clone(), position), open);
            // After a panic, which standard error has, the others are still searched.
            let found = catch_unwind(AssertUnwindSafe(|| self.solve(site, &position)));
            let (value, nodes) = match found {
                Ok(Ok(PositionValue { value, nodes })) => (value, nodes),
                // The answer about the position names the fault of the database.
                Ok(Err(_)) | Err(_) => (ValueRange::UNKNOWN, 0),
            };
            self.keep((board, position), Solved { value, nodes, score, is_done: true });
        }
    }

    /// The next position of the queue. If there is none, a thread less searches.
    fn next(&self) -> Option<Key> {
        let mut state = self.state();
        state.waiting.retain(|(_, asked)| asked.elapsed() < FORGOTTEN);
        let next = state.waiting.pop_front();
        let Some((key, _)) = next else {
            state.threads -= 1;
            return None;
        };
        // No other thread takes it, too, while it is searched.
        let value = ValueRange::UNKNOWN;
        state.found.insert(key.clone(), Solved { value, nodes: 0, score: None, is_done: false });
        Some(key)
    }

    fn keep(&self, key: Key, solved: Solved) {
        let mut state = self.state();
        if solved.is_done {
            state.order.push_back(key.clone());
        }
        state.found.insert(key, solved);
        while state.order.len() > KEPT {
            if let Some(oldest) = state.order.pop_front() {
                state.found.remove(&oldest);
            }
        }
    }

    fn solve(&self, site: &BoardSite, position: &Position) -> Result<PositionValue, StoreError> {
        let end = Instant::now() + self.limits.time;
        let is_over = |_: SearchProgress| match Instant::now() < end {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        // Each position has a table for each of its two questions.
        let table = self.limits.memory / (2 * self.limits.threads as u64);
        let search = |attacker| {
            let goal = Goal::new(site.board(), site.values(), attacker);
            let goal = goal.with_lemmas(Some(site.lemmas(attacker)));
            Search::new(goal, table).with_progress(&is_over)
        };
        let known = site.values().known(position)?.narrowed(site.lookup().proved(position));
        let found = position_value(search, position, known, self.limits.nodes);
        Ok(PositionValue { value: found.value.narrowed(known), ..found })
    }
}

/// A score by a short search, in hundredths of a man for the side to move.
fn guess(site: &BoardSite, position: &Position) -> i32 {
    let limits = Limits { nodes: GUESS_NODES, ..Limits::default() };
    Heuristic::new(site.board(), site.values()).search(position, limits, |_| ()).score
}
