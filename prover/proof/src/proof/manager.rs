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
//!
//! The searches of a round: its items, the answers of the ledger, and the results that come back.

use super::ledger::{Ledger, LedgerError, Record};
use super::lines::Lines;
use super::queue::{
    Answer, BadAnswer, Delivery, Finding, Item, ManagerQueue, QuestionState, SearchContext,
};
use super::settings::{Environment, ProofSettings, Workers};
use super::tree::{NodeId, Reason, Tree};
use crate::board::{Position, Side};
use crate::egdb::numbers::{counted, grouped};
use crate::progress::Bar;
use crate::search::{Outcome, Probes, ProofNumbers};
use certificate_spec::Digest;
use certificate_spec::provenance::Iteration;
use rayon::prelude::*;
use std::collections::HashMap;
use std::time::Duration;
use thiserror::Error;

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
    Interrupted,
}

/// The result of a proof that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofResult {
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
    pub(super) result: ProofResult,
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
    ) -> Result<(Tree<'g>, ProofResult), ProofError> {
        let mut manager = Manager {
            question: self,
            queue,
            tree: Tree::new(self.context.goal(self.attacker), self.root),
            result: ProofResult {
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
        Ok((manager.tree, manager.result))
    }
}

impl Manager<'_, '_> {
    /// Grows the tree at one threshold after the other.
    fn iterate(&mut self) -> Result<(), ProofError> {
        let thresholds = self.question.settings.thresholds;
        let mut threshold = thresholds.map(|t| t.first);
        loop {
            self.result.stop = self.grow(threshold)?;
            if self.result.stop != Stop::Decided {
                return Ok(());
            }
            let nodes = self.tree.nodes();
            let leaves = nodes.iter().filter(|node| matches!(node.reason, Reason::Leaf(_))).count();
            self.result.history.push(Iteration {
                threshold,
                nodes: nodes.len() as u64,
                leaves: leaves as u64,
                searches: self.result.searches,
                searched: self.result.nodes,
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
            self.result.outcome = self.tree.outcome();
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
            self.search_round(&round, self.question.settings.leaf_nodes.max(1), usize::MAX)?;
            self.tree.update(threshold);
        }
    }

    /// The reason to end before the root is decided, if there is one.
    pub(super) fn stop_early(&self) -> Option<Stop> {
        let most = self.question.settings.max_nodes;
        if most.is_some_and(|most| self.result.nodes >= most) {
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
            searches: self.result.searches,
            nodes: self.result.nodes,
        });
        let Outcome::Unknown(numbers) = self.tree.outcome_of(of) else { return };
        let share = self.probes.percent_known();
        let threshold = threshold.map_or(String::new(), |t| format!("threshold {t}, "));
        self.question.bar.note(&format!(
            "{threshold}{numbers}, tree {}, {}, {share:.0} % of look-ups in the database",
            grouped(self.tree.nodes().len() as u64),
            counted(self.result.searches, "search")
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
    /// order of the nodes, up to the one where the proof is interrupted. At most `most` searches
    /// are under way or go on later, as each of these keeps a table. When more than half of them go
    /// on later, no more are submitted, so that the next round has enough for all workers.
    pub(super) fn search_round(
        &mut self,
        round: &[NodeId],
        nodes: u64,
        most: usize,
    ) -> Result<(), ProofError> {
        let Question { environment, context, .. } = self.question;
        let heuristic_nodes = (nodes / 100).clamp(20, 1000);
        let items = round.iter().map(|&id| self.item(id, nodes, heuristic_nodes)).collect();
        let Environment { ledger, is_stopped, .. } = *environment;
        // Jobs that go on report what they have taken before.
        self.question.bar.expect_again(round.iter().map(|&id| self.lines.spent(id)).sum());
        let mut searches = Round::begin(items, context, ledger, self.is_job())?;
        let (mut applied, mut open) = (0, 0);
        loop {
            // The window moves on as answers are applied, whenever they come: so the searches of a
            // round do not depend on their timing.
            let is_done = loop {
                if open <= most / 2 {
                    let end = (most - open).saturating_add(applied);
                    self.question.bar.resume(searches.submit(end, self.queue));
                }
                if applied == searches.submitted {
                    break true;
                }
                let Some(answer) = searches.take(applied) else { break false };
                open += usize::from(!is_over(&answer, searches.goes_on));
                self.apply(round[applied], nodes, answer, context);
                applied += 1;
            };
            if ledger.write_if_due()? {
                self.queue.confirm_saved();
            }
            if is_done {
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

    fn apply(&mut self, id: NodeId, budget: u64, answer: Answer, context: &SearchContext<'_>) {
        // A job that goes on counts what it has taken before, too.
        self.result.nodes += answer.nodes - self.lines.spent(id).min(answer.nodes);
        self.result.searches += 1;
        self.probes.looked_up += answer.probes.looked_up;
        self.probes.known += answer.probes.known;
        let lines = self.question.settings.lines;
        if lines.is_some() {
            self.say_job(id, &answer);
        }
        match answer.found {
            Finding::Decided(strategy) => {
                self.tree.decide(id, strategy);
            }
            // A search that ends before its budget has a full table, and is cut like any other.
            Finding::TooHard(_) if lines.is_some() && answer.nodes >= budget => {
                self.lines.spend(id, answer.nodes);
            }
            Finding::TooHard(guesses) => {
                let goal = context.goal(self.question.attacker);
                self.tree.expand(id, Some(&guesses), &goal);
            }
        }
        if let Some(settings) = lines {
            self.show_jobs(settings.first_budget);
        }
    }
}

/// The number of invalid results of this process for one item after which the proof fails.
const TRIES: u32 = 3;

/// The items of a round, in the order in which their results are applied.
struct Round<'a> {
    context: &'a SearchContext<'a>,
    slots: Vec<Slot>,
    /// The place of each item, by the digest of its bytes.
    places: HashMap<Digest, usize>,
    /// Whether searches that are not decided go on later, with larger budgets.
    goes_on: bool,
    /// The number of items that were submitted or whose answers were known.
    submitted: usize,
}

/// Whether the search with this answer is over, where those that are not decided may go on.
fn is_over(answer: &Answer, goes_on: bool) -> bool {
    !goes_on || matches!(answer.found, Finding::Decided(_))
}

struct Slot {
    item: Item,
    bytes: Vec<u8>,
    answer: Option<Answer>,
    /// Whether the item was answered.
    done: bool,
    /// The number of bad results of this process.
    bad: u32,
}

impl<'a> Round<'a> {
    /// Makes a round with the answers of the ledger, which are replayed.
    fn begin(
        items: Vec<Item>,
        context: &'a SearchContext<'a>,
        ledger: &Ledger,
        goes_on: bool,
    ) -> Result<Self, LedgerError> {
        let bytes: Vec<Vec<u8>> = items.iter().map(|item| item.encode(context)).collect();
        let stored = ledger.get(&bytes)?;
        let places = bytes.iter().enumerate().map(|(i, bytes)| (Digest::of(bytes), i)).collect();
        let slot = |((item, bytes), stored): ((Item, Vec<u8>), Option<Vec<u8>>)| {
            let answer = stored.and_then(|result| Answer::decode(&result, &item, context).ok());
            Slot { item, bytes, done: answer.is_some(), answer, bad: 0 }
        };
        let slots = items.into_iter().zip(bytes).zip(stored).collect::<Vec<_>>();
        let slots: Vec<Slot> = slots.into_par_iter().map(slot).collect();
        Ok(Round { context, slots, places, goes_on, submitted: 0 })
    }

    /// Submits the items before `end` that were not submitted. Returns the nodes of known answers
    /// among them.
    fn submit(&mut self, end: usize, queue: &dyn ManagerQueue) -> u64 {
        let mut nodes = 0;
        let end = end.min(self.slots.len()).max(self.submitted);
        for slot in &self.slots[self.submitted..end] {
            match &slot.answer {
                Some(answer) => nodes += answer.nodes,
                None => queue.submit(slot.bytes.clone()),
            }
        }
        self.submitted = end;
        nodes
    }

    /// Takes the answer to an item out, if it is here.
    pub(super) fn take(&mut self, place: usize) -> Option<Answer> {
        self.slots.get_mut(place)?.answer.take()
    }

    /// Takes results that have come back: good ones go to the ledger, and an item with a bad one is
    /// submitted again. Returns the number of nodes of the searches outside of this process.
    ///
    /// # Errors
    /// [`BadAnswer`] if [`TRIES`] results of this process for an item were bad.
    fn receive(
        &mut self,
        deliveries: Vec<Delivery>,
        ledger: &Ledger,
        queue: &dyn ManagerQueue,
    ) -> Result<u64, BadAnswer> {
        let judge = |delivery: Delivery| (self.judge(&delivery), delivery);
        let judged: Vec<_> = if deliveries.iter().all(|delivery| delivery.worker.is_none()) {
            deliveries.into_iter().map(judge).collect()
        } else {
            // Results of other machines are judged in parallel, since their strategies are
            // replayed.
            deliveries.into_par_iter().map(judge).collect()
        };
        let mut nodes = 0;
        for (judgement, delivery) in judged {
            let place = self.places.get(&delivery.item).copied();
            // The second result of an item has no effect.
            let place = place.filter(|&place| !self.slots[place].done);
            let (Some(place), Some(judgement)) = (place, judgement) else {
                queue.accept(&delivery);
                continue;
            };
            let slot = &mut self.slots[place];
            match judgement {
                Ok(answer) => {
                    nodes += if delivery.worker.is_some() { answer.nodes } else { 0 };
                    let is_over = is_over(&answer, self.goes_on);
                    (slot.answer, slot.done) = (Some(answer), true);
                    queue.accept(&delivery);
                    let result = delivery.result.unwrap_or_default();
                    ledger.put(Record { item: slot.bytes.clone(), result, is_over });
                }
                Err(bad) => {
                    queue.reject(&delivery, &bad);
                    slot.bad += u32::from(delivery.worker.is_none());
                    if slot.bad >= TRIES {
                        return Err(bad);
                    }
                    queue.submit(slot.bytes.clone());
                }
            }
        }
        Ok(nodes)
    }

    /// Checks a result; `None` if no item of the round waits for it.
    fn judge(&self, delivery: &Delivery) -> Option<Result<Answer, BadAnswer>> {
        let slot = &self.slots[*self.places.get(&delivery.item)?];
        if slot.done {
            return None;
        }
        let result = match &delivery.result {
            Ok(result) => result,
            Err(why) => return Some(Err(BadAnswer::None(why.clone()))),
        };
        Some(match delivery.worker {
            Some(_) => Answer::decode(result, &slot.item, self.context),
            // A worker of this process has already replayed its result.
            None => Answer::parse(result, &slot.item, self.context).ok_or(BadAnswer::Bytes),
        })
    }
}
