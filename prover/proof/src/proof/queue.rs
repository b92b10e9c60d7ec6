//! The queue between the manager and its workers, from both sides.
//!
//! The manager submits items and collects results; a worker leases an item, keeps the lease alive,
//! and completes it or gives up. Items and results are bytes, and an item is known by the digest of
//! its bytes, so the crate `draughtproof-farm` makes equal calls through a broker between machines.
//! An item that fails, or whose lease is dropped, goes to another worker; the second completion of
//! an item has no effect.
//!
//! Work items and results as bytes: everything that a worker has to know, and what it says.
//!
//! A result is a function of the item alone, so an item may be done twice, elsewhere, or long ago.
//! No result is believed: a strategy is replayed where it is made and where it comes from outside,
//! and numbers only steer the search.

use std::collections::{HashMap, VecDeque};
use std::fmt::Debug;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::board::{Board, Position, Side};
use crate::egdb::{Cover, Values};
use crate::heuristic::{Heuristic, Limits};
use crate::search::{
    Checkpoint, Goal, INFINITE, Outcome, PackedStrategy, Probes, ProgressCallback, ProofNumbers,
    Search, StrategyError,
};
use crate::wire;
use certificate_spec::{Digest, RULES};
use serde::{Deserialize, Serialize};

/// A queue as the manager sees it.
pub trait ManagerQueue: Sync {
    /// Requests that an item be done. An item that is submitted again, such as after a bad result,
    /// is done again.
    fn submit(&self, item: Vec<u8>);

    /// Waits at most `wait` for a result, and returns those that have come.
    fn collect(&self, wait: Duration) -> Vec<Delivery>;

    /// Records that a result is good or no longer needed.
    fn accept(&self, _delivery: &Delivery) {}

    /// Records that a result is bad. This does not request the item again.
    fn reject(&self, _delivery: &Delivery, _why: &BadAnswer) {}

    /// Records that all results that were accepted so far are in the ledger, on disk.
    fn confirm_saved(&self) {}

    /// Publishes the state of a question for status displays.
    fn publish_state(&self, _state: &QuestionState) {}
}

/// A source of queues to workers outside of this process.
pub trait QueueSource: Debug + Send + Sync {
    /// Opens a queue for one question. Items that have no result when it is dropped are withdrawn.
    fn open(&self) -> Box<dyn ManagerQueue + '_>;
}

/// A queue as a worker sees it.
pub trait WorkerQueue: Sync {
    /// The lease of an item that was taken.
    type Lease<'a>: Lease
    where
        Self: 'a;

    /// Waits for an item; `None` when there are no more.
    fn lease(&self) -> Option<Self::Lease<'_>>;
}

/// An item that a worker has taken. If it is dropped without a result, the item goes to another
/// worker. The queue keeps the lease alive as long as this value exists.
pub trait Lease {
    /// The bytes of the item.
    fn item(&self) -> &[u8];

    /// Hands in the result.
    fn complete(self, result: Vec<u8>);

    /// Hands in the reason why there is no result and will be none.
    fn give_up(self, why: String);
}

/// A delivery of the queue: the result of an item, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub item: Digest,
    /// The result, or the reason why the worker has none.
    pub result: Result<Vec<u8>, String>,
    /// The name of the worker if it is outside of this process: its results are not trusted.
    pub worker: Option<String>,
    pub number: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionState {
    /// The side of which the question asks whether it wins.
    pub attacker: Side,
    /// The proof and disproof number of the root; none if the root is decided.
    pub root: Option<ProofNumbers>,
    pub tree: u64,
    /// The number of leaf searches so far.
    pub searches: u64,
    /// The number of nodes that these searches expanded.
    pub nodes: u64,
}

/// The queue of a process: items that wait for a thread, and results that wait for the manager.
#[derive(Default)]
pub(super) struct LocalQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Digest>,
    items: HashMap<Digest, Vec<u8>>,
    results: VecDeque<Delivery>,
    delivered: u64,
    closed: bool,
}

