//! The items that a worker holds, and when their leases are to be renewed.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::message::Acker;

use super::jobs::OpenJob;

/// The worker prefetches enough items to keep its threads busy for this long, and none if an item
/// takes longer than that.
const AHEAD: Duration = Duration::from_millis(50);
/// The most items that are prefetched.
const MOST_AHEAD: usize = 256;

/// The leases of a worker.
pub(super) struct Leases {
    threads: usize,
    /// The number of threads that wait for an item.
    pub(super) idle: usize,
    pub(super) ready: VecDeque<WaitingItem>,
    /// All items that the worker holds, by number.
    pub(super) held: HashMap<u64, Renewal>,
    next: u64,
    pub(super) is_closed: bool,
    /// A running average of the seconds that an item takes.
    item_time: Option<f64>,
}

/// An item that waits for a thread.
pub(super) struct WaitingItem {
    pub(super) job: Arc<OpenJob>,
    pub(super) item: Vec<u8>,
    pub(super) number: u64,
}

/// The state by which the lease of an item is renewed.
pub(super) struct Renewal {
    job: Arc<OpenJob>,
    pub(super) receipt: Arc<Acker>,
    taken: Instant,
    kept: Instant,
}

impl Leases {
    pub(super) fn new(threads: usize) -> Self {
        Leases {
            threads,
            idle: 0,
            ready: VecDeque::new(),
            held: HashMap::new(),
            next: 0,
            is_closed: false,
            item_time: None,
        }
    }

    /// The number of items to request from the broker.
    pub(super) fn wanted(&self) -> usize {
        if self.is_closed {
            return 0;
        }
        let ahead = self.item_time.map_or(0.0, |time| {
            self.threads as f64 * (AHEAD.as_secs_f64() / time.max(1e-6)).floor()
        });
        let ahead = if ahead < MOST_AHEAD as f64 { ahead as usize } else { MOST_AHEAD };
        (self.idle + ahead).saturating_sub(self.ready.len())
    }

    pub(super) fn add(&mut self, job: Arc<OpenJob>, item: Vec<u8>, receipt: Acker) {
        let number = self.next;
        let now = Instant::now();
        self.next += 1;
        self.held.insert(
            number,
            Renewal { job: Arc::clone(&job), receipt: Arc::new(receipt), taken: now, kept: now },
        );
        self.ready.push_back(WaitingItem { job, item, number });
    }

    /// Closes the queue: no more items are handed out.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Whether the worker holds items.
    pub(super) fn holds_any(&self) -> bool {
        !self.held.is_empty()
    }

    /// The number of items of a job that the worker holds, and the age of the oldest.
    pub(super) fn held_of(&self, job: &Arc<OpenJob>) -> (u32, Duration) {
        let taken = self.held.values().filter(|keep| Arc::ptr_eq(&keep.job, job));
        taken.fold((0, Duration::ZERO), |(n, oldest), keep| {
            (n + 1, oldest.max(keep.taken.elapsed()))
        })
    }

    /// Forgets an item; returns the receipt that acknowledges it.
    pub(super) fn release(&mut self, number: u64) -> Option<Arc<Acker>> {
        self.held.remove(&number).map(|keep| keep.receipt)
    }

    /// Receipts of the items whose leases are to be renewed now.
    pub(super) fn due(&mut self) -> Vec<Arc<Acker>> {
        let now = Instant::now();
        let mut due = Vec::new();
        for keep in self.held.values_mut() {
            if now - keep.kept >= keep.job.lease / 3 {
                keep.kept = now;
                due.push(Arc::clone(&keep.receipt));
            }
        }
        due
    }

    pub(super) fn record_time(&mut self, time: Duration) {
        let time = time.as_secs_f64();
        self.item_time = Some(self.item_time.map_or(time, |before| 0.9 * before + 0.1 * time));
    }
}
