//! The state of the manager's side of a farm: items that are requested, results that have come
//! back, and the workers that sent wrong results. It does no input or output; `R` is the type of a
//! message's receipt.
//!
//! All of it can be lost without harm: an item is requested until the ledger has its result.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::connection::Link;
use crate::objects::Objects;
use crate::wire::{Announcement, Heartbeat, JobContext};
use async_nats::jetstream::message::Acker;
use certificate_spec::Digest;
use draughtproof_proof::proof::{Delivery, QuestionState};
use tokio::sync::Notify;

/// Time after which an item without a result is sent again. If the item still waits or is leased,
/// the broker refuses the duplicate.
const SEND_AGAIN: Duration = Duration::from_secs(10);
/// The least time before an item that a worker could not do is sent again.
const HOLD: Duration = Duration::from_secs(10);
/// The number of early results that are kept, which no queue has requested yet. Most of them are
/// from before a restart.
const MOST_EARLY: usize = 4096;
/// The bytes of early results that are kept.
const MOST_EARLY_BYTES: usize = 64 << 20;
/// The number of results that wait for the manager; while there are this many, no more are read.
const MOST_INBOX: usize = 4096;
/// Time without a heartbeat after which a worker is no longer counted.
const FORGET: Duration = Duration::from_secs(30);

/// The manager's knowledge of items, results and workers.
pub(super) struct State<R> {
    pending: HashMap<Digest, Pending>,
    /// Digests of the items to be sent, in order.
    unsent: VecDeque<Digest>,
    /// Results that came before their items were requested, oldest first.
    early: VecDeque<Early<R>>,
    early_bytes: usize,
    queues: HashMap<u64, VecDeque<Delivery>>,
    handed: HashMap<u64, Handed<R>>,
    accepted: Vec<R>,
    next: u64,
    pub(super) wrong_results: WrongResults,
    pub(super) counts: Counts,
    workers: HashMap<String, WorkerState>,
    pub(super) questions: Vec<QuestionState>,
}

/// Counts of items and results since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) done: u64,
    /// Results that were not needed: of items that had one, or that are no longer requested.
    pub(super) wasted: u64,
    /// Items that were sent again because their results were bad or did not come.
    pub(super) again: u64,
}

struct Pending {
    item: Vec<u8>,
    queue: u64,
    sent: Option<Instant>,
    /// Whether the item is among those to be sent.
    is_queued: bool,
    not_before: Option<Instant>,
    /// The number of results that wait for the manager's judgement.
    arrived: u32,
}

struct Early<R> {
    item: Digest,
    result: Result<Vec<u8>, String>,
    worker: String,
    receipt: R,
}

struct Handed<R> {
    item: Digest,
    receipt: R,
}

#[derive(Debug, Clone)]
pub(super) struct WorkerState {
    pub(super) beat: Heartbeat,
    pub(super) heard: Instant,
    /// Nodes a second, from the last two heartbeats.
    pub(super) rate: f64,
    /// Items whose results from this worker were accepted.
    pub(super) accepted: u64,
}

/// The effect of a result that has come in. A receipt in it is to be acknowledged.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrival<R> {
    /// The result is in the inbox of its queue.
    Queued,
    /// The result is kept until its item is requested; the receipt is that of an older result that
    /// was dropped for it.
    Early(Option<R>),
    /// The result is not read, and its item is sent again.
    Refused(R),
}

impl<R> State<R> {
    pub(super) fn new() -> Self {
        State {
            pending: HashMap::new(),
            unsent: VecDeque::new(),
            early: VecDeque::new(),
            early_bytes: 0,
            queues: HashMap::new(),
            handed: HashMap::new(),
            accepted: Vec::new(),
            next: 0,
            wrong_results: WrongResults::default(),
            counts: Counts::default(),
            workers: HashMap::new(),
            questions: Vec::new(),
        }
    }

    pub(super) fn open(&mut self) -> u64 {
        self.next += 1;
        self.queues.insert(self.next, VecDeque::new());
        self.next
    }

    /// Forgets a queue; returns its items that have no result. Results that were not taken stay
    /// with the broker, since the proof may be continued later.
    pub(super) fn close(&mut self, queue: u64) -> Vec<Digest> {
        for delivery in self.queues.remove(&queue).unwrap_or_default() {
            self.handed.remove(&delivery.number);
        }
        let mut withdrawn = Vec::new();
        self.pending.retain(|key, pending| {
            if pending.queue == queue {
                withdrawn.push(*key);
            }
            pending.queue != queue
        });
        withdrawn
    }

