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
//! Proofs that take hours: the tree follows the best lines of the side that is not to lose, the
//! *claimant*, and each position at the end of a line is a *job*, a search of its own.
//!
//! Near the root nothing is searched by df-pn. The claimant's move is chosen by an analysis
//! (alpha-beta), and all moves of the opponent are followed. A line ends at its full length, or
//! where the claimant is so far ahead that a search should be cheap. In a job all moves of the
//! claimant are free.
//!
//! The effort of a job is forecast from its score. The jobs of a round have the same budget, the
//! jobs with the lowest score come first, and a job that is not decided goes on where it was, with
//! twice the budget. A job that has taken many times its forecast is *stuck*: the claimant's next
//! best move is tried, and if all of them are stuck, jobs get more patience. Analyses and results
//! are kept in the ledger, so that a proof that was killed goes on, and the tree that is found
//! does not depend on the number of workers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::ledger::{Ledger, LedgerError, Record};
use super::queue::{
    Answer, BadAnswer, Delivery, Found, Item, ManagerQueue, QuestionState, SearchContext,
};
use super::settings::{Environment, LineSettings, ProofSettings};
use super::tree::{Link, NodeId, Reason, Tree};
use crate::board::{Board, Position, Side};
use crate::egdb::numbers::{about, counted, grouped, score};
use crate::heuristic::{Heuristic, Limits};
use crate::progress::Bar;
use crate::search::{Outcome, Probes, ProofNumbers};
use crate::wire;
use certificate_spec::Digest;
use certificate_spec::provenance::Iteration;
use rayon::prelude::*;
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
    /// Whether a search that was interrupted has left a checkpoint, from which it can be resumed.
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

/// The number of invalid results of this process for one item after which the proof fails.
pub(super) const TRIES: u32 = 3;

