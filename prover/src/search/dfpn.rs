//! Df-pn⁺: does one side, the *attacker*, win from here? (Nagai 2002; the "+" are proof and
//! disproof numbers that begin with a heuristic estimate.)
//!
//! A *proof* is a win for the attacker, a *disproof* shows that the other side, the *defender*,
//! does not lose. The attacker's positions are Or nodes, the defender's And nodes.
//!
//! **Repetition.** A position that is already on the path is not won by going round: for the
//! position below it counts as disproved. But a disproof that leaned on this holds only *if* that
//! position on the path is disproved in the end, and to take it for one that holds outright is the
//! mistake (the graph-history interaction, Kishimoto and Müller 2004) that makes plain df-pn answer
//! with no proof to show. Here such a disproof is stored, used everywhere, and only *tentative*.
//! Proofs never lean on a disproof, so they hold; but when the root is disproved,
//! [`find_closed_set`] looks for the greatest closed set among what is tentatively disproved
//! (`SPEC.md` §2: a set of positions in which the defender can stay, or leave it for one that is
//! known not to be lost). What is in it is disproved for good, by the theorem that a closed set is
//! not lost, whatever the paths were on which it was found. What is not is open again, and if the
//! root is among that the search goes on. Each time there is less to find out: a disproof that fell
//! leaned on a position that turned out to be won or was left undecided, and is now searched from
//! elsewhere. Where tracking what each disproof leans on goes over the same positions again and
//! again on other paths, this takes no longer than plain df-pn and some dozens of closures.
//!
//! **Captures.** Where the side to move has to capture, the numbers come from what the captures
//! lead to, and so on until nothing can be captured (quiescence search). Most such positions are
//! decided by that, in the database, and go into the table; without it each would cost a node as
//! soon as the search came to it.

use std::io;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::backup::NodeBackup;
use super::checkpoint::{Checkpoint, Input, Output};
use super::closed_set::{Failures, find_closed_set};
use super::estimate::Goal;
use super::extract::{Extracted, extract};
use super::learned_estimate::LearnedEstimate;
use super::numbers::{INFINITE, Outcome, ProofNumbers};
use super::path::{Child, Path, WirePath};
use super::strategy::{PackedStrategy, Strategy, StrategyError};
use super::table::{Key, Known, MOST_PROOFS, SlotId, Table, TableHead};
use crate::board::Position;

/// Progress is reported after so many nodes.
const REPORT_INTERVAL: u64 = 1 << 14;
/// The most positions for each node, on average, that are decided by their captures: a bound on the
/// table. It is one or fewer in most searches.
const DECIDED_BY_CAPTURES: u64 = 4;

/// What a search reports while it is under way.
#[derive(Debug, Clone, Copy)]
pub struct SearchProgress {
    /// Nodes that were expanded since the last report.
    pub nodes: u64,
    /// Nodes that were expanded before this search went on from where it was kept: reported once.
    pub before: u64,
    /// The numbers of the root, while there is a path from it.
    pub root: Option<ProofNumbers>,
}

/// Gets the reports of a search, and says whether it is to go on.
pub type ProgressCallback<'a> = dyn Fn(SearchProgress) -> ControlFlow<()> + Sync + 'a;

/// How often successors were looked up in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Probes {
    /// Successors that were looked up.
    pub looked_up: u64,
    /// Those of them that the database knew.
    pub known: u64,
}

/// Working memory for the successors of a position and their keys.
type Successors = (Vec<Position>, Vec<Key>);

/// A search for one attacker, with its transposition table.
pub struct Search<'a> {
    goal: Goal<'a>,
    table: Table,
    callback: Option<&'a ProgressCallback<'a>>,
    checkpoint: Option<Checkpoint<'a>>,
    nodes: u64,
    /// The number of nodes at which a run ends, while there is one.
    end: Option<u64>,
    /// Nodes that were reported.
    reported_nodes: u64,
    /// Nodes of what was kept that were not reported.
    nodes_before: u64,
    is_stopped: bool,
    probes: Probes,
    /// The number of proofs so far, the time of a proof.
    proofs: u64,
    failures: Failures,
    learned: LearnedEstimate,
    /// The number of positions decided by their captures.
    decided_by_captures: u64,
    path: Path,
    /// For each of the positions under way whose captures are looked at.
    buffers: Vec<Successors>,
}