/// An item that a thread has taken.
pub(super) struct LocalLease<'a> {
    queue: &'a LocalQueue,
    key: Digest,
    item: Vec<u8>,
}

impl LocalQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A worker that panicked has held the lock only within one of the steps below.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the queue: there are no more items to lease.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

impl ManagerQueue for LocalQueue {
    fn submit(&self, item: Vec<u8>) {
        let key = Digest::of(&item);
        let mut state = self.lock();
        if state.items.insert(key, item).is_none() {
            state.waiting.push_back(key);
        }
        self.changed.notify_all();
    }

    fn collect(&self, wait: Duration) -> Vec<Delivery> {
        let waited =
            self.changed.wait_timeout_while(self.lock(), wait, |state| state.results.is_empty());
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.results.drain(..).collect()
    }
}

impl WorkerQueue for LocalQueue {
    type Lease<'a> = LocalLease<'a>;

    fn lease(&self) -> Option<LocalLease<'_>> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(key) = state.waiting.pop_front() {
                let item = state.items.get(&key).cloned().unwrap_or_default();
                return Some(LocalLease { queue: self, key, item });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl LocalLease<'_> {
    fn deliver(&self, result: Result<Vec<u8>, String>) {
        let mut state = self.queue.lock();
        if state.items.remove(&self.key).is_some() {
            let number = state.delivered;
            state.delivered += 1;
            state.results.push_back(Delivery { item: self.key, result, worker: None, number });
        }
    }
}

impl Lease for LocalLease<'_> {
    fn item(&self) -> &[u8] {
        &self.item
    }

    fn complete(self, result: Vec<u8>) {
        self.deliver(Ok(result));
    }

    fn give_up(self, why: String) {
        self.deliver(Err(why));
    }
}

impl Drop for LocalLease<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        if state.items.contains_key(&self.key) && !state.closed {
            state.waiting.push_back(self.key);
        }
        self.queue.changed.notify_all();
    }
}

/// The kind of search; results of another kind are not used again.
const SEARCH: u8 = 7;
/// The kind of a search whose first numbers come from a network.
const SEARCH_WITH_NETWORK: u8 = 10;
/// Scores are within this, wins included.
const MOST_SCORE: u32 = 100_000;

#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    pub board: &'a Board,
    pub database: &'a Values,
    /// The root of the database, if there is one.
    pub database_root: Option<Digest>,
}

impl<'a> SearchContext<'a> {
    /// To decide whether a side wins.
    pub fn goal(&self, attacker: Side) -> Goal<'a> {
        Goal::new(self.board, self.database, attacker)
    }

    fn kind(&self) -> u8 {
        if self.goal(Side::Black).has_network() { SEARCH_WITH_NETWORK } else { SEARCH }
    }
}

/// A position to be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// The side that tries to win.
    pub attacker: Side,
    pub position: Position,
    /// The nodes that df-pn may expand.
    pub nodes: u64,
    /// The bytes that its table may grow to.
    pub table: u64,
    /// The nodes of the heuristic search of each successor, if that is not enough.
    pub heuristic_nodes: u64,
    /// Threads that share the table. With more than one, what is found depends on their timing.
    pub threads: u32,
}

/// An item as it is written: with all that its result depends on.
#[derive(Serialize, Deserialize)]
struct WireItem {
    search: u8,
    rules: String,
    rows: u8,
    columns: u8,
    cover: Cover,
    database: Option<Digest>,
    white_attacks: bool,
    white_moves: bool,
    /// Sets of squares, a bit each.
    black: u32,
    white: u32,
    kings: u32,
    nodes: u64,
    table: u64,
    heuristic_nodes: u64,
    threads: u32,
}

/// A digest of an item's search without its budget: a search with a larger one may go on from the
/// checkpoint of one with a smaller one.
pub fn search_digest(item: &[u8]) -> Digest {
    match wire::decode::<WireItem>(item) {
        Some(wire) => Digest::of(&wire::encode(&WireItem { nodes: 0, ..wire })),
        None => Digest::of(item),
    }
}

