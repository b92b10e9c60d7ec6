//! Solves in the background what neither a proof nor the database decides, within budgets.
//!
//! All positions that are asked for get a search with a small budget first, then searches with ten
//! and with a hundred times as many nodes, and last one with all. A thread always takes a position
//! with the smallest budget, of the client that was served least recently; a long search pauses for
//! smaller ones. A position is forgotten if no request asks about it for a while. The strategies
//! that df-pn finds are replayed, and then their positions are known to all look-ups.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use draughtproof_proof::proof::{position_value, question_decided};
use draughtproof_proof::search::{Goal, Search, SearchProgress};

use super::site::{BoardSite, Site};
use crate::board::Position;
use crate::egdb::StoreError;

/// The most positions that wait.
const WAITING: usize = 1_000;
/// The most results that are kept; then all are forgotten.
const KEPT: usize = 100_000;
/// The time after which a position is forgotten that is not asked about.
const FORGOTTEN: Duration = Duration::from_secs(30);
/// The budgets of the first searches, in nodes; the last one has the whole budget.
const ROUNDS: [u64; 3] = [10_000, 100_000, 1_000_000];
/// The most bytes of a table for each node of a budget.
const NODE_BYTES: u64 = 512;
/// The pieces above the database, times the squares of the board, beyond which df-pn is hopeless:
/// 10 pieces on 24 squares take 5 × 10⁷ nodes, 12 take 3 × 10⁸, 10 on 32 squares more than 10⁹.
const FAR: usize = 260;

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

/// The state of the searches of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It waits for its turn.
    Waiting,
    /// It is being searched.
    Searching,
    /// Its budget is spent, or its value is known.
    Done,
}

/// The result of the server's searches of a position, besides what is known of its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Searched {
    /// The nodes that df-pn has expanded.
    pub(super) nodes: u64,
    pub(super) stage: Stage,
}

/// The name of a board and a position.
type Key = (String, Position);

/// A position that is asked for.
struct Open {
    searched: Searched,
    /// The budget of its next search, in nodes.
    budget: u64,
    client: Option<IpAddr>,
    /// The number of the request that asked first, and the place of the position there.
    place: (Reverse<u64>, usize),
    /// The time of the last request.
    asked: Instant,
}

#[derive(Default)]
struct State {
    open: HashMap<Key, Open>,
    done: HashMap<Key, Searched>,
    /// The time at which each client was served last.
    served: HashMap<Option<IpAddr>, u64>,
    /// The number of requests and turns so far.
    clock: u64,
    /// The number of threads that search.
    threads: usize,
}

/// The positions that are asked for, and what was found.
pub(super) struct Solver {
    site: Arc<Site>,
    limits: SolverLimits,
    state: Mutex<State>,
}

impl Solver {
    pub(super) fn new(site: Arc<Site>, limits: SolverLimits) -> Self {
        Solver { site, limits, state: Mutex::default() }
    }

