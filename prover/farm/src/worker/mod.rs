//! A worker: takes items of the jobs that it has the databases for, searches them, and sends the
//! results.
//!
//! Threads search; tasks of the connection take items, renew their leases, and send results. An
//! item is acknowledged when the broker has its result. A worker that ends gives back the items
//! that it has not done.

mod jobs;
mod leases;
mod lemmas;
mod results;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use draughtproof_proof::prepare_database::Room;
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{Answer, Item, Lease, SearchContext, Work, work};
use draughtproof_proof::search::SearchProgress;
use tokio::sync::{Notify, Semaphore, watch};

use self::jobs::{Jobs, OpenJob};
use self::leases::{FarmLease, LeaseQueue, Leases};
use super::connection::{Connection, Link};
use super::names::heartbeat_subject;
use super::objects::Objects;
use super::wire::{Heartbeat, encode};
use crate::egdb::{StoreError, Value};

/// Interval between heartbeats of the worker.
const BEAT: Duration = Duration::from_secs(1);
/// Interval at which the worker polls for shutdown.
const LOOK: Duration = Duration::from_millis(50);
/// Time that results under way are given when the worker ends.
const LAST_RESULTS: Duration = Duration::from_secs(5);
/// The most results under way at a time; beyond that threads wait.
const MOST_RESULTS: usize = 256;

/// The databases of a worker.
#[derive(Debug, Clone)]
pub struct Databases {
    /// The folder with the databases; the database of the board RxC is in its subfolder RxC.
    pub folder: PathBuf,
    /// Where the values of positions are during a search: in memory or on disk.
    pub room: Room,
    /// Called when a file of a database cannot be read; returns the value to use instead, if any.
    pub on_failure: fn(&StoreError) -> Option<Value>,
}

/// The settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The worker's name: one token of a subject.
    pub name: String,
    /// The number of threads that search.
    pub threads: usize,
    /// The bytes of memory that the worker may use.
    pub memory: u64,
    /// The databases that the worker has.
    pub databases: Databases,
    /// The object store for large results, if there is one.
    pub objects: Option<Objects>,
    /// The output for the worker's messages.
    pub progress: Progress,
}

/// Counts of the work that a worker has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkDone {
    /// The number of items done.
    pub items: u64,
    /// The number of nodes expanded, including those for items that were given back.
    pub nodes: u64,
}

/// The state that threads and tasks share.
struct Shared {
    link: Link,
    settings: WorkerSettings,
    jobs: Mutex<Jobs>,
    leases: Mutex<Leases>,
    /// Notified when an item has come, or when there will be no more.
    ready: Condvar,
    /// Notified when threads wait for items, or when there is a new job.
    demand: Notify,
    /// Bounds the number of results under way.
    results: Arc<Semaphore>,
    is_ending: AtomicBool,
    ending: watch::Sender<bool>,
    items: AtomicU64,
    nodes: AtomicU64,
    runtime: tokio::runtime::Handle,
}

impl Shared {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leases(&self) -> MutexGuard<'_, Leases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }
}

