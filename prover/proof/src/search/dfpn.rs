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

use super::checkpoint::{Checkpoint, Input};
use super::closed_set::find_closed_set;
use super::descent::{Counters, DECIDED_BY_CAPTURES, Descent, Probes, ProgressCallback};
use super::descent::{Run, SearchHead};
use super::estimate::Goal;
use super::extract::{Extracted, extract};
use super::learned_estimate::LearnedEstimate;
use super::numbers::{Outcome, ProofNumbers};
use super::path::Path;
use super::slot::{Known, MOST_THREADS};
use super::strategy::{PackedStrategy, Strategy, StrategyError};
use super::table::Table;
use super::threads;
use crate::board::Position;

/// A search for one attacker, with its transposition table.
pub struct Search<'a> {
    pub(super) table: Table,
    /// The only thread, or what all threads together have counted.
    pub(super) descent: Descent<'a>,
    pub(super) run: Run<'a>,
    /// Threads that share the table.
    threads: u32,
}

impl<'a> Search<'a> {
    /// A search with an empty transposition table that may grow to `table_bytes` bytes.
    pub fn new(goal: Goal<'a>, table_bytes: u64) -> Self {
        Search {
            table: Table::new(goal.board, table_bytes),
            descent: Descent::new(goal, LearnedEstimate::new(goal.has_network())),
            run: Run::default(),
            threads: 1,
        }
    }

    /// The most bytes that the table of a search of `nodes` nodes can take.
    pub fn most_bytes(nodes: u64) -> u64 {
        Table::most_bytes(nodes.saturating_mul(1 + DECIDED_BY_CAPTURES))
    }

    /// The search, which reports its progress.
    pub fn with_progress(mut self, callback: &'a ProgressCallback<'a>) -> Self {
        self.run.callback = Some(callback);
        self
    }

    /// The search, by several threads that share its table. What they find, and after how many
    /// nodes, depends on their timing.
    pub fn with_threads(self, threads: u32) -> Self {
        Search { threads: threads.clamp(1, MOST_THREADS), ..self }
    }

    /// The search, kept in a file while it is under way; it goes on from there if it was kept
    /// before.
    pub fn with_checkpoint(mut self, checkpoint: Checkpoint<'a>) -> Self {
        let mut found = Search::new(self.descent.goal, self.table.limit());
        if checkpoint.restore(|input| found.read(input)) {
            let run = Run { callback: self.run.callback, nodes_before: found.nodes(), ..found.run };
            self = Search { run, threads: self.threads, ..found };
        }
        self.run.checkpoint = Some(checkpoint);
        self
    }

    /// Keeps a search that its budget has ended, if its checkpoint is to have it then.
    pub fn keep_at_end(&mut self) {
        self.run.keep_at_end(&self.descent, &self.table);
    }

    /// Whether the callback has stopped the search.
    pub fn is_stopped(&self) -> bool {
        self.run.is_stopped
    }

    /// Positions expanded so far, each time counted; not those that were looked at for their
    /// captures.
    pub fn nodes(&self) -> u64 {
        self.descent.counters.nodes
    }

    /// Look-ups of successors in the database.
    pub fn probes(&self) -> Probes {
        self.descent.counters.probes
    }

    /// Searches `root` until it is decided, `budget` nodes have been expanded, the table is full of
    /// decided positions or the callback stops it.
    pub fn run(&mut self, root: &Position, budget: u64) -> Outcome {
        if let Some(won) = self.descent.goal.known(root) {
            return if won { Outcome::Proved } else { Outcome::Disproved };
        }
        self.run.end.get_or_insert(self.nodes().saturating_add(budget));
        if self.run.nodes_before > 0 {
            self.run.report(&mut self.descent, &self.table);
        }
        let outcome = loop {
            let key = self.table.key(root);
            let numbers = self.descent.see(root, key, &mut self.table).numbers;
            let outcome = match Outcome::of(numbers) {
                // It was kept on its way.
                _ if !self.descent.path.is_empty() => self.descend(root),
                Outcome::Unknown(numbers) if self.is_over() => Outcome::Unknown(numbers),
                Outcome::Unknown(_) => self.descend(root),
                decided => decided,
            };
            self.run.report(&mut self.descent, &self.table);
            if outcome != Outcome::Disproved || self.holds(root) {
                break outcome;
            }
            self.run.keep(&self.descent, &self.table);
        };
        self.run.end = None;
        outcome
    }

