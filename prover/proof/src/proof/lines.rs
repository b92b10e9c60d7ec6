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

use rayon::prelude::*;

use super::item::Item;
use super::ledger::Record;
use super::manager::{Manager, ProofError, Stop};
use super::settings::LineSettings;
use super::tree::{Link, NodeId, Reason};
use crate::board::Board;
use crate::egdb::numbers::{about, counted, grouped, score};
use crate::heuristic::{Heuristic, Limits};
use crate::search::Outcome;
use crate::wire;

/// The analysis of each single move has this part of the nodes of an analysis.
const MOVE_SHARE: u64 = 100;
/// A job whose forecast is at most this many first budgets is not cut into smaller ones.
const EASY: f64 = 4.0;
/// Interval at which an analysis looks whether the proof is to end.
const LOOK: Duration = Duration::from_millis(5);
/// A job is stuck after this many times its forecast.
const PATIENCE: f64 = 8.0;

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
    /// The patience of a job: its forecast times [`PATIENCE`] to the power of one more than this.
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
        let patience = PATIENCE.powi(1 + self.more_patience);
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
