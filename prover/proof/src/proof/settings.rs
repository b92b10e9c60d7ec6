//! The settings of a proof, and its surroundings.

use certificate_spec::provenance::Thresholds;

use super::ledger::Ledger;
use super::workers::Workers;
use crate::board::Position;
use crate::progress::Progress;

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
    /// Whether searches use what those of earlier rounds have decided: all positions of their
    /// strategies. It cannot be combined with thresholds.
    pub lemmas: bool,
    /// The budget of all searches together, in nodes; no limit if `None`.
    pub max_nodes: Option<u64>,
    /// The thresholds, for a proof that begins with likely results.
    pub thresholds: Option<Thresholds>,
    /// Positions of a line of play from the start. The last one is decided first, then the one
    /// before it, and so on.
    pub seed: Vec<Position>,
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
