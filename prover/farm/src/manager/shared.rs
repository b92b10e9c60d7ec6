//! The state that the manager and the tasks of its connection share.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::state::State;
use crate::connection::Link;
use crate::manager::state::MOST_WRONG;
use crate::objects::Objects;
use crate::wire::{Announcement, JobContext};
use async_nats::jetstream::message::Acker;
use certificate_spec::Digest;
use tokio::sync::Notify;

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