impl Item {
    /// The item as bytes, the same for the same item.
    pub fn encode(&self, context: &SearchContext<'_>) -> Vec<u8> {
        let SearchContext { board, database, database_root } = context;
        let [black, white, kings] = [self.position.black, self.position.white, self.position.kings]
            .map(|set| board.to_dense(set));
        wire::encode(&WireItem {
            search: context.kind(),
            rules: RULES.into(),
            rows: board.rows(),
            columns: board.columns(),
            cover: database.cover().clone(),
            database: *database_root,
            white_attacks: self.attacker == Side::White,
            white_moves: self.position.turn == Side::White,
            black,
            white,
            kings,
            nodes: self.nodes,
            table: self.table,
            heuristic_nodes: self.heuristic_nodes,
            threads: self.threads,
        })
    }

    /// Reads an item; `None` if these are not the bytes of an item of this context.
    pub fn decode(bytes: &[u8], context: &SearchContext<'_>) -> Option<Item> {
        let wire: WireItem = wire::decode(bytes)?;
        let side = |is_white| if is_white { Side::White } else { Side::Black };
        let turn = side(wire.white_moves);
        let item = Item {
            attacker: side(wire.white_attacks),
            position: context.board.position(wire.black, wire.white, wire.kings, turn)?,
            nodes: wire.nodes,
            table: wire.table,
            heuristic_nodes: wire.heuristic_nodes,
            threads: wire.threads,
        };
        // The rules, the board and the database are those of the context.
        (item.encode(context) == bytes).then_some(item)
    }

    /// Guesses for the successors, in canonical order, whose proof and disproof numbers are these.
    fn guesses(&self, goal: &Goal<'_>, numbers: &[ProofNumbers]) -> Vec<Guess> {
        let mut heuristic = Heuristic::new(goal.board, goal.database);
        let limits = Limits { nodes: self.heuristic_nodes, ..Limits::default() };
        let mut successors = Vec::new();
        goal.board.successors(&self.position, &mut successors);
        let mut guesses = Vec::with_capacity(successors.len());
        for (&numbers, successor) in numbers.iter().zip(&successors) {
            let mut guess = Guess { numbers, score: 0, ends_in_draw: false };
            if goal.known(successor).is_none() {
                let analysis = heuristic.search(successor, limits, |_| ());
                let sign = if goal.is_or(successor) { 1 } else { -1 };
                guess.score = sign * analysis.score;
                guess.ends_in_draw = analysis.ends_in_draw;
            }
            guesses.push(guess);
        }
        guesses
    }
}

/// A guess about a successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guess {
    /// Its proof and disproof number.
    pub numbers: ProofNumbers,
    /// The heuristic score for the attacker, in hundredths of a man.
    pub score: i32,
    /// Whether the principal variation ends in a draw of the database.
    pub ends_in_draw: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Finding {
    Decided(PackedStrategy),
    /// It is too hard; a guess for each successor, in canonical order. Those of successors that are
    /// known mean nothing.
    TooHard(Vec<Guess>),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// Nodes that df-pn expanded.
    pub nodes: u64,
    /// Its look-ups in the database.
    pub probes: Probes,
    pub found: Finding,
}

/// An answer that is rejected, with the cause.
#[derive(Debug, thiserror::Error)]
pub enum BadAnswer {
    /// The bytes are no answer to the item.
    #[error("bytes that are no answer to the item")]
    Bytes,
    /// No answer.
    #[error("no answer: {0}")]
    None(String),
    /// The strategy does not stand up to its replay.
    #[error("a strategy that does not hold: {0}")]
    Strategy(#[from] StrategyError),
}

impl Answer {
    /// Does an item, with a fresh table or from where it was when it was kept; `None` if the
    /// callback or a failed look-up in the database stops the search. A strategy in it has been
    /// replayed.
    pub fn of<'a>(
        item: &Item,
        context: &SearchContext<'a>,
        progress: &'a ProgressCallback<'a>,
        checkpoint: Option<Checkpoint<'a>>,
    ) -> Option<Answer> {
        let goal = context.goal(item.attacker);
        let search = Search::new(goal, item.table).with_progress(progress);
        let mut search = search.with_threads(item.threads);
        if let Some(checkpoint) = checkpoint {
            search = search.with_checkpoint(checkpoint);
        }
        let outcome = search.run(&item.position, item.nodes.saturating_sub(search.nodes()));
        if search.is_stopped() {
            return None;
        }
        let decided = match outcome {
            Outcome::Unknown(_) => {
                search.keep_at_end();
                None
            }
            // A strategy that does not stand up to its replay counts as none.
            _ => search.strategy(&item.position).ok().map(Finding::Decided),
        };
        let found = decided.unwrap_or_else(|| {
            Finding::TooHard(item.guesses(&goal, &search.successor_numbers(&item.position)))
        });
        let answer = Answer { nodes: search.nodes(), probes: search.probes(), found };
        // After a failed look-up the answer is not the one that an undamaged database gives.
        (!context.database.has_failed()).then_some(answer)
    }

