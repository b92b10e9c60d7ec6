//! The queue between the manager and its workers, from both sides.
//!
//! The manager submits items and collects results; a worker leases an item, keeps the lease alive,
//! and completes it or gives up. Items and results are bytes, and an item is known by the digest of
//! its bytes, so the crate `draughtproof-farm` makes equal calls through a broker between machines.
//! An item that fails, or whose lease is dropped, goes to another worker; the second completion of
//! an item has no effect.

use std::collections::{HashMap, VecDeque};
use std::fmt::Debug;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use certificate_spec::Digest;

use super::item::BadAnswer;
use crate::board::Side;
use crate::search::ProofNumbers;

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
    /// The digest of the item.
    pub item: Digest,
    /// The result, or the reason why the worker has none.
    pub result: Result<Vec<u8>, String>,
    /// The name of the worker if it is outside of this process: its results are not trusted.
    pub worker: Option<String>,
    /// The number of the delivery in its queue.
    pub number: u64,
}

/// The state of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionState {
    /// The side of which the question asks whether it wins.
    pub attacker: Side,
    /// The proof and disproof number of the root; none if the root is decided.
    pub root: Option<ProofNumbers>,
    /// The number of nodes of the tree.
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