    /// Requests an item. Returns whether a result of it is here already.
    pub(super) fn submit(&mut self, queue: u64, item: Vec<u8>) -> bool {
        let key = Digest::of(&item);
        let before = self.pending.remove(&key);
        self.counts.again += u64::from(before.is_some());
        let not_before = before.as_ref().and_then(|before| before.not_before);
        let is_queued = before.is_some_and(|before| before.is_queued);
        let pending = Pending { item, queue, sent: None, is_queued: true, not_before, arrived: 0 };
        self.pending.insert(key, pending);
        if !is_queued {
            self.unsent.push_back(key);
        }
        let Some(place) = self.early.iter().position(|early| early.item == key) else {
            return false;
        };
        let Some(Early { result, worker, receipt, .. }) = self.early.remove(place) else {
            return false;
        };
        self.early_bytes -= result.as_ref().map_or(0, Vec::len);
        self.hand_over(queue, key, result, worker, receipt);
        true
    }

    /// The next items to be sent, at most `most`: their digests and bytes.
    pub(super) fn next_items(&mut self, most: usize, now: Instant) -> Vec<(Digest, Vec<u8>)> {
        let mut found = Vec::new();
        for _ in 0..self.unsent.len() {
            if found.len() == most {
                break;
            }
            let Some(key) = self.unsent.pop_front() else { break };
            let Some(pending) = self.pending.get_mut(&key) else { continue };
            if pending.not_before.is_some_and(|at| now < at) {
                self.unsent.push_back(key);
                continue;
            }
            pending.is_queued = false;
            // An item whose result came back while it waited to be sent is left out.
            if pending.arrived == 0 {
                pending.sent = Some(now);
                found.push((key, pending.item.clone()));
            }
        }
        found
    }

    /// Puts an item that could not be sent back in the queue of items to be sent.
    pub(super) fn put_back(&mut self, key: Digest) {
        if let Some(pending) = self.pending.get_mut(&key)
            && !pending.is_queued
        {
            (pending.sent, pending.is_queued) = (None, true);
            self.unsent.push_front(key);
        }
    }

    /// Queues again the items without a result that were last sent [`SEND_AGAIN`] ago or earlier;
    /// with `all`, all items without a result, for a broker that has lost its streams.
    pub(super) fn send_again(&mut self, now: Instant, all: bool) {
        let mut due: Vec<(Option<Instant>, Digest)> = Vec::new();
        for (key, pending) in &mut self.pending {
            let is_old = pending.sent.is_some_and(|sent| now - sent >= SEND_AGAIN);
            if !pending.is_queued && pending.arrived == 0 && (all || is_old) {
                due.push((pending.sent, *key));
                pending.is_queued = true;
            }
        }
        due.sort();
        self.unsent.extend(due.into_iter().map(|(_, key)| key));
    }

    /// Whether the inbox has room for more results.
    pub(super) fn has_room(&self) -> bool {
        self.handed.len() < MOST_INBOX
    }

    /// Takes a result in.
    pub(super) fn add_result(
        &mut self,
        item: Digest,
        result: Result<Vec<u8>, String>,
        worker: String,
        receipt: R,
    ) -> Arrival<R> {
        if self.wrong_results.is_refused(&worker) {
            self.send_unread_again(item);
            return Arrival::Refused(receipt);
        }
        if let Some(pending) = self.pending.get(&item) {
            let queue = pending.queue;
            self.hand_over(queue, item, result, worker, receipt);
            return Arrival::Queued;
        }
        self.early_bytes += result.as_ref().map_or(0, Vec::len);
        self.early.push_back(Early { item, result, worker, receipt });
        let is_full = self.early.len() > MOST_EARLY || self.early_bytes > MOST_EARLY_BYTES;
        let oldest = if is_full { self.early.pop_front() } else { None };
        let receipt = oldest.map(|early| {
            self.early_bytes -= early.result.as_ref().map_or(0, Vec::len);
            self.counts.wasted += 1;
            early.receipt
        });
        Arrival::Early(receipt)
    }

