//! The announced jobs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use certificate_spec::Digest;
use draughtproof_proof::proof::SearchContext;

use crate::board::Board;
use crate::egdb::Values;
use crate::wire::JobContext;

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

    /// Ends a job.
    pub(super) fn end(&mut self, name: &str) {
        if let Some(Job { state: JobState::Open(job), .. }) = self.all.remove(name) {
            job.is_over.store(true, Ordering::Relaxed);
        }
    }
}