impl<'a> Search<'a> {
    /// A search with an empty table that may grow to so many bytes.
    pub fn new(goal: Goal<'a>, table_bytes: u64) -> Self {
        Search {
            goal,
            table: Table::new(goal.board, table_bytes),
            callback: None,
            checkpoint: None,
            nodes: 0,
            end: None,
            reported_nodes: 0,
            nodes_before: 0,
            is_stopped: false,
            probes: Probes::default(),
            proofs: 0,
            failures: Failures::default(),
            learned: LearnedEstimate::new(),
            decided_by_captures: 0,
            path: Path::default(),
            buffers: Vec::new(),
        }
    }

    /// The most bytes that the table of a search of so many nodes can take.
    pub fn most_bytes(nodes: u64) -> u64 {
        Table::most_bytes(nodes.saturating_mul(1 + DECIDED_BY_CAPTURES))
    }

    /// The search, which reports its progress.
    pub fn with_progress(self, callback: &'a ProgressCallback<'a>) -> Self {
        Search { callback: Some(callback), ..self }
    }

    /// The search, kept in a file while it is under way; it goes on from there if it was kept
    /// before.
    pub fn with_checkpoint(mut self, checkpoint: Checkpoint<'a>) -> Self {
        let mut found = Search::new(self.goal, self.table.limit());
        if checkpoint.restore(|input| found.read(input)) {
            self = Search { callback: self.callback, nodes_before: found.nodes, ..found };
        }
        Search { checkpoint: Some(checkpoint), ..self }
    }

    /// Whether the callback has stopped the search.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Positions expanded so far, each time counted; not those that were looked at for their
    /// captures.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Look-ups of successors in the database.
    pub fn probes(&self) -> Probes {
        self.probes
    }

    /// Searches `root` until it is decided, `budget` nodes have been expanded, the table is full of
    /// decided positions or the callback stops it.
    pub fn run(&mut self, root: &Position, budget: u64) -> Outcome {
        if let Some(won) = self.goal.known(root) {
            return if won { Outcome::Proved } else { Outcome::Disproved };
        }
        self.end.get_or_insert(self.nodes.saturating_add(budget));
        if self.nodes_before > 0 {
            self.report();
        }
        let outcome = loop {
            let outcome = match Outcome::of(self.numbers(root)) {
                // It was kept on its way.
                _ if !self.path.is_empty() => self.descend(root),
                Outcome::Unknown(numbers) if self.is_over() => Outcome::Unknown(numbers),
                Outcome::Unknown(_) => self.descend(root),
                decided => decided,
            };
            self.report();
            if outcome != Outcome::Disproved || self.holds(root) {
                break outcome;
            }
            self.keep();
        };
        self.end = None;
        outcome
    }

    /// The strategy that decided `root`, replayed: the attacker's if it wins, else the defender's.
    ///
    /// # Errors
    /// [`StrategyError`] if the root is not decided, or the table does not hold a strategy
    /// that stands up to its replay.
    pub fn strategy(&self, root: &Position) -> Result<PackedStrategy, StrategyError> {
        let Extracted { is_win, choices } = extract(&self.goal, &self.table, root)?;
        let strategy = Strategy::new(choices);
        let leaf = self.goal.replay(is_win).pack(&strategy, root, |_| false)?;
        Ok(PackedStrategy { is_win, leaf })
    }

    /// The proof and disproof numbers of the successors of a position, in canonical order: as far
    /// as the table has them, else as estimated.
    pub fn successor_numbers(&self, position: &Position) -> Vec<ProofNumbers> {
        let mut successors = Vec::new();
        self.goal.board.successors(position, &mut successors);
        let numbers = |s: &Position| match self.table.find(s).map(|at| self.table.known(at)) {
            Some(Known::Open(numbers)) => numbers,
            _ => self.goal.estimate(s),
        };
        successors.iter().map(numbers).collect()
    }

    /// Whether the disproof of the root holds outright.
    fn holds(&mut self, root: &Position) -> bool {
        find_closed_set(&self.goal, &mut self.table, &mut self.failures, self.proofs, root)
    }