    /// Queues an item again whose result could not be read.
    pub(super) fn send_unread_again(&mut self, item: Digest) {
        let Some(pending) = self.pending.get(&item).filter(|pending| pending.arrived == 0) else {
            return;
        };
        if !pending.is_queued {
            self.counts.again += 1;
            self.put_back(item);
        }
    }

    /// Counts a wrong result of a worker; returns the number of its wrong results.
    pub(super) fn count_wrong(&mut self, worker: &str) -> u32 {
        self.wrong_results.count(worker)
    }

    fn hand_over(
        &mut self,
        queue: u64,
        item: Digest,
        result: Result<Vec<u8>, String>,
        worker: String,
        receipt: R,
    ) {
        let number = self.next;
        self.next += 1;
        self.handed.insert(number, Handed { item, receipt });
        if let Some(pending) = self.pending.get_mut(&item) {
            pending.arrived += 1;
        }
        if let Some(inbox) = self.queues.get_mut(&queue) {
            inbox.push_back(Delivery { item, result, worker: Some(worker), number });
        }
    }

    pub(super) fn has_results(&self, queue: u64) -> bool {
        self.queues.get(&queue).is_some_and(|inbox| !inbox.is_empty())
    }

    pub(super) fn take(&mut self, queue: u64) -> Vec<Delivery> {
        self.queues.get_mut(&queue).map(std::mem::take).unwrap_or_default().into()
    }

    /// Records that a result is good or not needed.
    pub(super) fn accept(&mut self, delivery: &Delivery) {
        let Some(Handed { item, receipt }) = self.handed.remove(&delivery.number) else { return };
        self.accepted.push(receipt);
        if self.pending.remove(&item).is_none() {
            self.counts.wasted += 1;
            return;
        }
        self.counts.done += 1;
        let worker = delivery.worker.as_deref().and_then(|name| self.workers.get_mut(name));
        if let Some(worker) = worker {
            worker.accepted += 1;
        }
    }

    /// Records that a result is bad; the returned receipt is to be acknowledged. With `hold` the
    /// item is not sent again before [`HOLD`] has passed.
    pub(super) fn reject(&mut self, delivery: &Delivery, hold: bool) -> Option<R> {
        let Handed { item, receipt } = self.handed.remove(&delivery.number)?;
        if let Some(pending) = self.pending.get_mut(&item) {
            pending.arrived = pending.arrived.saturating_sub(1);
            pending.not_before = hold.then(|| Instant::now() + HOLD);
        }
        Some(receipt)
    }

    /// Takes the receipts of all results that were accepted until now.
    pub(super) fn take_accepted(&mut self) -> Vec<R> {
        std::mem::take(&mut self.accepted)
    }

    /// The number of items without a result.
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Records a heartbeat of a worker.
    pub(super) fn record_heartbeat(&mut self, name: &str, beat: Heartbeat, now: Instant) {
        // The number of workers is bounded here as it is in [`WrongResults`].
        const MOST_NAMES: usize = 100_000;
        self.workers.retain(|_, worker| now - worker.heard < FORGET);
        if self.workers.len() >= MOST_NAMES {
            return;
        }
        if beat.is_leaving {
            self.workers.remove(name);
            return;
        }
        let before = self.workers.get(name);
        let rate = before.filter(|w| w.beat.nodes <= beat.nodes).map_or(0.0, |before| {
            let time = (now - before.heard).as_secs_f64();
            (beat.nodes - before.beat.nodes) as f64 / time.max(0.001)
        });
        let accepted = before.map_or(0, |before| before.accepted);
        self.workers.insert(name.into(), WorkerState { beat, heard: now, rate, accepted });
    }

    /// The workers that sent a heartbeat within [`FORGET`], in order of their names.
    pub(super) fn workers(&self, now: Instant) -> Vec<(&String, &WorkerState)> {
        let mut workers: Vec<_> =
            self.workers.iter().filter(|(_, w)| now - w.heard < FORGET).collect();
        workers.sort_by_key(|(name, _)| *name);
        workers
    }
}

/// The number of wrong results after which no more results of a worker are read.
pub(crate) const MOST_WRONG: u32 = 3;

/// The number of wrong results of each worker.
#[derive(Debug, Default)]
pub(crate) struct WrongResults {
    wrong: HashMap<String, u32>,
}

