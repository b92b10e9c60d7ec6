//! Growing the tree until its root is decided.
//!
//! Each round hands the frontier nodes that matter most to df-pn searches, each with a fresh
//! transposition table and an equal budget, and applies the results in the order in which the nodes
//! were chosen. A node that is too hard for the budget is expanded. Workers do the searches of a
//! round in parallel, and the number of searches does not depend on the number of workers, so
//! neither does the tree.
//!
//! With a threshold the tree is first grown until its root is decided under the assumption that
//! likely results are true; then the threshold is raised, and that tree is grown further ("Checkers
//! Is Solved", 2007). Only the results of the searches are kept, in the ledger: the tree follows
//! from them.

use std::time::Duration;

use certificate_spec::provenance::Iteration;
use thiserror::Error;

use super::ledger::LedgerError;
use super::lines::Lines;
use super::queue::{Answer, BadAnswer, Found, Item, ManagerQueue, QuestionState, SearchContext};
use super::round::{Round, TRIES};
use super::settings::{Environment, ProofSettings, Workers};
use super::tree::{NodeId, Reason, Tree};
use crate::board::{Position, Side};
use crate::egdb::numbers::{counted, grouped};
use crate::progress::Bar;
use crate::search::{Outcome, Probes, ProofNumbers};

/// In large trees a round has one search for this number of nodes, so that the cost of choosing
/// them, which goes over the whole tree, stays in proportion.
const NODES_PER_SEARCH: usize = 16;
/// Interval at which a round polls whether the proof is to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// The reason why a proof ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The root is decided at the last threshold.
    Decided,
    /// The budget of nodes is spent.
    Budget,
    /// The proof was interrupted.
    Interrupted,
}

/// The result of a proof that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The cause of its end.
    pub stop: Stop,
    /// The answer at the root.
    pub outcome: Outcome,
    /// Nodes expanded by all leaf searches.
    pub nodes: u64,
    /// The number of leaf searches.
    pub searches: u64,
    /// Whether a checkpoint or an analysis is kept, from which an interrupted proof goes on.
    pub is_kept: bool,
    /// The finished iterations of the threshold.
    pub history: Vec<Iteration>,
}

/// An error that ends a proof.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The ledger cannot be read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A search of this process whose results were invalid each time.
    #[error("a search failed {TRIES} times, the last time with {0}")]
    Worker(BadAnswer),
}

/// A question, and what its manager shares with the threads of this process.
pub(super) struct Question<'a, 'g> {
    pub(super) settings: &'a ProofSettings,
    pub(super) context: SearchContext<'g>,
    pub(super) attacker: Side,
    pub(super) root: &'a Position,
    pub(super) environment: Environment<'a>,
    pub(super) bar: Bar,
}

/// The proof of a question under way.
pub(super) struct Manager<'a, 'g> {
    pub(super) question: &'a Question<'a, 'g>,
    queue: &'a dyn ManagerQueue,
    pub(super) tree: Tree<'g>,
    pub(super) verdict: Verdict,
    /// The lines that the tree follows, if [`ProofSettings::lines`] is set.
    pub(super) lines: Lines,
    probes: Probes,
}

impl<'g> Question<'_, 'g> {
    /// The number of jobs under way at a time: two for each thread, so that none waits for long.
    pub(super) fn jobs_at_once(&self) -> usize {
        match self.environment.workers {
            Workers::Threads(threads) => 2 * threads.number(),
            Workers::Farm(_) => self.settings.round,
        }
    }

    /// Decides the question by the workers of a queue.
    pub(super) fn decide(
        &self,
        queue: &dyn ManagerQueue,
    ) -> Result<(Tree<'g>, Verdict), ProofError> {
        let mut manager = Manager {
            question: self,
            queue,
            tree: Tree::new(self.context.goal(self.attacker), self.root),
            verdict: Verdict {
                stop: Stop::Decided,
                outcome: Outcome::Unknown(ProofNumbers { proof: 1, disproof: 1 }),
                nodes: 0,
                searches: 0,
                is_kept: false,
                history: Vec::new(),
            },
            probes: Probes::default(),
            lines: Lines::default(),
        };
        let done = manager.iterate();
        // Results are written even when the proof has ended with an error.
        let written = self.environment.ledger.write();
        queue.confirm_saved();
        done?;
        written?;
        Ok((manager.tree, manager.verdict))
    }
}

impl Manager<'_, '_> {
    /// Grows the tree at one threshold after the other.
    fn iterate(&mut self) -> Result<(), ProofError> {
        let thresholds = self.question.settings.thresholds;
        let mut threshold = thresholds.map(|t| t.first);
        loop {
            self.verdict.stop = self.grow(threshold)?;
            if self.verdict.stop != Stop::Decided {
                return Ok(());
            }
            let nodes = self.tree.nodes();
            let leaves = nodes.iter().filter(|node| matches!(node.reason, Reason::Leaf(_))).count();
            self.verdict.history.push(Iteration {
                threshold,
                nodes: nodes.len() as u64,
                leaves: leaves as u64,
                searches: self.verdict.searches,
                searched: self.verdict.nodes,
                depth: self.tree.depth().into(),
            });
            let (Some(now), Some(t)) = (threshold, thresholds) else {
                return Ok(());
            };
            if t.until.is_some_and(|until| now >= until) {
                return Ok(());
            }
            // The next threshold is one beyond which something changes.
            threshold = self.tree.least_assumed().map(|least| {
                let steps = least.saturating_sub(now) / t.increment.max(1) + 1;
                let next = now.saturating_add(steps.saturating_mul(t.increment.max(1)));
                t.until.map_or(next, |until| next.min(until))
            });
            if threshold.is_none() && t.until.is_some() {
                return Ok(());
            }
        }
    }

