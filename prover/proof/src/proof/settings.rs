//! The settings of a proof, and its surroundings.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::ledger::Ledger;
use super::queue::QueueSource;
use crate::progress::Progress;
use certificate_spec::provenance::Thresholds;

/// The default of the least number of searches of a round.
pub const ROUND: usize = 16;

/// The settings that the proof of a question depends on.
#[derive(Debug, Clone)]
pub struct ProofSettings {
    /// The budget of a leaf search, in nodes.
    pub leaf_nodes: u64,
    /// The bytes that the table of a leaf search may grow to.
    pub leaf_table: u64,
    /// The least number of searches of a round. The proof that is found depends on it, and at first
    /// at most this number of workers are busy.
    pub round: usize,
    /// Threads of a leaf search, which share its table. With more than one, the proof depends on
    /// their timing.
    pub leaf_threads: u32,
    /// Whether the tree follows lines of play, with budgets that grow, in place of leaves with a
    /// budget of `leaf_nodes`. It is for questions that take hours, and knows no thresholds.
    pub lines: Option<LineSettings>,
    /// The budget of all searches together, in nodes; no limit if `None`.
    pub max_nodes: Option<u64>,
    /// The thresholds, for a proof that begins with likely results.
    pub thresholds: Option<Thresholds>,
}

/// The settings of a proof whose tree follows lines of play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSettings {
    /// The greatest length of a line, in plies from the start.
    pub plies: usize,
    /// The nodes of the alpha-beta analysis that chooses a move.
    pub analysis_nodes: u64,
    /// The budget of the first search of a position at the end of a line, in nodes.
    pub first_budget: u64,
}

impl Default for LineSettings {
    /// Lines of 8 plies, analyses of 10 to 30 seconds, and searches of two minutes and more.
    fn default() -> Self {
        LineSettings { plies: 8, analysis_nodes: 8_000_000, first_budget: 50_000_000 }
    }
}

/// Returns whether a proof is to end.
pub type IsStopped<'a> = dyn Fn() -> bool + Sync + 'a;

/// The surroundings of a proof. They affect its cost only, not its result.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The ledger that known results come from and new ones go to.
    pub ledger: &'a Ledger,
    /// The workers that do the searches.
    pub workers: &'a Workers,
    /// Polled during the proof: whether it is to end.
    pub is_stopped: &'a IsStopped<'a>,
    /// The output for progress messages.
    pub progress: &'a Progress,
}

/// The workers that do the searches.
#[derive(Debug)]
pub enum Workers {
    /// Threads of this process.
    Threads(Threads),
    /// Workers outside of this process.
    Farm(Arc<dyn QueueSource>),
}

impl Workers {
    /// Threads of this process, at least one.
    pub fn threads(number: usize) -> Self {
        let number = number.max(1);
        Workers::Threads(Threads { number, free: Mutex::new(number), changed: Condvar::new() })
    }

    /// Whether there is a single worker, so that questions are asked one after the other.
    pub(super) fn is_single(&self) -> bool {
        matches!(self, Workers::Threads(Threads { number: 1, .. }))
    }
}

/// A number of threads that the questions of a start share.
#[derive(Debug)]
pub struct Threads {
    number: usize,
    free: Mutex<usize>,
    changed: Condvar,
}

/// A thread that is busy; it is free again when this is dropped.
pub(super) struct BusyThread<'a>(&'a Threads);

impl Threads {
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Waits until a thread is free, and takes it.
    pub(super) fn take(&self) -> BusyThread<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.changed.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        BusyThread(self)
    }
}

impl Drop for BusyThread<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.changed.notify_one();
    }
}
