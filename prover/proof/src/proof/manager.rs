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
//! Is Solved", 2007). Only the results of the searches are kept ([`Ledger`]): the tree follows from
//! them.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use certificate_spec::Digest;
use certificate_spec::provenance::{Iteration, Thresholds};
use indicatif::BinaryBytes;
use thiserror::Error;

use super::applied::{encode, learn};
use super::item::{Answer, BadAnswer, Found, Item, SearchContext};
use super::ledger::{Checkpoints, Ledger, LedgerError};
use super::queue::{Lease, LocalLease, LocalQueue, ManagerQueue, QuestionState};
use super::round::{Round, TRIES};
use super::tree::{NodeId, Reason, Tree};
use super::work::{Work, work};
use super::workers::Workers;
use crate::board::{Board, Position, Side};
use crate::progress::{Bar, Progress};
use crate::search::{
    Checkpoint, Lemmas, Outcome, PackedStrategy, Probes, ProofNumbers, SearchProgress,
};

/// The default of the least number of searches of a round.
pub const ROUND: usize = 16;
/// In large trees a round has one search for this number of nodes, so that the cost of choosing
/// them, which goes over the whole tree, stays in proportion.
const NODES_PER_SEARCH: usize = 16;
/// Interval at which a round polls whether the proof is to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// The parameters of a proof.
#[derive(Debug, Clone)]
pub struct Manager {
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

/// A proof that has ended, decided or not.
pub struct Grown<'a> {
    /// The tree.
    pub tree: Tree<'a>,
    /// How the proof ended.
    pub verdict: Verdict,
    /// The lemmas that its searches have decided, if [`Manager::lemmas`] is set.
    pub lemmas: Option<Lemmas>,
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

/// A proof under way.
struct Run<'a, 'g> {
    manager: &'a Manager,
    context: &'g SearchContext<'g>,
    environment: Environment<'a>,
    queue: &'a dyn ManagerQueue,
    /// The lemmas of earlier rounds, if the searches of this round are to use them.
    lemmas: Option<&'a RwLock<Lemmas>>,
    tree: Tree<'g>,
    verdict: Verdict,
    probes: Probes,
    bar: &'a Bar,
}

/// A callback that gets each decided position and its strategy.
type DecideCallback<'a> = dyn FnMut(&Position, &PackedStrategy) + 'a;

fn into_inner(lemmas: RwLock<Lemmas>) -> Lemmas {
    lemmas.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn read(lemmas: &RwLock<Lemmas>) -> RwLockReadGuard<'_, Lemmas> {
    lemmas.read().unwrap_or_else(PoisonError::into_inner)
}

impl Manager {
    /// Decides whether `attacker` wins from `root`.
    ///
    /// # Errors
    /// [`ProofError`]
    pub fn prove<'g>(
        &self,
        context: &'g SearchContext<'g>,
        attacker: Side,
        root: &Position,
        environment: Environment<'_>,
    ) -> Result<Grown<'g>, ProofError> {
        let Environment { ledger, workers, is_stopped, progress } = environment;
        let bar = progress.start(format!("does {attacker:?} win?"), 0, "nodes searched");
        let lemmas = self.lemmas.then(RwLock::<Lemmas>::default);
        let run = |queue: &dyn ManagerQueue| -> Result<(Tree<'g>, Verdict), ProofError> {
            let unknown = ProofNumbers { proof: 1, disproof: 1 };
            let mut run = Run {
                manager: self,
                context,
                environment,
                queue,
                lemmas: lemmas.as_ref(),
                tree: Tree::new(context.goal(attacker), root),
                verdict: Verdict {
                    stop: Stop::Decided,
                    outcome: Outcome::Unknown(unknown),
                    nodes: 0,
                    searches: 0,
                    is_kept: false,
                    history: Vec::new(),
                },
                probes: Probes::default(),
                bar: &bar,
            };
            let done = run.iterate();
            // Results are written even when the proof has ended with an error.
            let written = ledger.write();
            queue.settle();
            done.and(written.map_err(Into::into))?;
            Ok((run.tree, run.verdict))
        };
        if let Some(farm) = workers.outside() {
            let done = run(&*farm.open());
            bar.finish();
            let (tree, verdict) = done?;
            // Workers of a farm go on with their items when this process has ended.
            let verdict = Verdict { is_kept: true, ..verdict };
            return Ok(Grown { tree, verdict, lemmas: lemmas.map(into_inner) });
        }
        let queue = LocalQueue::default();
        let is_kept = AtomicBool::new(false);
        let (checkpoints, say) = (ledger.checkpoints(), |what| progress.say(what));
        let answer = |lease: &LocalLease<'_>| {
            let _worker = workers.take();
            let bytes = lease.item();
            // The lemmas change only between rounds.
            let lemmas = lemmas.as_ref().map(read);
            let context = &SearchContext { lemmas: lemmas.as_deref(), ..*context };
            let Some(item) = Item::decode(bytes, context) else {
                return Work::Impossible("bytes that are no item".into());
            };
            let report = |heard: SearchProgress| {
                if let Some(numbers) = heard.root.filter(|_| item.position == *root) {
                    bar.note(&where_it_is(context.board, root, numbers, &heard));
                }
                bar.resume(heard.before);
                bar.add(heard.nodes);
                if is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let checkpoint =
                |c: &Checkpoints| Checkpoint::new(c.file(bytes), Digest::of(bytes), &say);
            let checkpoint = checkpoints.as_ref().map(checkpoint);
            let answer = Answer::of(&item, context, &report, checkpoint);
            if answer.is_none() && checkpoints.as_ref().is_some_and(|c| c.file(bytes).exists()) {
                is_kept.store(true, Ordering::Relaxed);
            }
            answer.map_or(Work::Stopped, |answer| Work::Done(answer.encode()))
        };
        let done = std::thread::scope(|scope| {
            let _closing = Closing(&queue);
            for _ in 0..workers.number() {
                scope.spawn(|| work(&queue, answer));
            }
            run(&queue)
        });
        bar.finish();
        // All worker threads have ended here.
        let (tree, verdict) = done?;
        let verdict = Verdict { is_kept: is_kept.load(Ordering::Relaxed), ..verdict };
        let lemmas =
            lemmas.map(|lemmas| lemmas.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok(Grown { tree, verdict, lemmas })
    }
}