    /// The answer as bytes.
    pub fn encode(&self) -> Vec<u8> {
        wire::encode(self)
    }

    /// Reads an answer to an item that comes from outside, and replays the strategy in it.
    ///
    /// # Errors
    /// [`BadAnswer`] if it is not one, or the strategy does not hold.
    pub fn decode(
        bytes: &[u8],
        item: &Item,
        context: &SearchContext<'_>,
    ) -> Result<Answer, BadAnswer> {
        let answer = Self::parse(bytes, item, context).ok_or(BadAnswer::Bytes)?;
        if let Finding::Decided(PackedStrategy { is_win, leaf }) = &answer.found {
            let replay = context.goal(item.attacker).replay(*is_win);
            replay.unpack(leaf, &item.position, |_| false)?;
        }
        Ok(answer)
    }

    /// Reads an answer to an item that a thread of this process has made ([`Answer::of`]); `None`
    /// if it is none. The strategy in it is not replayed.
    pub fn parse(bytes: &[u8], item: &Item, context: &SearchContext<'_>) -> Option<Answer> {
        let answer: Answer = wire::decode(bytes)?;
        if let Finding::TooHard(guesses) = &answer.found {
            let mut successors = Vec::new();
            context.board.successors(&item.position, &mut successors);
            let all_there = guesses.len() == successors.len();
            (all_there && guesses.iter().all(Guess::is_possible)).then_some(())?;
        }
        Some(answer)
    }
}

impl Guess {
    /// Whether it may be one: what is open costs something, and no guess says how a position ends.
    fn is_possible(&self) -> bool {
        let is_open = |n: u32| (1..INFINITE).contains(&n);
        let ProofNumbers { proof, disproof } = self.numbers;
        is_open(proof) && is_open(disproof) && self.score.unsigned_abs() <= MOST_SCORE
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use certificate_spec::Digest;

    use super::{Lease, LocalQueue, ManagerQueue, WorkerQueue};

    #[test]
    fn items_circulate_until_completed() {
        let queue = LocalQueue::default();
        queue.submit(vec![1]);
        queue.submit(vec![2]);
        // The item is in the queue already.
        queue.submit(vec![2]);
        drop(queue.lease().expect("an item"));
        let second = queue.lease().expect("an item");
        assert_eq!(second.item(), [2]);
        // A worker that dies gives its item back.
        let died = std::thread::scope(|scope| {
            scope
                .spawn(|| {
                    let _lease = queue.lease().expect("an item");
                    panic!("a worker dies");
                })
                .join()
        });
        assert!(died.is_err());
        second.complete(vec![20]);
        let first = queue.lease().expect("an item");
        assert_eq!(first.item(), [1]);
        first.give_up("no".into());
        let results = queue.collect(Duration::from_secs(60));
        let found: Vec<_> = results.into_iter().map(|d| (d.item, d.result)).collect();
        let one = Digest::of(&[1]);
        let two = Digest::of(&[2]);
        assert_eq!(found, [(two, Ok(vec![20])), (one, Err("no".into()))]);
        assert_eq!(queue.collect(Duration::ZERO), []);
        queue.close();
        assert!(queue.lease().is_none());
    }
}