impl WrongResults {
    /// Counts a wrong result; returns the number of wrong results of this worker.
    pub(crate) fn count(&mut self, worker: &str) -> u32 {
        // The number of names is bounded: where permissions do not bind them, a client may invent
        // any number of names, and each takes memory.
        const MOST_NAMES: usize = 10_000;
        if self.wrong.len() >= MOST_NAMES && !self.wrong.contains_key(worker) {
            return MOST_WRONG;
        }
        let wrong = self.wrong.entry(worker.to_owned()).or_default();
        *wrong += 1;
        *wrong
    }

    /// Whether results of a worker are no longer read.
    pub(crate) fn is_refused(&self, worker: &str) -> bool {
        self.wrong.get(worker).is_some_and(|&wrong| wrong >= MOST_WRONG)
    }

    /// The names of at most `most` workers whose results are no longer read, in ascending order.
    pub(crate) fn refused(&self, most: usize) -> Vec<String> {
        let refused = self.wrong.iter().filter(|(_, wrong)| **wrong >= MOST_WRONG);
        let mut names: Vec<String> = refused.map(|(name, _)| name.clone()).collect();
        names.sort();
        names.truncate(most);
        names
    }

    pub(crate) fn wrong(&self, worker: &str) -> u32 {
        self.wrong.get(worker).copied().unwrap_or(0)
    }

    /// The number of wrong results of all workers.
    pub(crate) fn total(&self) -> u64 {
        self.wrong.values().map(|&wrong| u64::from(wrong)).sum()
    }
}

/// The settings of a job, which a manager announces to its workers.
#[derive(Debug, Clone)]
pub struct JobSettings {
    /// The name of the job. It is equal for equal proofs, so that a manager that is started again
    /// finds the results that its workers have sent since.
    pub name: String,
    /// The board, rules and database that results depend on.
    pub context: JobContext,
    /// The upper bound on the nodes of one search.
    pub nodes: u64,
    /// The upper bound on the bytes of a search's transposition table.
    pub table: u64,
    /// The lease time: the broker hands an item to another worker when its worker has not renewed
    /// the lease for this long.
    pub lease: Duration,
}

/// The message at the broker and the object in the store that are kept until a result is in the
/// ledger.
pub(super) struct Receipt {
    pub(super) message: Acker,
    pub(super) object: Option<Digest>,
}

/// The state that the manager and the tasks of its connection share.
pub(super) struct Shared {
    pub(super) link: Link,
    pub(super) job: JobSettings,
    pub(super) objects: Option<Objects>,
    pub(super) state: Mutex<State<Receipt>>,
    /// Notified when a result has come.
    pub(super) arrived: Condvar,
    /// Notified when there are items to be sent.
    pub(super) to_send: Notify,
    /// Notified when the streams may be lost.
    pub(super) is_doubtful: Notify,
    /// Notified when workers ask for the announcement of the job.
    pub(super) announce: Notify,
    pub(super) start: Instant,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State<Receipt>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn announcement(&self, is_over: bool) -> Announcement {
        // A message has at most 1 MiB; more names than this are a case for the broker's
        // administrator.
        const MOST_REFUSED: usize = 1000;
        Announcement {
            job: self.job.name.clone(),
            context: self.job.context.clone(),
            nodes: self.job.nodes,
            table: self.job.table,
            lease: u64::try_from(self.job.lease.as_millis()).unwrap_or(u64::MAX),
            refused: self.lock().wrong_results.refused(MOST_REFUSED),
            is_over,
        }
    }

