//! The settings of a worker, and the state that its threads and tasks share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use draughtproof_proof::prepare_database::Room;
use draughtproof_proof::progress::Progress;
use tokio::sync::{Notify, Semaphore, watch};

use super::jobs::Jobs;
use super::leases::Leases;
use crate::connection::Link;
use crate::egdb::StoreError;
use crate::objects::Objects;

/// The databases of a worker.
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