/// The items of a round, in the order in which their results are applied.
pub(super) struct Round<'a> {
    context: &'a SearchContext<'a>,
    slots: Vec<Slot>,
    /// The place of each item, by the digest of its bytes.
    places: HashMap<Digest, usize>,
    /// Whether searches that are not decided go on later, with larger budgets.
    goes_on: bool,
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
    /// Makes a round with the answers of the ledger, which are replayed; submits the other items.
    pub(super) fn begin(
        items: Vec<Item>,
        context: &'a SearchContext<'a>,
        ledger: &Ledger,
        queue: &dyn ManagerQueue,
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
        for slot in slots.iter().filter(|slot| !slot.done) {
            queue.submit(slot.bytes.clone());
        }
        Ok(Round { context, slots, places, goes_on })
    }

    /// The nodes of the searches whose answers are here.
    pub(super) fn known_nodes(&self) -> u64 {
        self.slots.iter().filter_map(|slot| slot.answer.as_ref()).map(|answer| answer.nodes).sum()
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
    pub(super) fn receive(
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
                    let is_over = !self.goes_on || matches!(answer.found, Found::Decided(_));
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

/// The analysis of each single move has this part of the nodes of an analysis.
const MOVE_SHARE: u64 = 100;
/// A job whose forecast is at most this many first budgets is not cut into smaller ones.
const EASY: f64 = 4.0;
/// Interval at which an analysis looks whether the proof is to end.
const LOOK: Duration = Duration::from_millis(5);
/// A job is stuck after this many times its forecast.
const LINE_PATIENCE: f64 = 8.0;

/// The analysis of a position in which the claimant is to move.
#[derive(Debug, Clone)]
struct Analysed {
    /// The score for the claimant, in hundredths of a man.
    score: i32,
    /// The numbers of its moves, the best one first.
    order: Vec<u32>,
}

/// The state of the lines, beside the tree.
#[derive(Default)]
pub(super) struct Lines {
    analysed: HashMap<NodeId, Analysed>,
    /// The nodes that each job has taken so far.
    spent: HashMap<NodeId, u64>,
    /// The patience of a job: its forecast times [`LINE_PATIENCE`] to the power of one more than this.
    more_patience: i32,
}

/// The work that the lines ask for.
#[derive(Default)]
struct ToDo {
    analyses: Vec<NodeId>,
    jobs: Vec<NodeId>,
}

impl ToDo {
    fn mark(&self) -> (usize, usize) {
        (self.analyses.len(), self.jobs.len())
    }

    fn truncate(&mut self, (analyses, jobs): (usize, usize)) {
        self.analyses.truncate(analyses);
        self.jobs.truncate(jobs);
    }
}

/// The nodes that a job is expected to take, in first budgets: half as many for each 40 hundredths
/// of a man more (docs/experiments/075).
fn forecast(score: i32) -> f64 {
    10.0 * ((255.0 - f64::from(score)) / 40.0).exp2()
}

impl Lines {
    /// The score of a job for the claimant, in hundredths of a man.
    fn score(&self, job: NodeId) -> i32 {
        self.analysed.get(&job).map_or(0, |analysed| analysed.score)
    }

    /// The nodes that a job has taken so far.
    pub(super) fn spent(&self, job: NodeId) -> u64 {
        self.spent.get(&job).copied().unwrap_or(0)
    }

    /// Notes that a job was searched with a budget and not decided.
    pub(super) fn spend(&mut self, job: NodeId, nodes: u64) {
        self.spent.insert(job, nodes);
    }

    /// The budget of the next search of a job, with what it has taken before.
    fn budget(&self, job: NodeId, first: u64) -> u64 {
        match self.spent(job) {
            0 => first,
            spent => 2 * spent,
        }
    }

    /// Returns whether a job is far beyond its forecast, so that another line is to be tried.
    fn is_stuck(&self, job: NodeId, first: u64) -> bool {
        let patience = LINE_PATIENCE.powi(1 + self.more_patience);
        self.spent(job) as f64 >= patience * forecast(self.score(job)).max(1.0) * first as f64
    }

    /// The nodes that a job is still expected to take.
    fn rest(&self, job: NodeId, first: u64) -> f64 {
        let spent = self.spent(job) as f64;
        (forecast(self.score(job)) * first as f64 - spent).max(spent)
    }
}

/// Scores a position, and orders its moves, the best one first.
fn order_moves(board: &Board, heuristic: &mut Heuristic<'_>, item: &Item) -> Analysed {
    let limits = |nodes| Limits { nodes, ..Limits::default() };
    let best = heuristic.search(&item.position, limits(item.heuristic_nodes), |_| ());
    let mut successors = Vec::new();
    board.successors(&item.position, &mut successors);
    let mut scored: Vec<(i32, u32)> = Vec::new();
    for (number, successor) in (0..).zip(&successors) {
        let score = match best.pv.first() == Some(successor) {
            true => i32::MIN,
            // The score of a successor is the opponent's.
            false => {
                let share = limits(item.heuristic_nodes / MOVE_SHARE);
                heuristic.search(successor, share, |_| ()).score
            }
        };
        scored.push((score, number));
    }
    scored.sort_unstable();
    let order = scored.into_iter().map(|(_, number)| number).collect();
    Analysed { score: best.score, order }
}

impl Manager<'_, '_> {
    /// Grows the tree along lines of play until its root is decided.
    pub(super) fn follow_lines(&mut self, settings: &LineSettings) -> Result<Stop, ProofError> {
        loop {
            self.tree.update(None);
            self.verdict.outcome = self.tree.outcome();
            if !matches!(self.verdict.outcome, Outcome::Unknown(_)) {
                return Ok(Stop::Decided);
            }
            if let Some(stop) = self.stop_early() {
                return Ok(stop);
            }
            let mut todo = ToDo::default();
            if !self.follow(0, settings, &mut Vec::new(), &mut todo) {
                self.lines.more_patience += 1;
                continue;
            }
            if todo.analyses.is_empty() {
                self.search_jobs(todo.jobs, settings.first_budget)?;
            } else {
                self.analyse(&todo.analyses, settings.analysis_nodes)?;
            }
        }
    }

    /// Follows the lines from a node on, and collects what is to be done. Returns whether the
    /// claimant has a line on which no job is stuck. A position of `path` is settled, as a
    /// repetition is no loss.
    fn follow(
        &mut self,
        id: NodeId,
        settings: &LineSettings,
        path: &mut Vec<NodeId>,
        todo: &mut ToDo,
    ) -> bool {
        let node = &self.tree.nodes()[id as usize];
        if node.is_decided() || path.contains(&id) {
            return true;
        }
        let is_claimants = !self.tree.goal().is_or(&node.position);
        let mark = todo.mark();
        if let Reason::Frontier = node.reason {
            let analysed = self.lines.analysed.get(&id);
            match analysed {
                None if is_claimants => {
                    todo.analyses.push(id);
                    return true;
                }
                Some(Analysed { score, .. })
                    if path.len() >= settings.plies || forecast(*score) <= EASY =>
                {
                    todo.jobs.push(id);
                    return !self.lines.is_stuck(id, settings.first_budget);
                }
                _ => {
                    let goal = self.tree.goal();
                    self.tree.expand(id, None, &goal);
                }
            }
        }
        let Reason::Expanded(links) = &self.tree.nodes()[id as usize].reason else { return true };
        let links = links.clone();
        let child = |&link: &Link| match link {
            Link::Node(child) => Some(child),
            Link::Known(_) => None,
        };
        path.push(id);
        let goes_on = if is_claimants {
            let order = self.lines.analysed.get(&id).map(|analysed| analysed.order.clone());
            let order = order.unwrap_or_else(|| (0..links.len() as u32).collect());
            let moves = order.iter().filter_map(|&i| links.get(i as usize).and_then(child));
            let mut found = false;
            for next in moves {
                todo.truncate(mark);
                let is_refuted = self.tree.nodes()[next as usize].is_proved();
                if !is_refuted && self.follow(next, settings, path, todo) {
                    found = true;
                    break;
                }
            }
            found
        } else {
            links.iter().filter_map(child).all(|next| self.follow(next, settings, path, todo))
        };
        path.pop();
        if !goes_on {
            todo.truncate(mark);
        }
        goes_on
    }

    /// Analyses positions in which the claimant is to move, in parallel.
    fn analyse(&mut self, ids: &[NodeId], nodes: u64) -> Result<(), ProofError> {
        let question = self.question;
        let ledger = question.environment.ledger;
        let items: Vec<Item> = ids.iter().map(|&id| self.item(id, 0, nodes)).collect();
        let keys: Vec<Vec<u8>> = items.iter().map(|item| item.encode(&question.context)).collect();
        let kept = ledger.get(&keys)?;
        let work: Vec<_> = items.iter().zip(kept).collect();
        let analyse = |(item, kept): (&Item, Option<Vec<u8>>)| {
            let kept = kept.and_then(|bytes| wire::decode::<(i32, Vec<u32>)>(&bytes));
            if let Some((score, order)) = kept {
                return Some((Analysed { score, order }, None));
            }
            let analysed = self.analyse_position(item)?;
            let result = wire::encode(&(analysed.score, &analysed.order));
            Some((analysed, Some(result)))
        };
        let done: Vec<_> = work.into_par_iter().map(analyse).collect();
        for ((&id, item), done) in ids.iter().zip(keys).zip(done) {
            let Some((analysed, fresh)) = done else { continue };
            if let Some(result) = fresh {
                ledger.put(Record { item, result, is_over: false });
            }
            self.lines.analysed.insert(id, analysed);
        }
        Ok(ledger.write()?)
    }

    /// Scores a position in which the claimant is to move, and orders its moves; `None` if the proof
    /// is to end.
    fn analyse_position(&self, item: &Item) -> Option<Analysed> {
        let is_stopped = self.question.environment.is_stopped;
        let context = &self.question.context;
        let mut heuristic = Heuristic::new(context.board, context.database);
        let stop = heuristic.stop_flag();
        let done = AtomicBool::new(false);
        let analysed = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    stop.fetch_or(is_stopped(), Ordering::Relaxed);
                    std::thread::sleep(LOOK);
                }
            });
            let analysed = order_moves(context.board, &mut heuristic, item);
            done.store(true, Ordering::Relaxed);
            analysed
        });
        (!is_stopped()).then_some(analysed)
    }

    /// Searches the jobs that have the smallest budget, those with the lowest score first.
    fn search_jobs(&mut self, mut jobs: Vec<NodeId>, first: u64) -> Result<(), ProofError> {
        jobs.sort_unstable_by_key(|&job| (self.lines.score(job), job));
        jobs.dedup();
        self.say_jobs(&jobs, first);
        let Some(budget) = jobs.iter().map(|&job| self.lines.budget(job, first)).min() else {
            return Ok(());
        };
        jobs.retain(|&job| self.lines.budget(job, first) == budget);
        self.search_round(&jobs, budget)
    }

    /// Shows how many jobs are decided and open, the forecast, and the hardest job.
    fn say_jobs(&self, open: &[NodeId], first_budget: u64) {
        let nodes = self.tree.nodes();
        let leaves = nodes.iter().filter(|node| matches!(node.reason, Reason::Leaf(_))).count();
        let rest: f64 = open.iter().map(|&job| self.lines.rest(job, first_budget)).sum();
        let Some(&first) = open.first() else { return };
        let board = self.question.context.board;
        self.question.bar.note(&format!(
            "{} decided, {} open, forecast {} nodes; hardest {}, score {}, after {}",
            counted(leaves, "job"),
            grouped(open.len() as u64),
            about(rest),
            board.write_fen(&nodes[first as usize].position),
            score(self.lines.score(first)),
            counted(self.lines.spent(first), "node"),
        ));
    }
}