fn words_of(numbers: ProofNumbers) -> String {
    format!("proof number {}, disproof number {}", numbers.proof, numbers.disproof)
}

/// Describes the progress of the search of the root, for a user who follows it for days.
fn where_it_is(
    board: &Board,
    root: &Position,
    numbers: ProofNumbers,
    heard: &SearchProgress,
) -> String {
    let mut words = words_of(numbers);
    if let Some((position, ProofNumbers { proof, disproof })) = heard.below
        && let Ok(written) = board.write_move(root, &position)
    {
        words += &format!("; below {written}: {proof}, {disproof}, depth {}", heard.depth);
    }
    let share = share_of(heard.probes);
    let (table, limit) = (BinaryBytes(heard.table.0), BinaryBytes(heard.table.1));
    format!("{words}; {share:.0} % of look-ups in the database; table {table} of {limit}")
}

/// The percentage of look-ups whose value the database has.
fn share_of(Probes { looked_up, known }: Probes) -> f64 {
    100.0 * known as f64 / looked_up.max(1) as f64
}

/// Closes the queue when it is dropped, even by a panic; otherwise the workers would wait for ever.
struct Closing<'a>(&'a LocalQueue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Run<'_, '_> {
    /// Grows the tree at one threshold after the other.
    fn iterate(&mut self) -> Result<(), ProofError> {
        let thresholds = self.manager.thresholds;
        let mut threshold = thresholds.map(|t| t.first);
        loop {
            self.verdict.stop = self.grow(threshold)?;
            if self.verdict.stop != Stop::Decided {
                return Ok(());
            }
            let leaves = |tree: &Tree<'_>| {
                let is_leaf = |n: &&super::tree::Node| matches!(n.reason, Reason::Leaf(_));
                tree.nodes().iter().filter(is_leaf).count() as u64
            };
            self.verdict.history.push(Iteration {
                threshold,
                nodes: self.tree.nodes().len() as u64,
                leaves: leaves(&self.tree),
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
        for position in &self.manager.seed {
            self.plant(position);
        }
        for position in self.manager.seed.iter().rev() {
            self.tree.update(threshold);
            if let Some(id) = self.tree.find(position) {
                let stop = self.grow_at(id, threshold)?;
                if stop != Stop::Decided {
                    return Ok(stop);
                }
            }
        }
        self.grow_at(0, threshold)
    }

    /// Expands a position of the seed line, if it is at the frontier.
    fn plant(&mut self, position: &Position) {
        if let Some(id) = self.tree.find(position)
            && matches!(self.tree.nodes()[id as usize].reason, Reason::Frontier)
        {
            let lemmas = self.lemmas.map(read);
            let context = SearchContext { lemmas: lemmas.as_deref(), ..*self.context };
            self.tree.expand(id, None, &context.goal(self.tree.goal().attacker));
        }
    }

    /// Grows the tree until a node is decided.
    fn grow_at(&mut self, of: NodeId, threshold: Option<u32>) -> Result<Stop, ProofError> {
        loop {
            self.verdict.outcome = self.tree.outcome();
            if !matches!(self.tree.outcome_of(of), Outcome::Unknown(_)) {
                return Ok(Stop::Decided);
            }
            if self.manager.max_nodes.is_some_and(|most| self.verdict.nodes >= most) {
                return Ok(Stop::Budget);
            }
            if (self.environment.is_stopped)() {
                return Ok(Stop::Interrupted);
            }
            self.show(of, threshold);
            let size = self.tree.nodes().len();
            let searches = self.manager.round.max(size / NODES_PER_SEARCH);
            let round = self.tree.frontier(of, searches);
            self.search(&round)?;
            self.tree.update(threshold);
        }
    }

    fn show(&self, of: NodeId, threshold: Option<u32>) {
        self.queue.show(&QuestionState {
            attacker: self.tree.goal().attacker,
            root: match self.tree.outcome() {
                Outcome::Unknown(numbers) => Some(numbers),
                _ => None,
            },
            tree: self.tree.nodes().len() as u64,
            searches: self.verdict.searches,
            nodes: self.verdict.nodes,
        });
        let Outcome::Unknown(numbers) = self.tree.outcome_of(of) else { return };
        let share = share_of(self.probes);
        let threshold = threshold.map_or(String::new(), |t| format!("threshold {t}, "));
        self.bar.note(&format!(
            "{threshold}{}, tree {}, {} searches, {share:.0} % of look-ups in the database",
            words_of(numbers),
            self.tree.nodes().len(),
            self.verdict.searches
        ));
    }

    /// Has the nodes of a round searched, and applies the answers in the order of the nodes, up to
    /// the one where the proof is interrupted. With [`Manager::lemmas`] the positions that they
    /// decide become lemmas.
    fn search(&mut self, round: &[NodeId]) -> Result<(), ProofError> {
        let Some(lemmas) = self.lemmas else {
            self.search_with(round, self.context, &mut |_, _| ())?;
            return Ok(());
        };
        let mut decided = Vec::new();
        let is_whole = {
            let lemmas = read(lemmas);
            let context = SearchContext { lemmas: Some(&lemmas), ..*self.context };
            let mut decide = |position: &Position, strategy: &PackedStrategy| {
                decided.push((*position, strategy.clone()));
            };
            self.search_with(round, &context, &mut decide)?
        };
        if decided.is_empty() {
            return Ok(());
        }
        let attacker = self.tree.goal().attacker;
        let applied = encode(self.context.board, &decided);
        let mut lemmas = lemmas.write().unwrap_or_else(PoisonError::into_inner);
        learn(&mut lemmas, &applied, attacker, self.context).map_err(ProofError::Worker)?;
        // No items are submitted after a round that was interrupted, so none rests on it.
        if is_whole {
            self.queue.teach(attacker, applied);
        }
        self.tree.settle(&lemmas);
        Ok(())
    }

    /// Searches the nodes of a round in `context` and applies the answers in order; `decide` gets
    /// each decided position and its strategy. Returns whether the round was finished.
    fn search_with(
        &mut self,
        round: &[NodeId],
        context: &SearchContext<'_>,
        decide: &mut DecideCallback<'_>,
    ) -> Result<bool, ProofError> {
        let leaf_nodes = self.manager.leaf_nodes.max(1);
        let item = |&id: &NodeId| Item {
            attacker: self.tree.goal().attacker,
            position: self.tree.nodes()[id as usize].position,
            nodes: leaf_nodes,
            table: self.manager.leaf_table,
            heuristic_nodes: (leaf_nodes / 100).clamp(20, 1000),
            threads: self.manager.leaf_threads,
        };
        let items: Vec<Item> = round.iter().map(item).collect();
        let Environment { ledger, is_stopped, .. } = self.environment;
        let mut searches = Round::begin(items, context, ledger, self.queue)?;
        self.bar.resume(searches.known_nodes());
        let mut applied = 0;
        loop {
            while let Some(answer) = searches.take(applied) {
                self.apply(round[applied], answer, context, decide);
                applied += 1;
            }
            if ledger.write_if_due()? {
                self.queue.settle();
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
                Ok(nodes) => self.bar.add(nodes),
                // An error counts only while the proof is not stopped, since stopped searches have
                // no result.
                Err(_) if is_stopped() => return Ok(false),
                Err(bad) => return Err(ProofError::Worker(bad)),
            }
        }
    }

    /// Applies the answer to the search of a node.
    fn apply(
        &mut self,
        id: NodeId,
        answer: Answer,
        context: &SearchContext<'_>,
        decide: &mut DecideCallback<'_>,
    ) {
        self.verdict.nodes += answer.nodes;
        self.verdict.searches += 1;
        self.probes.looked_up += answer.probes.looked_up;
        self.probes.known += answer.probes.known;
        match answer.found {
            Found::Decided(strategy) => {
                let position = self.tree.nodes()[id as usize].position;
                decide(&position, &strategy);
                self.tree.decide(id, strategy);
            }
            Found::TooHard(guesses) => {
                let goal = context.goal(self.tree.goal().attacker);
                self.tree.expand(id, Some(&guesses), &goal);
            }
        }
    }
}