    /// The strategy that decided `root`, replayed: the attacker's if it wins, else the defender's.
    ///
    /// # Errors
    /// [`StrategyError`] if the root is not decided, or the table does not hold a strategy
    /// that stands up to its replay.
    pub fn strategy(&self, root: &Position) -> Result<PackedStrategy, StrategyError> {
        let Extracted { is_win, choices } = extract(&self.descent.goal, &self.table, root)?;
        let strategy = Strategy::new(choices);
        let leaf = self.descent.goal.replay(is_win).pack(&strategy, root, |_| false)?;
        Ok(PackedStrategy { is_win, leaf })
    }

    /// The proof and disproof numbers of the successors of a position, in canonical order: as far
    /// as the table has them, else as estimated.
    pub fn successor_numbers(&self, position: &Position) -> Vec<ProofNumbers> {
        let mut successors = Vec::new();
        self.descent.goal.board.successors(position, &mut successors);
        let numbers = |s: &Position| match self.table.find(s).map(|at| self.table.known(at)) {
            Some(Known::Open(numbers)) => numbers,
            _ => self.descent.goal.estimate(s),
        };
        successors.iter().map(numbers).collect()
    }

    /// Whether the disproof of the root holds outright.
    fn holds(&mut self, root: &Position) -> bool {
        let Search { table, descent, run, .. } = self;
        find_closed_set(&descent.goal, table, &mut run.failures, root)
    }

    fn is_over(&self) -> bool {
        self.run.is_over(self.nodes()) || self.table.is_over()
    }

    /// Searches until the root is proved, or disproved if only tentatively, or the search has to
    /// end.
    fn descend(&mut self, root: &Position) -> Outcome {
        let Search { table, descent, run, threads } = self;
        if *threads > 1 {
            threads::search(root, table, descent, run, *threads)
        } else {
            descent.run(root, table, run)
        }
    }

    /// Reads what [`Run::keep`] has written into a search that has not begun. Returns its nodes.
    fn read(&mut self, input: &mut Input) -> io::Result<u64> {
        let head: SearchHead = input.read_head()?;
        let goal = self.descent.goal;
        let mut learned = LearnedEstimate::new(goal.has_network());
        let path = Path::from_wire(&head.path, &goal).ok_or(io::ErrorKind::InvalidData)?;
        learned.read(input)?;
        self.table.read(&head.table, input)?;
        let counters = Counters { reported: head.counters.nodes, ..head.counters };
        self.descent = Descent::new(goal, learned).with(path, counters);
        self.run.failures = head.failures;
        Ok(counters.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::{Goal, Outcome, Search};
    use crate::board::{Game, Side};
    use crate::egdb::Values;

    #[test]
    fn more_proofs_than_32_bits_count() {
        let game: Game = "5x5/2".parse().expect("a game");
        let database = Values::empty(&game.board);
        let goal = Goal::new(&game.board, &database, Side::White);
        let search = |proofs| {
            let mut search = Search::new(goal, 1 << 20);
            search.table.time = proofs;
            assert_eq!(search.run(&game.start(), u64::MAX), Outcome::Proved);
            let strategy = search.strategy(&game.start()).expect("a strategy");
            (search.nodes(), search.table.time - proofs, strategy)
        };
        let few = search(0);
        assert!(few.1 > 200, "{}", few.1);
        // Half of them before the counter passes 32 bits, and half after that.
        assert_eq!(search((1 << 32) - few.1 / 2), few);
    }
}
