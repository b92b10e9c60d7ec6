//! Growing the tree until its root is decided.
//!
//! Each round hands the frontier nodes that matter most to df-pn searches, each with a fresh table
//! and the same budget, and applies the results in the order in which the nodes were chosen. A node
//! that is too hard for the budget is expanded. The searches of a round are done by workers side by side,
//! and their number does not depend on the number of workers, so neither does the tree.
//!
//! With a threshold the tree is first grown until its root is decided under the assumption that what is
//! likely is so; then the threshold is raised, and the same tree grown on ("Checkers Is Solved", 2007).
//! Nothing of it is kept but the results of the searches ([`Results`]): the tree follows from them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use certificate_spec::Digest;
use thiserror::Error;

use super::item::{Answer, BadAnswer, Found, Ground, Item};
use super::queue::Queue;
use super::store::{Checkpoints, Results, ResultsError};
use super::tree::{NodeId, Reason, Tree};
use super::workers::Workers;
use crate::board::{Position, Side};
use crate::progress::{Bar, Progress};
use crate::search::{Checkpoint, Outcome};

/// The least number of searches of a round.
const ROUND: usize = 16;
/// With larger trees a round has a search for each so many nodes, so that the work of choosing them,
/// which goes over the whole tree, stays in proportion.
const NODES_PER_SEARCH: usize = 16;
/// How often an item is given out whose results are no good.
const TRIES: u32 = 3;

/// Thresholds, in hundredths of a man.
#[derive(Debug, Clone, Copy)]
pub struct Thresholds {
    /// The first one.
    pub first: i32,
    /// From one to the next.
    pub increment: i32,
    /// The last one; if there is none, everything is proved in the end.
    pub until: Option<i32>,
}

/// How a proof is to be made.
#[derive(Debug, Clone)]
pub struct Manager {
    /// The budget of a leaf search, in nodes.
    pub leaf_nodes: u64,
    /// The bytes that the table of a leaf search may grow to.
    pub leaf_table: u64,
    /// The budget of all searches together, in nodes.
    pub max_nodes: u64,
    /// Thresholds, if proofs are to begin with what is likely.
    pub thresholds: Option<Thresholds>,
    /// Positions of a line of play from the start: its last one is decided first, then the one before.
    pub seed: Vec<Position>,
    /// Who does the searches.
    pub workers: Workers,
}

/// Says whether somebody wants a proof to end.
pub type IsStopped<'a> = dyn Fn() -> bool + Sync + 'a;

/// What was done with a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Iteration {
    /// The threshold; none for the last iteration, in which everything is proved.
    pub threshold: Option<i32>,
    /// Nodes of the tree at its end.
    pub nodes: u64,
    /// Leaves among them that are decided.
    pub leaves: u64,
    /// Searches since the first iteration began.
    pub searches: u64,
    /// Nodes that they expanded.
    pub searched: u64,
    /// The depth of the tree, in moves.
    pub depth: u32,
}

/// Why a proof stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The root is decided at the last threshold.
    Decided,
    /// The budget is spent.
    Budget,
    /// Somebody asked.
    Interrupted,
}

/// How a proof ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Why.
    pub stop: Stop,
    /// The answer at the root.
    pub outcome: Outcome,
    /// Nodes expanded by all leaf searches.
    pub nodes: u64,
    /// The number of leaf searches.
    pub searches: u64,
    /// The iterations that are finished.
    pub history: Vec<Iteration>,
}

/// Why a proof could not go on.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The file of results.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A search that nobody gets done.
    #[error("a search failed {TRIES} times, the last time with {0}")]
    Worker(BadAnswer),
}

/// A proof under way.
struct Run<'a, 'g> {
    manager: &'a Manager,
    ground: &'g Ground<'g>,
    queue: &'a Queue,
    results: &'a Results,
    is_stopped: &'a IsStopped<'a>,
    tree: Tree<'g>,
    verdict: Verdict,
    probes: (u64, u64),
    bar: &'a Bar,
}