    /// Counts and reports a wrong result of a worker.
    pub(super) fn report_wrong(&self, worker: &str, why: &str) {
        let wrong = self.lock().count_wrong(worker);
        let end = match wrong {
            MOST_WRONG.. => "; its results are no longer read",
            _ => "",
        };
        self.link.log.say(&format!("worker {worker}: wrong result {wrong}: {why}{end}"));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use certificate_spec::Digest;

    use super::{Arrival, SEND_AGAIN, State};

    const ITEM: &[u8] = b"an item";

    fn state() -> (State<u32>, u64, Digest) {
        let mut state = State::new();
        let queue = state.open();
        (state, queue, Digest::of(ITEM))
    }

    #[test]
    fn a_result_counts_once() {
        let (mut state, queue, key) = state();
        assert!(!state.submit(queue, ITEM.into()));
        assert_eq!(state.next_items(9, Instant::now()), [(key, ITEM.to_vec())]);
        for receipt in [1, 2] {
            let arrival = state.add_result(key, Ok(vec![7]), "a".into(), receipt);
            assert_eq!(arrival, Arrival::Queued);
        }
        let deliveries = state.take(queue);
        assert_eq!(deliveries.len(), 2);
        deliveries.iter().for_each(|delivery| state.accept(delivery));
        assert_eq!((state.counts.done, state.counts.wasted), (1, 1));
        assert_eq!((state.take_accepted(), state.take_accepted()), (vec![1, 2], vec![]));
        assert_eq!(state.pending(), 0);
    }

    #[test]
    fn items_without_a_result_are_sent_again() {
        let (mut state, queue, key) = state();
        state.submit(queue, ITEM.into());
        let now = Instant::now();
        assert_eq!(state.next_items(9, now).len(), 1);
        state.send_again(now + SEND_AGAIN / 2, false);
        assert_eq!(state.next_items(9, now), []);
        state.send_again(now + SEND_AGAIN, false);
        state.send_again(now + SEND_AGAIN, false);
        assert_eq!(state.next_items(9, now + SEND_AGAIN).len(), 1);
        // The broker has lost all its streams.
        state.send_again(now + SEND_AGAIN, true);
        assert_eq!(state.next_items(9, now + SEND_AGAIN).len(), 1);
        // The broker has not taken the item.
        state.put_back(key);
        assert_eq!(state.next_items(9, now).len(), 1);
        // A result that is about to be judged.
        state.add_result(key, Ok(vec![7]), "a".into(), 1);
        state.send_again(now + 9 * SEND_AGAIN, true);
        assert_eq!(state.next_items(9, now), []);
    }

    #[test]
    fn three_wrong_results_end_reading() {
        let (mut state, queue, key) = state();
        let now = Instant::now();
        for wrong in 1..=3 {
            state.submit(queue, ITEM.into());
            assert_eq!(state.next_items(9, now).len(), 1);
            state.add_result(key, Ok(vec![7]), "liar".into(), wrong);
            let delivery = state.take(queue).remove(0);
            assert_eq!(state.reject(&delivery, false), Some(wrong));
            assert_eq!(state.count_wrong("liar"), wrong);
        }
        state.submit(queue, ITEM.into());
        state.next_items(9, now);
        assert_eq!(state.add_result(key, Ok(vec![7]), "liar".into(), 4), Arrival::Refused(4));
        assert_eq!(state.take(queue), []);
        // The refused result's item is sent again, for another worker.
        assert_eq!(state.next_items(9, now).len(), 1);
        assert_eq!(state.add_result(key, Ok(vec![7]), "b".into(), 5), Arrival::Queued);
    }

    #[test]
    fn a_failed_item_waits() {
        let (mut state, queue, key) = state();
        let now = Instant::now();
        state.submit(queue, ITEM.into());
        state.next_items(9, now);
        state.add_result(key, Err("no".into()), "a".into(), 1);
        let delivery = state.take(queue).remove(0);
        state.reject(&delivery, true);
        state.submit(queue, ITEM.into());
        assert_eq!(state.next_items(9, now), []);
        assert_eq!(state.next_items(9, now + Duration::from_secs(11)).len(), 1);
    }

    #[test]
    fn early_results_are_used() {
        let (mut state, queue, key) = state();
        assert_eq!(state.add_result(key, Ok(vec![7]), "a".into(), 1), Arrival::Early(None));
        assert!(state.submit(queue, ITEM.into()));
        assert!(state.has_results(queue));
        assert_eq!(state.next_items(9, Instant::now()), []);
        // Early results that no queue requests make room for others.
        let mut dropped = 0;
        for i in 0..5000u32 {
            let key = Digest::of(&i.to_le_bytes());
            match state.add_result(key, Ok(vec![7]), "a".into(), i) {
                Arrival::Early(oldest) => dropped += u32::from(oldest.is_some()),
                arrival => panic!("{arrival:?}"),
            }
        }
        assert_eq!(dropped, 5000 - 4096);
    }

    #[test]
    fn closing_a_queue_withdraws_its_items() {
        let (mut state, queue, key) = state();
        state.submit(queue, ITEM.into());
        let other = state.open();
        state.submit(other, b"another".into());
        assert_eq!(state.close(queue), [key]);
        assert_eq!(state.pending(), 1);
        assert_eq!(state.next_items(9, Instant::now()).len(), 1);
    }
}