    /// Whether the search has to end.
    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.nodes >= end)
            || self.is_stopped
            || self.table.is_spent()
            // What is on the path can still be proved.
            || self.proofs >= MOST_PROOFS / 2
    }

    fn report(&mut self) {
        if let Some(callback) = self.callback {
            let nodes = self.nodes - self.reported_nodes;
            let before = std::mem::take(&mut self.nodes_before);
            let root = self.path.root_numbers(&self.goal);
            let progress = SearchProgress { nodes, before, root };
            self.is_stopped = callback(progress).is_break();
        }
        self.reported_nodes = self.nodes;
    }

    /// Writes the search down, if it is time to.
    fn keep(&mut self) {
        if let Some(mut checkpoint) = self.checkpoint.take() {
            if checkpoint.is_due(self.is_stopped) {
                checkpoint.keep(self.nodes, self.is_stopped, |out| self.write(out));
            }
            self.checkpoint = Some(checkpoint);
        }
    }

    /// Searches, from where it is, until the root is proved, or disproved if only tentatively, or
    /// the search has to end.
    fn descend(&mut self, root: &Position) -> Outcome {
        if self.path.is_empty() {
            self.enter(root, self.table.key(root), ProofNumbers::UNLIMITED);
        }
        loop {
            if self.nodes - self.reported_nodes >= REPORT_INTERVAL {
                self.report();
                self.keep();
            }
            let Some(frame) = self.path.last() else { unreachable!("the root returns below") };
            let (is_or, limits) = (self.goal.is_or(&frame.position), frame.limits);
            let children = self.path.children();
            let backup = NodeBackup::new(is_or, children.iter().map(|child| child.numbers));
            if backup.is_enough(limits) || self.is_over() {
                self.leave(&backup);
                if self.path.is_empty() {
                    return backup.outcome();
                }
                continue;
            }
            let Child { position, key, .. } = children[backup.best];
            // It may have been decided on another way since its numbers were taken.
            let now = self.numbers_by_key(&position, key);
            if now.is_decided() {
                self.path.set_numbers(backup.best, now);
                continue;
            }
            self.path.set_searched(backup.best);
            self.enter(&position, key, backup.limits(is_or, limits));
        }
    }

    /// Puts a position on the path, with its children.
    fn enter(&mut self, position: &Position, key: Key, limits: ProofNumbers) {
        let at = self.table.enter(key);
        self.table.set(at, Known::OnPath);
        self.path.push(*position, key, limits, self.nodes);
        self.nodes += 1;
        self.add_successors(position);
    }

    /// Adds the successors of a position to the children that are there, with their numbers.
    fn add_successors(&mut self, position: &Position) {
        let (mut successors, mut keys) = self.buffers.pop().unwrap_or_default();
        self.goal.board.successors(position, &mut successors);
        keys.clear();
        keys.extend(successors.iter().map(|s| self.table.key(s)));
        self.table.fetch(&keys);
        for (s, &key) in successors.iter().zip(&keys) {
            let known = self.goal.known(s);
            self.probes.looked_up += 1;
            self.probes.known += u64::from(known.is_some());
            let numbers = match known {
                Some(won) => ProofNumbers::of(won),
                None if self.is_to_capture(s, key) => self.quiesce(s, key),
                None => self.numbers_by_key(s, key),
            };
            self.path.add_child(Child { position: *s, key, numbers });
        }
        self.buffers.push((successors, keys));
    }

    /// Whether captures are to say what the numbers of a position are.
    fn is_to_capture(&self, position: &Position, key: Key) -> bool {
        self.goal.board.can_capture(position)
            && self.table.find_key(key).is_none()
            && !self.table.is_spent()
            && self.decided_by_captures < self.nodes * DECIDED_BY_CAPTURES
    }

    /// The numbers of a position in which there are captures and which is not in the table. It goes
    /// there if they decide it.
    fn quiesce(&mut self, position: &Position, key: Key) -> ProofNumbers {
        let mark = self.path.mark();
        self.add_successors(position);
        let backup = self.path.take_from(mark, self.goal.is_or(position));
        if backup.numbers.is_decided() {
            self.decided_by_captures += 1;
            let at = self.table.enter(key);
            self.store(at, &backup);
        }
        backup.numbers
    }

    /// The numbers of a position that the database does not know.
    fn numbers(&self, position: &Position) -> ProofNumbers {
        self.numbers_by_key(position, self.table.key(position))
    }

    fn numbers_by_key(&self, position: &Position, key: Key) -> ProofNumbers {
        match self.table.find_key(key).map(|at| self.table.known(at)) {
            None => {
                let ProofNumbers { proof, disproof } = self.goal.estimate(position);
                let proof = self.learned.corrected(self.goal.board, position, proof);
                ProofNumbers { proof, disproof }
            }
            Some(Known::Open(numbers)) => numbers,
            Some(Known::Proved(_)) => ProofNumbers::PROVED,
            // To go round in a circle is not to win.
            Some(Known::OnPath) => ProofNumbers::DISPROVED,
            Some(Known::TentativelyDisproved | Known::Visited(_) | Known::Disproved) => {
                ProofNumbers::DISPROVED
            }
        }
    }

    /// Takes the last position off the path, and stores what was found of it.
    fn leave(&mut self, backup: &NodeBackup) {
        let numbers = backup.numbers;
        let Some(frame) = self.path.pop(numbers) else { unreachable!("there is one") };
        let Some(at) = self.table.find_key(frame.key) else { unreachable!("it was entered") };
        self.store(at, backup);
        self.table.add_work(at, self.nodes - frame.nodes_before);
        if numbers.proof < INFINITE {
            let estimate = self.goal.estimate(&frame.position).proof;
            self.learned.learn(self.goal.board, &frame.position, estimate, numbers.proof);
        }
    }

    /// Stores in the table what the children of a position say of it. The time of a proof is taken
    /// here, after the children were read, so it is later than that of each child it rests on.
    fn store(&mut self, at: SlotId, backup: &NodeBackup) {
        let known = match backup.outcome() {
            Outcome::Proved => {
                self.proofs += 1;
                Known::Proved(self.proofs)
            }
            Outcome::Disproved => Known::TentativelyDisproved,
            Outcome::Unknown(numbers) => Known::Open(numbers),
        };
        self.table.set(at, known);
    }

    /// Writes all that the search goes on from: a head, then the bulk of it.
    fn write(&self, out: &mut Output<'_>) -> io::Result<()> {
        out.write_head(&SearchHead {
            nodes: self.nodes,
            end: self.end,
            probes: self.probes,
            decided_by_captures: self.decided_by_captures,
            proofs: self.proofs,
            failures: self.failures,
            path: self.path.to_wire(),
            table: self.table.head(),
        })?;
        self.learned.write(out)?;
        self.table.write(out)
    }

    /// Reads what [`Search::write`] has written into a search that has not begun. Returns its
    /// nodes.
    fn read(&mut self, input: &mut Input) -> io::Result<u64> {
        let head: SearchHead = input.read_head()?;
        self.path = Path::from_wire(&head.path, &self.goal).ok_or(io::ErrorKind::InvalidData)?;
        self.learned.read(input)?;
        self.table.read(&head.table, input)?;
        (self.nodes, self.reported_nodes, self.end) = (head.nodes, head.nodes, head.end);
        (self.probes, self.decided_by_captures) = (head.probes, head.decided_by_captures);
        (self.proofs, self.failures) = (head.proofs, head.failures);
        Ok(head.nodes)
    }
}