impl Manager {
    /// Decides whether `attacker` wins from `root`.
    ///
    /// # Errors
    /// [`ProofError`]
    pub fn prove<'g>(
        &self,
        ground: &'g Ground<'g>,
        attacker: Side,
        root: &Position,
        results: &Results,
        is_stopped: &IsStopped<'_>,
        progress: &Progress,
    ) -> Result<(Tree<'g>, Verdict), ProofError> {
        let queue = Queue::default();
        let bar = progress.start(format!("does {attacker:?} win?"), 0, "nodes searched");
        let (checkpoints, say) = (results.checkpoints(), |what| progress.say(what));
        let answer = |bytes: &[u8]| {
            let item = Item::decode(bytes, ground)?;
            let watch = |nodes, numbers: Option<(u32, u32)>| {
                if let Some((proof, disproof)) = numbers.filter(|_| item.position == *root) {
                    bar.note(&format!("proof number {proof}, disproof number {disproof}"));
                }
                bar.add(nodes);
                is_stopped()
            };
            let checkpoint =
                |c: &Checkpoints| Checkpoint::new(c.file(bytes), Digest::of(bytes), &say);
            let checkpoint = checkpoints.as_ref().map(checkpoint);
            Some(Answer::of(&item, ground, &watch, checkpoint)?.encode())
        };
        let done = std::thread::scope(|scope| {
            let _closing = Closing(&queue);
            for _ in 0..self.workers.number() {
                scope.spawn(|| work(&queue, &self.workers, &answer));
            }
            let mut run = Run {
                manager: self,
                ground,
                queue: &queue,
                results,
                is_stopped,
                tree: Tree::new(ground.board, ground.database, attacker, root),
                verdict: Verdict {
                    stop: Stop::Decided,
                    outcome: Outcome::Unknown { proof: 1, disproof: 1 },
                    nodes: 0,
                    searches: 0,
                    history: Vec::new(),
                },
                probes: (0, 0),
                bar: &bar,
            };
            let done = run.iterate().and_then(|()| Ok(run.results.write()?));
            done.map(|()| (run.tree, run.verdict))
        });
        bar.finish();
        done
    }
}

/// What a worker does.
fn work(queue: &Queue, workers: &Workers, answer: &(dyn Fn(&[u8]) -> Option<Vec<u8>> + Sync)) {
    while let Some(lease) = queue.lease() {
        let _worker = workers.take();
        match catch_unwind(AssertUnwindSafe(|| answer(&lease.item))) {
            // An item that cannot be read, brings the search down or is stopped has no good answer.
            Err(_) | Ok(None) => lease.complete(Vec::new()),
            Ok(Some(answer)) => lease.complete(answer),
        }
    }
}

