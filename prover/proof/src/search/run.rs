//! The limits, reports and checkpoints of a run of a search.

use super::checkpoint::Checkpoint;
use super::closed_set::Failures;
use super::descent::{Control, Counters, Descent, ProgressCallback, SearchProgress};
use super::path::WirePath;
use super::table::{Table, TableHead};
use serde::{Deserialize, Serialize};

/// The settings of a run.
#[derive(Default)]
pub(super) struct Run<'a> {
    pub(super) callback: Option<&'a ProgressCallback<'a>>,
    pub(super) checkpoint: Option<Checkpoint<'a>>,
    /// The number of nodes at which it ends, while there is one.
    pub(super) end: Option<u64>,
    /// Nodes of what was kept that were not reported.
    pub(super) nodes_before: u64,
    pub(super) is_stopped: bool,
    /// The results of closures: part of what is kept.
    pub(super) failures: Failures,
}

impl Run<'_> {
    pub(super) fn is_over(&self, nodes: u64) -> bool {
        self.end.is_some_and(|end| nodes >= end) || self.is_stopped
    }

    /// Reports what was not reported yet.
    pub(super) fn report(&mut self, descent: &mut Descent<'_>, table: &Table) {
        self.is_stopped |= descent.goal.database.has_failed();
        if let Some(callback) = self.callback {
            let before = std::mem::take(&mut self.nodes_before);
            let progress = SearchProgress { before, ..descent.progress(table) };
            self.is_stopped |= callback(progress).is_break();
        }
        descent.counters.reported = descent.counters.nodes;
    }

    /// Whether it is time to write the search down.
    pub(super) fn is_to_keep(&self) -> bool {
        self.checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.is_due(self.is_stopped))
    }

    /// Writes the search down, if it is time to.
    pub(super) fn keep(&mut self, descent: &Descent<'_>, table: &Table) {
        if self.is_to_keep() {
            self.write(descent, table);
        }
    }

    /// Writes the search down when its budget is spent, if it is worth it.
    pub(super) fn keep_at_end(&mut self, descent: &Descent<'_>, table: &Table) {
        if self.checkpoint.as_ref().is_some_and(Checkpoint::is_due_at_end) {
            self.write(descent, table);
        }
    }

    fn write(&mut self, descent: &Descent<'_>, table: &Table) {
        // After a failed look-up the search is not the one that an undamaged database gives.
        if descent.goal.database.has_failed() {
            return;
        }
        let Run { failures, is_stopped, .. } = *self;
        let counters = descent.counters;
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.keep(counters.nodes, is_stopped, |out| {
                let table_head = table.head();
                out.write_head(&SearchHead {
                    counters,
                    failures,
                    path: descent.path.to_wire(),
                    table: table_head,
                })?;
                descent.learned.write(out)?;
                table.write(out)
            });
        }
    }
}

impl Control<Table> for Run<'_> {
    fn is_over(&self, nodes: u64) -> bool {
        Run::is_over(self, nodes)
    }

    fn report(&mut self, descent: &mut Descent<'_>, table: &mut Table) {
        Run::report(self, descent, table);
        self.keep(descent, table);
    }

    /// The table is spent, which ends the search.
    fn stop_for_room(&mut self) {}
}

/// The head of a search in its file; the table and what the search has learned follow it.
#[derive(Serialize, Deserialize)]
pub(super) struct SearchHead {
    pub(super) counters: Counters,
    pub(super) failures: Failures,
    pub(super) path: WirePath,
    pub(super) table: TableHead,
}