    /// Whether a search may decide a position: none is tried far above the database.
    pub(super) fn takes(&self, site: &BoardSite, position: &Position) -> bool {
        self.limits.nodes > 0 && self.limits.threads > 0 && !is_far(site, position)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the result for a position so far; `None` if no request has asked for it.
    pub(super) fn found(&self, board: &str, position: &Position) -> Option<Searched> {
        let (state, key) = (self.state(), (board.to_owned(), *position));
        state.done.get(&key).or_else(|| Some(&state.open.get(&key)?.searched)).copied()
    }

    /// Asks for positions that it takes and that are not done, and starts a thread if one more may
    /// run.
    pub(super) fn ask(
        self: &Arc<Self>,
        board: &str,
        positions: &[Position],
        client: Option<IpAddr>,
    ) {
        if positions.is_empty() {
            return;
        }
        let mut state = self.state();
        state.clock += 1;
        let (clock, asked) = (state.clock, Instant::now());
        for (i, position) in positions.iter().enumerate() {
            let searched = Searched { nodes: 0, stage: Stage::Waiting };
            let budget = ROUNDS[0].min(self.limits.nodes);
            let place = (Reverse(clock), i);
            let has_room = state.open.len() < WAITING;
            match state.open.get_mut(&(board.to_owned(), *position)) {
                Some(open) => open.asked = asked,
                None if has_room => {
                    let open = Open { searched, budget, client, place, asked };
                    state.open.insert((board.to_owned(), *position), open);
                }
                None => {}
            }
        }
        if state.threads < self.limits.threads {
            state.threads += 1;
            let solver = Arc::clone(self);
            thread::spawn(move || {
                while solver.search_next(u64::MAX) {}
                solver.state().threads -= 1;
            });
        }
    }

    /// Takes a turn of a position whose budget is below a limit. Returns whether there was one.
    fn search_next(&self, below: u64) -> bool {
        let Some((key, budget)) = self.next(below) else { return false };
        let (name, position) = &key;
        let Some(site) = self.site.board(name) else { return true };
        // After a panic, which standard error has, the others are still searched.
        let found = catch_unwind(AssertUnwindSafe(|| self.solve(site, &key, budget)));
        // The answer about the position names the fault of the database.
        let found = found.unwrap_or(Ok(0)).ok();
        let value = site.lookup().proved(position).value();
        let most = self.limits.nodes;
        let mut state = self.state();
        let Some(open) = state.open.get_mut(&key) else { return true };
        open.searched.nodes += found.unwrap_or_default();
        open.searched.stage = Stage::Waiting;
        open.budget = ROUNDS.into_iter().find(|&next| next > budget).unwrap_or(most).min(most);
        let was_stopped = value.is_none() && open.asked.elapsed() >= FORGOTTEN;
        if !was_stopped && (value.is_some() || found.is_none() || budget >= most) {
            let searched = Searched { stage: Stage::Done, ..open.searched };
            state.open.remove(&key);
            state.done.insert(key, searched);
        }
        true
    }

    /// The position whose turn it is, if there is one with a budget below a limit, and its budget.
    fn next(&self, below: u64) -> Option<(Key, u64)> {
        let mut state = self.state();
        let State { open, served, clock, .. } = &mut *state;
        let is_wanted = |open: &Open| {
            open.searched.stage == Stage::Searching || open.asked.elapsed() < FORGOTTEN
        };
        open.retain(|_, open| is_wanted(open));
        let waiting = open
            .iter_mut()
            .filter(|(_, open)| open.searched.stage == Stage::Waiting && open.budget < below);
        let next = waiting
            .min_by_key(|(_, open)| (open.budget, served.get(&open.client).copied(), open.place));
        let (key, open) = next?;
        open.searched.stage = Stage::Searching;
        *clock += 1;
        let (key, budget, client) = (key.clone(), open.budget, open.client);
        served.insert(client, *clock);
        if served.len() > WAITING {
            served.clear();
        }
        Some((key, budget))
    }

    /// Whether a request still asks for a position.
    fn is_wanted(&self, key: &Key) -> bool {
        self.state().open.get(key).is_some_and(|open| open.asked.elapsed() < FORGOTTEN)
    }

    /// Searches a position, and adds what is found to the solved positions of the board. Returns
    /// the number of nodes.
    fn solve(&self, site: &BoardSite, key: &Key, budget: u64) -> Result<u64, StoreError> {
        let position = &key.1;
        let end = Instant::now() + self.limits.time;
        let is_over = |_: SearchProgress| {
            while self.search_next(budget) {}
            match Instant::now() < end && self.is_wanted(key) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        // Each position has a table for each of its two questions.
        let table = self.limits.memory / (2 * self.limits.threads as u64);
        let table = table.min(budget.saturating_mul(NODE_BYTES));
        let goal = |attacker| {
            let goal = Goal::new(site.board(), site.values(), attacker);
            goal.with_lemmas(Some(site.lemmas(attacker)))
        };
        let search = |attacker| Search::new(goal(attacker), table).with_progress(&is_over);
        let known = site.values().known(position)?.narrowed(site.lookup().proved(position));
        let found = position_value(search, position, known, budget);
        if site.found.solved().len() as u64 > self.limits.memory / NODE_BYTES
            || self.state().done.len() > KEPT
        {
            self.site.boards().for_each(|site| site.found.forget_solved());
            self.state().done.clear();
        }
        for (attacker, strategy) in found.strategies {
            let replay = goal(attacker).replay(strategy.is_win);
            let question = question_decided(attacker, strategy.is_win);
            if let Ok(strategy) = replay.unpack(&strategy.leaf, position, |_| false) {
                site.found.add_solved(question, position, &strategy, site.values().cover());
            }
        }
        Ok(found.nodes)
    }
}

/// Whether a position has too many pieces above the database for any search to decide it.
fn is_far(site: &BoardSite, position: &Position) -> bool {
    let most = usize::from(site.values().cover().most_pieces());
    let above = (position.pieces() as usize).saturating_sub(most);
    above * usize::from(site.board().squares()) > FAR
}
