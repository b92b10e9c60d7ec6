//! One thread of a search: it goes down from the root to the position that the numbers lead to,
//! and comes back with the result.
//!
//! With a table of its own it is df-pn as it is. In a table that it shares with others it sees
//! which positions they are at, and takes those for harder than they are when it chooses (virtual
//! proof numbers, Kaneko 2010), so that it goes elsewhere. Its path is its own: that another thread
//! has a position on its path says nothing of a repetition.

use super::checkpoint::Checkpoint;
use super::closed_set::Failures;
use super::estimate::Goal;
use super::learned_estimate::LearnedEstimate;
use super::numbers::{INFINITE, NodeBackup, Outcome, ProofNumbers};
use super::path::{Child, Path, Seen, WirePath};
use super::slot::{Key, Known};
use super::table::{Positions, Table, TableHead};
use crate::board::Position;
use serde::{Deserialize, Serialize};
use std::ops::{AddAssign, ControlFlow};

/// Nodes between two reports of progress.
const REPORT_INTERVAL: u64 = 1 << 14;
/// Nodes after which a thread looks whether another one has decided a position of its path.
const LOOK_UP_INTERVAL: u64 = 1 << 8;
/// The most positions for each node, on average, that are decided by their captures: a bound on the
/// table. It is one or fewer in most searches.
pub(super) const DECIDED_BY_CAPTURES: u64 = 4;

/// The counters of a thread.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Counters {
    /// Positions that were expanded.
    pub(super) nodes: u64,
    pub(super) reported: u64,
    /// Look-ups in the database.
    pub(super) probes: Probes,
    /// Positions that were decided by their captures.
    pub(super) decided_by_captures: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.nodes += other.nodes;
        self.reported += other.reported;
        self.probes.looked_up += other.probes.looked_up;
        self.probes.known += other.probes.known;
        self.decided_by_captures += other.decided_by_captures;
    }
}

/// Working memory for the successors of a position, and their keys with what is known of them
/// without a search.
type Successors = (Vec<Position>, Vec<(Key, Option<bool>)>);

/// The place of a thread in the tree, and its counters.
pub(super) struct Descent<'a> {
    pub(super) goal: Goal<'a>,
    pub(super) learned: LearnedEstimate,
    pub(super) path: Path,
    pub(super) counters: Counters,
    /// The length of the path up to a position that another thread has decided.
    cut: usize,
    /// For each of the positions under way whose captures are looked at.
    buffers: Vec<Successors>,
}

/// Says when a thread is to come back to the root.
pub(super) trait Control<T> {
    /// Whether the thread, which has expanded `nodes` nodes, is to come back at once.
    fn is_over(&self, nodes: u64) -> bool;
    /// Hears of it from time to time.
    fn report(&mut self, descent: &mut Descent<'_>, table: &mut T);
    /// The table had no room.
    fn stop_for_room(&mut self);
}

impl<'a> Descent<'a> {
    /// A thread at the root, with no path.
    pub(super) fn new(goal: Goal<'a>, learned: LearnedEstimate) -> Self {
        Descent {
            goal,
            learned,
            path: Path::default(),
            counters: Counters::default(),
            cut: usize::MAX,
            buffers: Vec::new(),
        }
    }

    /// The thread at the place and with the counters of a checkpoint.
    pub(super) fn with(self, path: Path, counters: Counters) -> Self {
        Descent { path, counters, ..self }
    }

