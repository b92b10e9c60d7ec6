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
use super::settings::{Environment, LineSettings, ProofSettings, Workers};
use super::tree::{NodeId, Reason, Tree};
use crate::board::{Position, Side};
use crate::egdb::numbers::{counted, grouped};
use crate::progress::Bar;
use crate::search::{Outcome, Probes, ProofNumbers};
use certificate_spec::Digest;
use certificate_spec::provenance::Iteration;
use rayon::prelude::*;
use std::collections::{HashMap, VecDeque};
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
            let budget = self.question.settings.leaf_nodes.max(1);
            let round = self.tree.frontier(of, searches);
            let round = round.into_iter().map(|id| (id, budget)).collect();
            self.search_round(round, usize::MAX)?;
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

    /// Searches the nodes of a round, each with its budget, and applies the answers in the order in
    /// which the searches were submitted, whenever they come: so the searches of a round do not
    /// depend on their timing. At most `most` are under way at a time. A job that is not decided is
    /// submitted again, with a larger budget. Nothing is submitted any more when the lines change.
    pub(super) fn search_round(
        &mut self,
        round: Vec<(NodeId, u64)>,
        most: usize,
    ) -> Result<(), ProofError> {
        let Question { environment, context, .. } = self.question;
        let Environment { ledger, is_stopped, .. } = *environment;
        let (mut waiting, mut running) = (VecDeque::from(round), VecDeque::new());
        let mut lines_change = false;
        let mut searches = Round::new(context, self.question.settings.lines.is_some());
        loop {
            let is_done = loop {
                let next = waiting.len().min(most - running.len());
                let next: Vec<_> = waiting.drain(..next).collect();
                let items = next.iter().map(|&(id, nodes)| self.search_item(id, nodes)).collect();
                self.question.bar.resume(searches.submit(items, ledger, self.queue)?);
                running.extend(next);
                let Some(&(id, budget)) = running.front() else { break true };
                let Some(answer) = searches.take_next() else { break false };
                running.pop_front();
                match self.apply(id, budget, answer, context) {
                    Applied::GoesOn(budget) => waiting.push_front((id, budget)),
                    Applied::ChangesLines => lines_change = true,
                    Applied::Done => {}
                }
                if lines_change {
                    waiting.clear();
                }
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

    /// The item of a search with a budget of `nodes`. A job that goes on reports what it has taken
    /// before once more.
    fn search_item(&self, id: NodeId, nodes: u64) -> Item {
        self.question.bar.expect_again(self.lines.spent(id));
        self.item(id, nodes, (nodes / 100).clamp(20, 1000))
    }

    fn apply(
        &mut self,
        id: NodeId,
        budget: u64,
        answer: Answer,
        context: &SearchContext<'_>,
    ) -> Applied {
        // A job that goes on counts what it has taken before, too.
        self.result.nodes += answer.nodes - self.lines.spent(id).min(answer.nodes);
        self.result.searches += 1;
        self.probes.looked_up += answer.probes.looked_up;
        self.probes.known += answer.probes.known;
        let lines = self.question.settings.lines;
        if lines.is_some() {
            self.say_job(id, &answer);
        }
        let applied = match (answer.found, lines) {
            (Finding::Decided(strategy), _) => {
                let is_lost = strategy.is_win;
                self.tree.decide(id, strategy);
                if is_lost { Applied::ChangesLines } else { Applied::Done }
            }
            // A search that ends before its budget has a full table, and is cut like any other.
            (Finding::TooHard(_), Some(LineSettings { first_budget, .. }))
                if answer.nodes >= budget =>
            {
                self.lines.spend(id, answer.nodes);
                match self.lines.is_stuck(id, first_budget) {
                    true => Applied::ChangesLines,
                    false => Applied::GoesOn(self.lines.budget(id, first_budget)),
                }
            }
            (Finding::TooHard(guesses), _) => {
                let goal = context.goal(self.question.attacker);
                self.tree.expand(id, Some(&guesses), &goal);
                Applied::ChangesLines
            }
        };
        if let Some(settings) = lines {
            self.show_jobs(settings.first_budget);
        }
        applied
    }
}

/// The effect of an answer on the searches of its round. Only lines of play can change.
enum Applied {
    /// No more is to be searched of the node.
    Done,
    /// The job goes on with this budget.
    GoesOn(u64),
    /// The claimant may need another line.
    ChangesLines,
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
    /// The number of answers that were taken.
    taken: usize,
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
    fn new(context: &'a SearchContext<'a>, goes_on: bool) -> Self {
        Round { context, slots: Vec::new(), places: HashMap::new(), goes_on, taken: 0 }
    }

    /// Submits items, but for those that the ledger has answers to, which are replayed. Returns the
    /// nodes of these.
    fn submit(
        &mut self,
        items: Vec<Item>,
        ledger: &Ledger,
        queue: &dyn ManagerQueue,
    ) -> Result<u64, LedgerError> {
        let context = self.context;
        let bytes: Vec<Vec<u8>> = items.iter().map(|item| item.encode(context)).collect();
        let stored = ledger.get(&bytes)?;
        let slot = |((item, bytes), stored): ((Item, Vec<u8>), Option<Vec<u8>>)| {
            let answer = stored.and_then(|result| Answer::decode(&result, &item, context).ok());
            Slot { item, bytes, done: answer.is_some(), answer, bad: 0 }
        };
        let slots = items.into_iter().zip(bytes).zip(stored).collect::<Vec<_>>();
        let slots: Vec<Slot> = slots.into_par_iter().map(slot).collect();
        let mut nodes = 0;
        for slot in slots {
            match &slot.answer {
                Some(answer) => nodes += answer.nodes,
                None => queue.submit(slot.bytes.clone()),
            }
            self.places.insert(Digest::of(&slot.bytes), self.slots.len());
            self.slots.push(slot);
        }
        Ok(nodes)
    }

    /// Takes the answer to the next item, if it is here.
    fn take_next(&mut self) -> Option<Answer> {
        let answer = self.slots.get_mut(self.taken)?.answer.take()?;
        self.taken += 1;
        Some(answer)
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
                    let is_over = !self.goes_on || matches!(answer.found, Finding::Decided(_));
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