/// Runs a worker until it is stopped.
pub fn run_worker(
    connection: &Connection,
    settings: WorkerSettings,
    is_stopped: &dyn Fn() -> bool,
) -> WorkDone {
    let threads = settings.threads.max(1);
    let progress = settings.progress;
    let shared = Arc::new(Shared {
        link: connection.link.clone(),
        settings,
        jobs: Mutex::default(),
        leases: Mutex::new(Leases::new(threads)),
        ready: Condvar::new(),
        demand: Notify::new(),
        results: Arc::new(Semaphore::new(MOST_RESULTS)),
        is_ending: AtomicBool::new(false),
        ending: watch::Sender::new(false),
        items: AtomicU64::new(0),
        nodes: AtomicU64::new(0),
        runtime: connection.runtime.handle().clone(),
    });
    let name = &shared.settings.name;
    progress.say(format!("worker {name}: {threads} threads, waiting for jobs"));
    let runtime = &connection.runtime;
    let tasks = [
        runtime.spawn(jobs::hear_of_jobs(Arc::clone(&shared))),
        runtime.spawn(leases::take_items(Arc::clone(&shared))),
        runtime.spawn(leases::keep_alive(Arc::clone(&shared))),
        runtime.spawn(beat(Arc::clone(&shared))),
    ];
    let queue = LeaseQueue(Arc::clone(&shared));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&queue, |lease| search(&shared, lease)));
        }
        let bar = progress.start(format!("worker {name}"), 0, "nodes searched");
        let mut shown = 0;
        while !is_stopped() {
            std::thread::sleep(LOOK);
            let nodes = shared.nodes.load(Ordering::Relaxed);
            bar.note(&format!("{} items done", shared.items.load(Ordering::Relaxed)));
            bar.add(nodes - shown);
            shown = nodes;
        }
        bar.finish();
        shared.is_ending.store(true, Ordering::Relaxed);
        shared.ending.send_replace(true);
        shared.leases().close();
        shared.ready.notify_all();
    });
    let deadline = Instant::now() + LAST_RESULTS;
    while shared.leases().holds_any() && Instant::now() < deadline {
        std::thread::sleep(LOOK / 10);
    }
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    runtime.block_on(say_how_it_is(&shared, true));
    connection.flush();
    WorkDone {
        items: shared.items.load(Ordering::Relaxed),
        nodes: shared.nodes.load(Ordering::Relaxed),
    }
}

/// Searches an item.
fn search(shared: &Shared, lease: &FarmLease) -> Work {
    let job = lease.job();
    let known = match Item::lemmas_of(lease.item()) {
        None => None,
        Some((attacker, digest)) => match lemmas::reach(shared, job, attacker, digest) {
            Ok(Some(known)) => Some(known),
            Ok(None) if shared.is_ending() => return Work::Stopped,
            Ok(None) => return Work::Impossible("the job is over".into()),
            Err(why) => return Work::Impossible(why),
        },
    };
    let context = SearchContext { lemmas: known.as_ref().map(|k| k.lemmas()), ..job.context() };
    let Some(item) = Item::decode(lease.item(), &context) else {
        return Work::Impossible("bytes that are no item of this job".into());
    };
    if item.nodes > job.most_nodes || item.table > job.most_table {
        return Work::Impossible("an item that is larger than the job says".into());
    }
    let reported = AtomicU64::new(0);
    let count = |nodes: u64| {
        for counter in [&shared.nodes, &job.nodes, &reported] {
            counter.fetch_add(nodes, Ordering::Relaxed);
        }
    };
    let report = |SearchProgress { nodes, .. }| {
        count(nodes);
        let is_needless = shared.is_ending() || job.is_over();
        if is_needless { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    match Answer::of(&item, &context, &report, None) {
        Some(answer) => {
            count(answer.nodes.saturating_sub(reported.load(Ordering::Relaxed)));
            shared.items.fetch_add(1, Ordering::Relaxed);
            job.items.fetch_add(1, Ordering::Relaxed);
            Work::Done(answer.encode())
        }
        None if shared.is_ending() => Work::Stopped,
        None => Work::Impossible("the job is over".into()),
    }
}

/// Sends the worker's heartbeats until the task is aborted.
async fn beat(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(BEAT).await;
        say_how_it_is(&shared, false).await;
    }
}

async fn say_how_it_is(shared: &Shared, is_leaving: bool) {
    let jobs: Vec<Arc<OpenJob>> = shared.jobs().open().collect();
    for job in jobs {
        let (held, oldest) = shared.leases().held_of(&job);
        let beat = Heartbeat {
            threads: u32::try_from(shared.settings.threads).unwrap_or(u32::MAX),
            held,
            oldest: u64::try_from(oldest.as_millis()).unwrap_or(u64::MAX),
            nodes: job.nodes.load(Ordering::Relaxed),
            items: job.items.load(Ordering::Relaxed),
            is_leaving,
        };
        let subject = heartbeat_subject(&job.name, &shared.settings.name);
        // If this heartbeat is lost, the next one carries the same counts.
        let _ = shared.link.client.publish(subject, encode(&beat).into()).await;
    }
}