    /// Searches, from where it is, until the root is proved, or disproved if only tentatively, or
    /// the search has to end.
    pub(super) fn run<T: Positions>(
        &mut self,
        root: &Position,
        table: &mut T,
        control: &mut impl Control<T>,
    ) -> Outcome {
        if self.path.is_empty() {
            let key = table.table().key(root);
            if !self.enter(root, key, ProofNumbers::UNLIMITED, None, table) {
                control.stop_for_room();
                return Outcome::of(self.see(root, key, table).numbers);
            }
        }
        loop {
            let Counters { nodes, reported, .. } = self.counters;
            if nodes - reported >= REPORT_INTERVAL {
                control.report(self, table);
            }
            let Some(frame) = self.path.last() else { unreachable!("the root returns below") };
            let is_or = self.goal.is_or(&frame.position);
            let limits = frame.limits;
            let children = self.path.children();
            let backup = NodeBackup::new(
                self.goal.backup_rule(),
                is_or,
                children.iter().map(|child| child.seen.numbers),
            );
            let is_over =
                control.is_over(nodes) || self.path.length() > self.cut || table.table().is_over();
            if backup.is_enough(limits) || is_over {
                let outcome = self.leave(&backup, table);
                if self.path.is_empty() {
                    return outcome;
                }
                continue;
            }
            // The best child, unless other threads are there and another one will do, too.
            let chosen = if T::IS_SHARED {
                NodeBackup::new(
                    self.goal.backup_rule(),
                    is_or,
                    children.iter().map(|child| child.seen.guide),
                )
                .best
            } else {
                backup.best
            };
            let Child { position, key, seen, estimate } = children[chosen];
            // It may have been decided on another way since its numbers were taken, or another
            // thread may be there.
            if let Some(now) = self.see_in_table(&position, key, table)
                && (now.numbers.is_decided() || T::IS_SHARED && now != seen)
            {
                self.path.set_seen(chosen, now);
                continue;
            }
            let limits = if chosen == backup.best {
                backup.limits(is_or, limits)
            } else {
                backup.limits_beside(is_or, limits, seen.numbers)
            };
            self.path.set_searched(chosen);
            if !self.enter(&position, key, limits, estimate, table) {
                control.stop_for_room();
            }
        }
    }

    pub(super) fn leave_all<T: Positions>(&mut self, table: &mut T) {
        while let Some(frame) = self.path.last() {
            let is_or = self.goal.is_or(&frame.position);
            let children = self.path.children().iter();
            let backup = NodeBackup::new(
                self.goal.backup_rule(),
                is_or,
                children.map(|child| child.seen.numbers),
            );
            self.leave(&backup, table);
        }
    }

    /// Returns the progress that was not reported yet.
    pub(super) fn progress(&self, table: &Table) -> SearchProgress {
        let Counters { nodes, reported, probes, .. } = self.counters;
        let (root, below) = self.path.root_numbers(&self.goal);
        SearchProgress {
            nodes: nodes - reported,
            before: 0,
            root,
            below,
            depth: self.path.length(),
            probes,
            table: (table.bytes(), table.limit()),
        }
    }

    /// Puts a position on the path, with its children. Returns whether there is room for it in the
    /// table.
    fn enter<T: Positions>(
        &mut self,
        position: &Position,
        key: Key,
        limits: ProofNumbers,
        estimate: Option<ProofNumbers>,
        table: &mut T,
    ) -> bool {
        if !table.enter(key) {
            return false;
        }
        self.path.push(*position, key, limits, estimate, self.counters.nodes);
        self.counters.nodes += 1;
        self.add_successors(position, table);
        if T::IS_SHARED && self.counters.nodes.is_multiple_of(LOOK_UP_INTERVAL) {
            let is_decided = |key| {
                table.look_up(key).is_some_and(|slot| !matches!(slot.known(), Known::Open(_)))
            };
            self.cut = self.path.keys().position(is_decided).unwrap_or(usize::MAX);
        }
        true
    }

    /// Adds the successors of a position to the children that are there, with their numbers.
    fn add_successors<T: Positions>(&mut self, position: &Position, table: &mut T) {
        let (mut successors, mut keys) = self.buffers.pop().unwrap_or_default();
        self.goal.board.successors(position, &mut successors);
        keys.clear();
        keys.extend(successors.iter().map(|s| (Key::of(self.goal.board, s), None)));
        // The processor translates addresses side by side if requests follow each other at once.
        for (s, &(key, _)) in successors.iter().zip(&keys) {
            if !self.goal.database.covers(s) {
                table.table().fetch(key);
            }
        }
        // The look-ups in the database go on while the table's lines come from memory.
        for (s, (_, known)) in successors.iter().zip(&mut keys) {
            *known = self.goal.known(s);
        }
        for (s, &(key, known)) in successors.iter().zip(&keys) {
            self.counters.probes.looked_up += 1;
            self.counters.probes.known += u64::from(known.is_some());
            let mut estimate = None;
            let seen = match known {
                Some(won) => Seen::alone(ProofNumbers::of(won)),
                None => match self.see_in_table(s, key, table) {
                    Some(seen) => seen,
                    None if self.is_to_capture(s, table) => {
                        Seen::alone(self.quiesce(s, key, table))
                    }
                    None => {
                        let numbers = self.goal.estimate(s);
                        estimate = Some(numbers);
                        self.corrected(s, numbers)
                    }
                },
            };
            self.path.add_child(Child { position: *s, key, seen, estimate });
        }
        self.buffers.push((successors, keys));
    }