/// What is written of a search but for its table and what it has learned.
#[derive(Serialize, Deserialize)]
struct SearchHead {
    nodes: u64,
    end: Option<u64>,
    probes: Probes,
    decided_by_captures: u64,
    proofs: u64,
    failures: Failures,
    path: WirePath,
    table: TableHead,
}

#[cfg(test)]
mod tests {
    use super::{Goal, Outcome, Search};
    use crate::board::{Game, Side};
    use crate::egdb::Values;

    #[test]
    fn a_strategy_comes_of_more_proofs_than_32_bits_can_count() {
        let game: Game = "5x5/2".parse().expect("a game");
        let database = Values::empty(&game.board);
        let goal = Goal { board: &game.board, database: &database, attacker: Side::White };
        let search = |proofs| {
            let mut search = Search { proofs, ..Search::new(goal, 1 << 20) };
            assert_eq!(search.run(&game.start(), u64::MAX), Outcome::Proved);
            let strategy = search.strategy(&game.start()).expect("a strategy");
            (search.nodes(), search.proofs - proofs, strategy)
        };
        let few = search(0);
        assert!(few.1 > 200, "{}", few.1);
        // Half of them before the counter passes 32 bits, and half after that.
        assert_eq!(search((1 << 32) - few.1 / 2), few);
    }
}
