//! A worker: takes items of the jobs that it has the databases for, searches them, and sends the
//! results.
//!
//! Threads search; tasks of the connection take items, renew their leases, and send results. An
//! item is acknowledged when the broker has its result. A worker that ends gives back the items
//! that it has not done.

mod announcements;
mod items;
mod shared;

pub use self::shared::{Databases, WorkerSettings};

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use self::items::LeaseQueue;
use self::shared::Shared;
use super::FarmError;
use super::connection::Connection;
use super::stream::heartbeat_subject;
use super::wire::{Heartbeat, encode};
use crate::egdb::numbers::counted;
use draughtproof_proof::proof::work;
use items::search;
use shared::{Leases, OpenJob};
use tokio::sync::{Notify, Semaphore, watch};

/// Interval between heartbeats of the worker.
const BEAT: Duration = Duration::from_secs(1);
/// Interval at which the worker polls for shutdown.
const LOOK: Duration = Duration::from_millis(50);
/// Time that results under way are given when the worker ends.
const LAST_RESULTS: Duration = Duration::from_secs(5);
/// The most results under way at a time; beyond that threads wait.
const MOST_RESULTS: usize = 256;

/// Counts of the work that a worker has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkDone {
    pub items: u64,
    /// The number of nodes expanded, including those for items that were given back.
    pub nodes: u64,
}

/// Runs a worker until it is stopped.
///
/// # Errors
/// [`FarmError::NotOfLogin`] when the broker does not allow its login to use its name;
/// [`FarmError::Database`] when a file of a database cannot be read or is damaged.
pub fn run_worker(
    connection: &Connection,
    settings: WorkerSettings,
    is_stopped: &dyn Fn() -> bool,
) -> Result<WorkDone, FarmError> {
    connection.check_name(&settings.name)?;
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
        fault: Mutex::default(),
        ending: watch::Sender::new(false),
        items: AtomicU64::new(0),
        nodes: AtomicU64::new(0),
        runtime: connection.runtime.handle().clone(),
    });
    let name = &shared.settings.name;
    let running = counted(threads, "thread");
    progress.say(format!("worker {name}: {running}, waiting for jobs"));
    let runtime = &connection.runtime;
    let tasks = [
        runtime.spawn(announcements::receive_announcements(Arc::clone(&shared))),
        runtime.spawn(items::take_items(Arc::clone(&shared))),
        runtime.spawn(items::keep_alive(Arc::clone(&shared))),
        runtime.spawn(send_heartbeats(Arc::clone(&shared))),
    ];
    let queue = LeaseQueue(Arc::clone(&shared));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&queue, |lease| search(&shared, lease)));
        }
        let bar = progress.start(format!("worker {name}"), 0, "node");
        let mut shown = 0;
        let has_fault = || shared.fault().is_some();
        while !is_stopped() && shared.link.denied.borrow().is_none() && !has_fault() {
            std::thread::sleep(LOOK);
            let nodes = shared.nodes.load(Ordering::Relaxed);
            bar.note(&format!("{} done", counted(shared.items.load(Ordering::Relaxed), "item")));
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
    runtime.block_on(send_heartbeat(&shared, true));
    connection.flush();
    connection.denial(&shared.settings.name)?;
    if let Some(fault) = shared.fault().take() {
        return Err(FarmError::Database(fault));
    }
    Ok(WorkDone {
        items: shared.items.load(Ordering::Relaxed),
        nodes: shared.nodes.load(Ordering::Relaxed),
    })
}

/// Sends the worker's heartbeats until the task is aborted.
async fn send_heartbeats(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(BEAT).await;
        send_heartbeat(&shared, false).await;
    }
}

async fn send_heartbeat(shared: &Shared, is_leaving: bool) {
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