    /// Grows the tree until its root is decided at a threshold.
    fn grow(&mut self, threshold: Option<u32>) -> Result<Stop, ProofError> {
        if let Some(settings) = self.question.settings.lines {
            return self.follow_lines(&settings);
        }
        self.tree.update(threshold);
        self.decide_node(0, threshold)
    }

    /// Grows the tree until a node is decided.
    fn decide_node(&mut self, of: NodeId, threshold: Option<u32>) -> Result<Stop, ProofError> {
        loop {
            self.verdict.outcome = self.tree.outcome();
            if !matches!(self.tree.outcome_of(of), Outcome::Unknown(_)) {
                return Ok(Stop::Decided);
            }
            if let Some(stop) = self.stop_early() {
                return Ok(stop);
            }
            self.report(of, threshold);
            let size = self.tree.nodes().len();
            let searches = self.question.settings.round.max(size / NODES_PER_SEARCH);
            let round = self.tree.frontier(of, searches);
            self.search_round(&round, self.question.settings.leaf_nodes.max(1))?;
            self.tree.update(threshold);
        }
    }

    /// The reason to end before the root is decided, if there is one.
    pub(super) fn stop_early(&self) -> Option<Stop> {
        let most = self.question.settings.max_nodes;
        if most.is_some_and(|most| self.verdict.nodes >= most) {
            return Some(Stop::Budget);
        }
        (self.question.environment.is_stopped)().then_some(Stop::Interrupted)
    }

    fn report(&self, of: NodeId, threshold: Option<u32>) {
        self.queue.publish_state(&QuestionState {
            attacker: self.question.attacker,
            root: match self.tree.outcome() {
                Outcome::Unknown(numbers) => Some(numbers),
                _ => None,
            },
            tree: self.tree.nodes().len() as u64,
            searches: self.verdict.searches,
            nodes: self.verdict.nodes,
        });
        let Outcome::Unknown(numbers) = self.tree.outcome_of(of) else { return };
        let share = self.probes.percent_known();
        let threshold = threshold.map_or(String::new(), |t| format!("threshold {t}, "));
        self.question.bar.note(&format!(
            "{threshold}{numbers}, tree {}, {}, {share:.0} % of look-ups in the database",
            grouped(self.tree.nodes().len() as u64),
            counted(self.verdict.searches, "search")
        ));
    }

    /// The item of a node, with budgets for df-pn and for the heuristic search.
    pub(super) fn item(&self, id: NodeId, nodes: u64, heuristic_nodes: u64) -> Item {
        let settings = self.question.settings;
        Item {
            attacker: self.question.attacker,
            position: self.tree.nodes()[id as usize].position,
            nodes,
            table: settings.leaf_table,
            heuristic_nodes,
            threads: settings.leaf_threads,
        }
    }

    /// Searches the nodes of a round, each with a budget of `nodes`, and applies the answers in the
    /// order of the nodes, up to the one where the proof is interrupted.
    pub(super) fn search_round(&mut self, round: &[NodeId], nodes: u64) -> Result<(), ProofError> {
        let Question { environment, context, .. } = self.question;
        let heuristic_nodes = (nodes / 100).clamp(20, 1000);
        let items = round.iter().map(|&id| self.item(id, nodes, heuristic_nodes)).collect();
        let Environment { ledger, is_stopped, .. } = *environment;
        let mut searches = Round::begin(items, context, ledger, self.queue, self.is_job())?;
        self.question.bar.resume(searches.known_nodes());
        let mut applied = 0;
        loop {
            while let Some(answer) = searches.take(applied) {
                self.apply(round[applied], nodes, answer, context);
                applied += 1;
            }
            if ledger.write_if_due()? {
                self.queue.confirm_saved();
            }
            if applied == round.len() {
                return Ok(());
            }
            if is_stopped() {
                // Results that have already come go to the ledger.
                let _ = searches.receive(self.queue.collect(Duration::ZERO), ledger, self.queue);
                return Ok(());
            }
            let deliveries = self.queue.collect(PATIENCE);
            match searches.receive(deliveries, ledger, self.queue) {
                Ok(nodes) => self.question.bar.add(nodes),
                // An error counts only while the proof is not stopped, since stopped searches have
                // no result.
                Err(_) if is_stopped() => return Ok(()),
                Err(bad) => return Err(ProofError::Worker(bad)),
            }
        }
    }

    /// Whether a search that is not decided goes on later, with a larger budget.
    fn is_job(&self) -> bool {
        self.question.settings.lines.is_some()
    }

    /// Applies the answer to the search of a node with a budget.
    fn apply(&mut self, id: NodeId, budget: u64, answer: Answer, context: &SearchContext<'_>) {
        // A job that goes on counts what it has taken before, too.
        self.verdict.nodes += answer.nodes - self.lines.spent(id).min(answer.nodes);
        self.verdict.searches += 1;
        self.probes.looked_up += answer.probes.looked_up;
        self.probes.known += answer.probes.known;
        match answer.found {
            Found::Decided(strategy) => {
                self.tree.decide(id, strategy);
            }
            // A search that ends before its budget has a full table, and is cut like any other.
            Found::TooHard(_) if self.is_job() && answer.nodes >= budget => {
                self.lines.spend(id, answer.nodes);
            }
            Found::TooHard(guesses) => {
                let goal = context.goal(self.question.attacker);
                self.tree.expand(id, Some(&guesses), &goal);
            }
        }
    }
}
