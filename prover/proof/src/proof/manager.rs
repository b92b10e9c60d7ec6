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

use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use certificate_spec::provenance::Iteration;
use thiserror::Error;

use super::applied::{encode, replay_round};
use super::item::{Answer, BadAnswer, Found, Item, SearchContext};
use super::ledger::LedgerError;
use super::queue::{ManagerQueue, QuestionState};
use super::round::{Round, TRIES};
use super::settings::{Environment, ProofSettings};
use super::tree::{NodeId, Reason, Tree};
use crate::board::{Position, Side};
use crate::egdb::numbers::{counted, grouped};
use crate::progress::Bar;
use crate::search::{Lemmas, Outcome, PackedStrategy, Probes, ProofNumbers};

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
    /// Why it ended.
    pub stop: Stop,
    /// The answer at the root.
    pub outcome: Outcome,
    /// Nodes expanded by all leaf searches.
    pub nodes: u64,
    /// The number of leaf searches.
    pub searches: u64,
    /// Whether a search that was interrupted has left a checkpoint, from which it can be resumed.
    pub is_kept: bool,
    /// The finished iterations of the threshold.
    pub history: Vec<Iteration>,
}

/// Why a proof could not go on.
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
    /// The lemmas of earlier rounds, if searches are to use them.
    pub(super) lemmas: Option<RwLock<Lemmas>>,
    pub(super) bar: Bar,
}

/// The proof of a question under way.
struct Manager<'a, 'g> {
    question: &'a Question<'a, 'g>,
    queue: &'a dyn ManagerQueue,
    tree: Tree<'g>,
    verdict: Verdict,
    probes: Probes,
    /// With lemmas, the positions that this round has decided, and their strategies.
    decided: Vec<(Position, PackedStrategy)>,
}