/// Closes the queue at the end, whatever the end is: the workers would wait for ever.
struct Closing<'a>(&'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Run<'_, '_> {
    /// One threshold after the other.
    fn iterate(&mut self) -> Result<(), ProofError> {
        let thresholds = self.manager.thresholds;
        let mut threshold = thresholds.map(|t| t.first);
        loop {
            self.verdict.stop = self.grow(threshold)?;
            if self.verdict.stop != Stop::Decided {
                return Ok(());
            }
            let leaves = |tree: &Tree<'_>| {
                let is_leaf = |n: &&super::tree::Node| matches!(n.reason, Reason::Leaf { .. });
                tree.nodes().iter().filter(is_leaf).count() as u64
            };
            self.verdict.history.push(Iteration {
                threshold,
                nodes: self.tree.nodes().len() as u64,
                leaves: leaves(&self.tree),
                searches: self.verdict.searches,
                searched: self.verdict.nodes,
                depth: self.tree.depth(),
            });
            let (Some(now), Some(t)) = (threshold, thresholds) else {
                return Ok(());
            };
            if t.until.is_some_and(|until| now >= until) {
                return Ok(());
            }
            // On to the next one beyond which something changes.
            threshold = self.tree.least_assumed().map(|least| {
                let steps = (least - now) / t.increment.max(1) + 1;
                let next = now.saturating_add(steps.saturating_mul(t.increment.max(1)));
                t.until.map_or(next, |until| next.min(until))
            });
            if threshold.is_none() && t.until.is_some() {
                return Ok(());
            }
        }
    }

    /// Grows the tree until its root is decided at a threshold.
    fn grow(&mut self, threshold: Option<i32>) -> Result<Stop, ProofError> {
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
            self.tree.expand(id, None);
        }
    }

    /// Grows the tree until a node is decided.
    fn grow_at(&mut self, of: NodeId, threshold: Option<i32>) -> Result<Stop, ProofError> {
        loop {
            self.verdict.outcome = self.tree.outcome();
            if !matches!(self.tree.outcome_of(of), Outcome::Unknown { .. }) {
                return Ok(Stop::Decided);
            }
            if self.verdict.nodes >= self.manager.max_nodes {
                return Ok(Stop::Budget);
            }
            if (self.is_stopped)() {
                return Ok(Stop::Interrupted);
            }
            self.show(of, threshold);
            let size = self.tree.nodes().len();
            let round = self.tree.frontier(of, ROUND.max(size / NODES_PER_SEARCH));
            self.search(&round)?;
            self.tree.update(threshold);
        }
    }

    fn show(&self, of: NodeId, threshold: Option<i32>) {
        let Outcome::Unknown { proof, disproof } = self.tree.outcome_of(of) else { return };
        let (looked, hits) = self.probes;
        let share = 100.0 * hits as f64 / looked.max(1) as f64;
        let threshold = threshold.map_or(String::new(), |t| format!("threshold {t}, "));
        self.bar.note(&format!(
            "{threshold}proof number {proof}, disproof number {disproof}, tree {}, {} searches, {share:.0} % \
             of look-ups in the database",
            self.tree.nodes().len(),
            self.verdict.searches
        ));
    }

    /// Has nodes searched, and applies what is found in their order, up to where somebody stops it.
    fn search(&mut self, round: &[NodeId]) -> Result<(), ProofError> {
        let item = |&id: &NodeId| Item {
            attacker: self.tree.attacker(),
            position: self.tree.nodes()[id as usize].position,
            nodes: self.manager.leaf_nodes,
            table: self.manager.leaf_table,
            heuristic_nodes: (self.manager.leaf_nodes / 100).clamp(20, 1000),
        };
        let items: Vec<Item> = round.iter().map(item).collect();
        let bytes: Vec<Vec<u8>> = items.iter().map(|item| item.encode(self.ground)).collect();
        let there = self.results.get(&bytes)?;
        let submit = |(there, bytes): (&Option<Vec<u8>>, &Vec<u8>)| {
            there.is_none().then(|| self.queue.submit(bytes.clone()))
        };
        let ids: Vec<Option<u64>> = there.iter().zip(&bytes).map(submit).collect();
        for (i, (there, id)) in there.into_iter().zip(ids).enumerate() {
            let (mut stored, mut id, mut tries) = (there, id, 0);
            let answer = loop {
                let (result, is_new) = match (stored.take(), id.take()) {
                    (Some(result), _) => (result, false),
                    (None, Some(id)) => (self.queue.result(id), true),
                    (None, None) => (Vec::new(), false),
                };
                match Answer::decode(&result, &items[i], self.ground) {
                    Ok(answer) => {
                        if is_new {
                            self.results.put(bytes[i].clone(), result);
                        }
                        break answer;
                    }
                    Err(_) if (self.is_stopped)() => return Ok(()),
                    Err(bad) => {
                        tries += 1;
                        if tries == TRIES {
                            return Err(ProofError::Worker(bad));
                        }
                        id = Some(self.queue.submit(bytes[i].clone()));
                    }
                }
            };
            self.verdict.nodes += answer.nodes;
            self.verdict.searches += 1;
            self.probes.0 += answer.probes.0;
            self.probes.1 += answer.probes.1;
            match answer.found {
                Found::Decided { won, leaf } => self.tree.decide(round[i], won, leaf),
                Found::TooHard(guesses) => self.tree.expand(round[i], Some(&guesses)),
            }
        }
        self.results.write_if_due()?;
        Ok(())
    }
}
