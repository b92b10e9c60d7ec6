//! The progress of a search.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::numbers::ProofNumbers;
use crate::board::Position;

/// The progress of a search while it is under way.
#[derive(Debug, Clone, Copy)]
pub struct SearchProgress {
    /// Nodes that were expanded since the last report.
    pub nodes: u64,
    /// Nodes that were expanded before this search went on from where it was kept: reported once.
    pub before: u64,
    /// The numbers of the root, while there is a path from it.
    pub root: Option<ProofNumbers>,
    /// The successor of the root below which the search is, and its numbers.
    pub below: Option<(Position, ProofNumbers)>,
    /// The number of positions on the path.
    pub depth: usize,
    /// Look-ups of successors in the database so far; of several threads, those of one.
    pub probes: Probes,
    /// The size of the table, and what it may grow to, in bytes.
    pub table: (u64, u64),
}

/// Gets the reports of a search, and says whether it is to go on.
pub type ProgressCallback<'a> = dyn Fn(SearchProgress) -> ControlFlow<()> + Sync + 'a;

/// The numbers of look-ups of successors in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Probes {
    /// Successors that were looked up.
    pub looked_up: u64,
    /// The number of successors that the database knew.
    pub known: u64,
}

impl Probes {
    /// The percentage of look-ups whose value the database has.
    pub(crate) fn percent_known(self) -> f64 {
        100.0 * self.known as f64 / self.looked_up.max(1) as f64
    }
}