impl<'g> Question<'_, 'g> {
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
            decided: Vec::new(),
        };
        let done = manager.iterate();
        // Results are written even when the proof has ended with an error.
        let written = self.environment.ledger.write();
        queue.confirm_saved();
        done?;
        written?;
        Ok((manager.tree, manager.verdict))
    }

    /// The lemmas of earlier rounds, if searches are to use them.
    pub(super) fn read_lemmas(&self) -> Option<RwLockReadGuard<'_, Lemmas>> {
        let lemmas = self.lemmas.as_ref()?;
        Some(lemmas.read().unwrap_or_else(PoisonError::into_inner))
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
        self.tree.update(threshold);
        for position in &self.question.settings.seed {
            self.expand_seed(position);
        }
        for position in self.question.settings.seed.iter().rev() {
            self.tree.update(threshold);
            if let Some(id) = self.tree.find(position) {
                let stop = self.decide_node(id, threshold)?;
                if stop != Stop::Decided {
                    return Ok(stop);
                }
            }
        }
        self.decide_node(0, threshold)
    }

    /// Expands a position of the seed line, if it is at the frontier.
    fn expand_seed(&mut self, position: &Position) {
        if let Some(id) = self.tree.find(position)
            && matches!(self.tree.nodes()[id as usize].reason, Reason::Frontier)
        {
            let lemmas = self.question.read_lemmas();
            let context = SearchContext { lemmas: lemmas.as_deref(), ..self.question.context };
            self.tree.expand(id, None, &context.goal(self.question.attacker));
        }
    }

    /// Grows the tree until a node is decided.
    fn decide_node(&mut self, of: NodeId, threshold: Option<u32>) -> Result<Stop, ProofError> {
        loop {
            self.verdict.outcome = self.tree.outcome();
            if !matches!(self.tree.outcome_of(of), Outcome::Unknown(_)) {
                return Ok(Stop::Decided);
            }
            if self.question.settings.max_nodes.is_some_and(|most| self.verdict.nodes >= most) {
                return Ok(Stop::Budget);
            }
            if (self.question.environment.is_stopped)() {
                return Ok(Stop::Interrupted);
            }
            self.report(of, threshold);
            let size = self.tree.nodes().len();
            let searches = self.question.settings.round.max(size / NODES_PER_SEARCH);
            let round = self.tree.frontier(of, searches);
            self.search(&round)?;
            self.tree.update(threshold);
        }
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

    /// Has the nodes of a round searched and applies the answers. With [`ProofSettings::lemmas`]
    /// the positions that they decide become lemmas.
    fn search(&mut self, round: &[NodeId]) -> Result<(), ProofError> {
        let is_whole = self.search_round(round)?;
        let decided = std::mem::take(&mut self.decided);
        let Some(lemmas) = &self.question.lemmas else { return Ok(()) };
        if decided.is_empty() {
            return Ok(());
        }
        let Question { context, attacker, .. } = self.question;
        let applied = encode(context.board, &decided);
        let mut lemmas = lemmas.write().unwrap_or_else(PoisonError::into_inner);
        replay_round(&mut lemmas, &applied, *attacker, context).map_err(ProofError::Worker)?;
        // No items are submitted after a round that was interrupted, so none rests on it.
        if is_whole {
            self.queue.publish_lemmas(*attacker, applied);
        }
        self.tree.decide_by_lemmas(&lemmas);
        Ok(())
    }

    /// Searches the nodes of a round and applies the answers in the order of the nodes, up to the
    /// one where the proof is interrupted. Returns whether the round was finished.
    fn search_round(&mut self, round: &[NodeId]) -> Result<bool, ProofError> {
        let Question { settings, attacker, environment, .. } = self.question;
        let lemmas = self.question.read_lemmas();
        let context = &SearchContext { lemmas: lemmas.as_deref(), ..self.question.context };
        let leaf_nodes = settings.leaf_nodes.max(1);
        let mut items = Vec::with_capacity(round.len());
        for &id in round {
            items.push(Item {
                attacker: *attacker,
                position: self.tree.nodes()[id as usize].position,
                nodes: leaf_nodes,
                table: settings.leaf_table,
                heuristic_nodes: (leaf_nodes / 100).clamp(20, 1000),
                threads: settings.leaf_threads,
            });
        }
        let Environment { ledger, is_stopped, .. } = *environment;
        let mut searches = Round::begin(items, context, ledger, self.queue)?;
        self.question.bar.resume(searches.known_nodes());
        let mut applied = 0;
        loop {
            while let Some(answer) = searches.take(applied) {
                self.apply(round[applied], answer, context);
                applied += 1;
            }
            if ledger.write_if_due()? {
                self.queue.confirm_saved();
            }
            if applied == round.len() {
                return Ok(true);
            }
            if is_stopped() {
                // Results that have already come go to the ledger.
                let _ = searches.receive(self.queue.collect(Duration::ZERO), ledger, self.queue);
                return Ok(false);
            }
            let deliveries = self.queue.collect(PATIENCE);
            match searches.receive(deliveries, ledger, self.queue) {
                Ok(nodes) => self.question.bar.add(nodes),
                // An error counts only while the proof is not stopped, since stopped searches have
                // no result.
                Err(_) if is_stopped() => return Ok(false),
                Err(bad) => return Err(ProofError::Worker(bad)),
            }
        }
    }

    /// Applies the answer to the search of a node.
    fn apply(&mut self, id: NodeId, answer: Answer, context: &SearchContext<'_>) {
        self.verdict.nodes += answer.nodes;
        self.verdict.searches += 1;
        self.probes.looked_up += answer.probes.looked_up;
        self.probes.known += answer.probes.known;
        match answer.found {
            Found::Decided(strategy) => {
                if self.question.lemmas.is_some() {
                    let position = self.tree.nodes()[id as usize].position;
                    self.decided.push((position, strategy.clone()));
                }
                self.tree.decide(id, strategy);
            }
            Found::TooHard(guesses) => {
                let goal = context.goal(self.question.attacker);
                self.tree.expand(id, Some(&guesses), &goal);
            }
        }
    }
}
