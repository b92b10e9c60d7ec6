//! The settings of a proof, and its surroundings.

use certificate_spec::provenance::Thresholds;

use super::ledger::Ledger;
use super::workers::Workers;
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
