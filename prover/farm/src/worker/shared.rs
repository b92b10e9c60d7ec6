//! The settings of a worker, and the state that its threads and tasks share.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::board::Board;
use crate::connection::Link;
use crate::egdb::{StoreError, Values};
use crate::objects::Objects;
use crate::wire::JobContext;
use async_nats::jetstream::message::Acker;
use certificate_spec::Digest;
use draughtproof_proof::prepare_database::Room;
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::SearchContext;
use tokio::sync::{Notify, Semaphore, watch};

#[derive(Debug, Clone)]
pub struct Databases {
    /// The folder with the databases; the database of the board RxC is in its subfolder RxC.
    pub folder: PathBuf,
    /// The place of the values of positions during a search: memory or disk.
    pub room: Room,
}

#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The worker's name: one token of a subject.
    pub name: String,
    pub threads: usize,
    /// The bytes of memory that the worker may use.
    pub memory: u64,
    pub databases: Databases,
    /// The object store for large results, if there is one.
    pub objects: Option<Objects>,
    /// The output for the worker's messages.
    pub progress: Progress,
}

/// The state that threads and tasks share.
pub(super) struct Shared {
    pub(super) link: Link,
    pub(super) settings: WorkerSettings,
    pub(super) jobs: Mutex<Jobs>,
    pub(super) leases: Mutex<Leases>,
    /// Notified when an item has come, or when there will be no more.
    pub(super) ready: Condvar,
    /// Notified when threads wait for items, or when there is a new job.
    pub(super) demand: Notify,
    /// Bounds the number of results under way.
    pub(super) results: Arc<Semaphore>,
    pub(super) is_ending: AtomicBool,
    /// The error of a database, which ends the worker.
    pub(super) fault: Mutex<Option<StoreError>>,
    pub(super) ending: watch::Sender<bool>,
    pub(super) items: AtomicU64,
    pub(super) nodes: AtomicU64,
    pub(super) runtime: tokio::runtime::Handle,
}

impl Shared {
    pub(super) fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn leases(&self) -> MutexGuard<'_, Leases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn fault(&self) -> MutexGuard<'_, Option<StoreError>> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }
}

/// The jobs that were announced, by name.
#[derive(Default)]
pub(super) struct Jobs {
    pub(super) all: BTreeMap<String, Job>,
}

pub(super) struct Job {
    pub(super) heard: Instant,
    pub(super) state: JobState,
}

pub(super) enum JobState {
    /// The job's database is being opened.
    Opening,
    Open(Arc<OpenJob>),
    /// This worker cannot do the job, or is refused by it; it tries again at this time.
    Closed(Instant),
}

/// A job whose items this worker takes.
pub(super) struct OpenJob {
    pub(super) name: String,
    pub(super) wire: JobContext,
    pub(super) database: Arc<OpenDatabase>,
    pub(super) most_nodes: u64,
    pub(super) most_table: u64,
    /// The lease time: the broker hands an item to another worker when its lease was not renewed
    /// for this long.
    pub(super) lease: Duration,
    pub(super) is_over: AtomicBool,
    /// Nodes that this worker has expanded for the job.
    pub(super) nodes: AtomicU64,
    /// Items of the job that this worker has done.
    pub(super) items: AtomicU64,
}

/// The board and the database with which a job is searched.
pub(super) struct OpenDatabase {
    pub(super) board: Board,
    pub(super) values: Values,
    pub(super) root: Option<Digest>,
}

impl OpenJob {
    pub(super) fn context(&self) -> SearchContext<'_> {
        let OpenDatabase { board, values, root } = &*self.database;
        SearchContext { board, database: values, database_root: *root }
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

impl Jobs {
    /// The jobs whose items this worker takes.
    pub(super) fn open(&self) -> impl Iterator<Item = Arc<OpenJob>> {
        self.all.values().filter_map(|job| match &job.state {
            JobState::Open(job) => Some(Arc::clone(job)),
            _ => None,
        })
    }

    pub(super) fn end(&mut self, name: &str) {
        if let Some(Job { state: JobState::Open(job), .. }) = self.all.remove(name) {
            job.is_over.store(true, Ordering::Relaxed);
        }
    }
}

/// The worker prefetches enough items to keep its threads busy for this long, and none if an item
/// takes longer than that.
const AHEAD: Duration = Duration::from_millis(50);
/// The most items that are prefetched.
const MOST_AHEAD: usize = 256;

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
