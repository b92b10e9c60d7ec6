//! The state of the lines that a proof of hours follows: analyses, the nodes that jobs have taken,
//! and what they are expected to take.

use std::collections::HashMap;

use super::queue::Item;
use super::tree::NodeId;
use crate::board::Board;
use crate::heuristic::{Heuristic, Limits};

/// The analysis of each single move has this part of the nodes of an analysis.
const MOVE_SHARE: u64 = 100;
/// A job whose forecast is at most this many first budgets is not cut into smaller ones.
pub(super) const EASY: f64 = 2.0;
/// A job is stuck after this many times its forecast.
const PATIENCE: f64 = 8.0;

/// The analysis of a position in which the claimant is to move.
#[derive(Debug, Clone)]
pub(super) struct Analysed {
    /// The score for the claimant, in hundredths of a man.
    pub(super) score: i32,
    /// The numbers of its moves, the best one first.
    pub(super) order: Vec<u32>,
}

/// The state of the lines, beside the tree.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) analysed: HashMap<NodeId, Analysed>,
    /// The jobs of the lines that are followed now, in the order in which they are searched.
    pub(super) jobs: Vec<NodeId>,
    /// The nodes that each job has taken so far.
    spent: HashMap<NodeId, u64>,
    /// The patience of a job: its forecast times [`PATIENCE`] to the power of one more than this.
    pub(super) more_patience: i32,
}

/// The work that the lines ask for.
#[derive(Default)]
pub(super) struct ToDo {
    pub(super) analyses: Vec<NodeId>,
    pub(super) jobs: Vec<NodeId>,
}

impl ToDo {
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.analyses.len(), self.jobs.len())
    }

    pub(super) fn truncate(&mut self, (analyses, jobs): (usize, usize)) {
        self.analyses.truncate(analyses);
        self.jobs.truncate(jobs);
    }
}

/// The nodes that a job is expected to take, in first budgets: half as many for each 120 hundredths
/// of a man more (docs/scale.md has the jobs of opening 15).
pub(super) fn forecast(score: i32) -> f64 {
    2.0 * ((228.0 - f64::from(score)) / 120.0).exp2()
}

impl Lines {
    /// The score of a job for the claimant, in hundredths of a man.
    pub(super) fn score(&self, job: NodeId) -> i32 {
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

    /// The budget of the next search of a job, with what it has taken before. Each search takes as
    /// many nodes, so that none of them keeps the answers of others waiting for long.
    pub(super) fn budget(&self, job: NodeId, first: u64) -> u64 {
        self.spent(job) + first
    }

    /// Returns whether a job is far beyond its forecast, so that another line is to be tried.
    pub(super) fn is_stuck(&self, job: NodeId, first: u64) -> bool {
        let patience = PATIENCE.powi(1 + self.more_patience);
        self.spent(job) as f64 >= patience * forecast(self.score(job)).max(1.0) * first as f64
    }

    /// The nodes that a job is still expected to take.
    pub(super) fn rest(&self, job: NodeId, first: u64) -> f64 {
        let spent = self.spent(job) as f64;
        (forecast(self.score(job)) * first as f64 - spent).max(spent)
    }
}

/// Scores a position, and orders its moves, the best one first.
pub(super) fn order_moves(board: &Board, heuristic: &mut Heuristic<'_>, item: &Item) -> Analysed {
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
