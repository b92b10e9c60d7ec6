//! The queue between the manager and its workers.
//!
//! Four calls: the manager submits items; a worker leases one, and completes it or fails. Items and
//! results are bytes, so the same calls can go through a message queue between machines. An item
//! that fails, or whose lease is dropped, goes to another worker; one that is completed twice was
//! completed once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Items that wait for a worker, and results that wait for the manager.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next: u64,
    waiting: VecDeque<u64>,
    items: HashMap<u64, Vec<u8>>,
    results: HashMap<u64, Vec<u8>>,
    closed: bool,
}

/// An item that a worker has taken. Dropped without a result it goes to another worker.
pub struct Lease<'a> {
    queue: &'a Queue,
    id: u64,
    /// The item.
    pub item: Vec<u8>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A worker that panicked held the lock for no more than one of the steps below.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for an item to be done; returns its number.
    pub fn submit(&self, item: Vec<u8>) -> u64 {
        let mut state = self.lock();
        let id = state.next;
        state.next += 1;
        state.items.insert(id, item);
        state.waiting.push_back(id);
        self.changed.notify_all();
        id
    }

    /// Waits for an item; `None` when the queue is closed.
    pub fn lease(&self) -> Option<Lease<'_>> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(id) = state.waiting.pop_front() {
                let item = state.items.get(&id).cloned().unwrap_or_default();
                return Some(Lease { queue: self, id, item });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for the result of an item.
    pub fn result(&self, id: u64) -> Vec<u8> {
        let mut state = self.lock();
        loop {
            if let Some(result) = state.results.remove(&id) {
                return result;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Closes the queue: there are no more items to lease.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

impl Lease<'_> {
    /// Hands in the result.
    pub fn complete(self, result: Vec<u8>) {
        let mut state = self.queue.lock();
        if state.items.remove(&self.id).is_some() {
            state.results.insert(self.id, result);
        }
        self.queue.changed.notify_all();
    }

    /// Gives the item back.
    pub fn fail(self) {}
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        if state.items.contains_key(&self.id) && !state.closed {
            state.waiting.push_back(self.id);
        }
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    #[test]
    fn an_item_goes_round_until_it_is_completed() {
        let queue = Queue::default();
        let (a, b) = (queue.submit(vec![1]), queue.submit(vec![2]));
        queue.lease().expect("an item").fail();
        let second = queue.lease().expect("an item");
        assert_eq!(second.item, [2]);
        // A worker that dies.
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
        assert_eq!(first.item, [1]);
        first.complete(vec![10]);
        assert_eq!((queue.result(b), queue.result(a)), (vec![20], vec![10]));
        queue.close();
        assert!(queue.lease().is_none());
    }
}