    /// Whether captures are to say what the numbers of a position are that is not in the table.
    fn is_to_capture<T: Positions>(&self, position: &Position, table: &mut T) -> bool {
        self.goal.board.can_capture(position)
            && !table.table().is_spent()
            && self.counters.decided_by_captures < self.counters.nodes * DECIDED_BY_CAPTURES
    }

    /// The numbers of a position in which there are captures and which is not in the table. It goes
    /// there if they decide it.
    fn quiesce<T: Positions>(
        &mut self,
        position: &Position,
        key: Key,
        table: &mut T,
    ) -> ProofNumbers {
        let mark = self.path.mark();
        self.add_successors(position, table);
        let backup = self.path.take_from(mark, self.goal.backup_rule(), self.goal.is_or(position));
        if backup.numbers.is_decided() {
            self.counters.decided_by_captures += 1;
            let found = table.stamp(backup.outcome());
            table.note(key, found);
        }
        backup.numbers
    }

    /// Returns the view of a position that the database does not know.
    pub(super) fn see<T: Positions>(&self, position: &Position, key: Key, table: &mut T) -> Seen {
        let seen = self.see_in_table(position, key, table);
        seen.unwrap_or_else(|| self.corrected(position, self.goal.estimate(position)))
    }

    /// Returns the view of a position that was never searched: its estimate, with what was learned.
    fn corrected(&self, position: &Position, estimate: ProofNumbers) -> Seen {
        Seen::alone(self.learned.corrected(self.goal.board, position, estimate))
    }

    /// Returns the view of a position that is in the table.
    fn see_in_table<T: Positions>(
        &self,
        position: &Position,
        key: Key,
        table: &mut T,
    ) -> Option<Seen> {
        let slot = table.look_up(key)?;
        let threads = slot.threads();
        // To go round in a circle is not to win.
        if threads > 0 && self.path.contains(key) {
            return Some(Seen::alone(ProofNumbers::DISPROVED));
        }
        let numbers = match slot.known() {
            Known::Proved(_) => ProofNumbers::PROVED,
            Known::TentativelyDisproved | Known::Visited(_) | Known::Disproved => {
                ProofNumbers::DISPROVED
            }
            Known::Open(numbers) => numbers,
        };
        let mut guide = numbers;
        if T::IS_SHARED && !numbers.is_decided() {
            // The numbers by which the position above chooses.
            let number =
                if self.goal.is_or(position) { &mut guide.disproof } else { &mut guide.proof };
            let more = threads.saturating_mul(*number / 4 + 1);
            *number = number.saturating_add(more).min(INFINITE - 1);
        }
        Some(Seen { numbers, guide })
    }

    /// Takes the last position off the path, and stores what was found of it. The time of a proof
    /// is taken here, after the children were read, so it is later than that of each child it rests
    /// on.
    fn leave<T: Positions>(&mut self, backup: &NodeBackup, table: &mut T) -> Outcome {
        let Some(frame) = self.path.last() else { unreachable!("there is one") };
        let key = frame.key;
        let position = frame.position;
        let estimate = frame.estimate;
        let nodes = self.counters.nodes - frame.nodes_before;
        let found = table.stamp(backup.outcome());
        let numbers = match table.leave(key, found, nodes) {
            // Another thread knows better.
            Known::Proved(_) => ProofNumbers::PROVED,
            Known::TentativelyDisproved | Known::Disproved => ProofNumbers::DISPROVED,
            Known::Open(_) | Known::Visited(_) => backup.numbers,
        };
        self.path.pop(numbers);
        if self.path.length() <= self.cut {
            self.cut = usize::MAX;
        }
        let estimate = estimate.unwrap_or_else(|| self.goal.estimate(&position));
        self.learned.learn(self.goal.board, &position, estimate, numbers);
        Outcome::of(numbers)
    }
}

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
