//! Proofs that take hours: the tree follows the best lines of the side that is not to lose, the
//! *claimant*, and each position at the end of a line is a *job*, a search of its own.
//!
//! Near the root nothing is searched by df-pn. The claimant's move is chosen by an analysis
//! (alpha-beta), and all moves of the opponent are followed. A line ends at its full length, or
//! where the claimant is so far ahead that a search should be cheap. In a job all moves of the
//! claimant are free.
//!
//! The effort of a job is forecast from its score. The jobs with the lowest score come first, and a
//! job that is not decided goes on where it was, with a larger budget. A job that has taken many
//! times its forecast is *stuck*: the claimant's next best move is tried, and if all of them are
//! stuck, jobs get more patience. Analyses and results are kept in the ledger, so that a proof that
//! was killed goes on, and the tree that is found does not depend on the number of workers.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rayon::prelude::*;

use super::ledger::Record;
use super::lines::{Analysed, EASY, ToDo, forecast, order_moves};
use super::manager::{Manager, ProofError, Question, Stop};
use super::queue::{Answer, Finding, Item};
use super::settings::LineSettings;
use super::tree::{Link, Node, NodeId, Reason};
use crate::egdb::numbers::{counted, grouped, score};
use crate::heuristic::Heuristic;
use crate::search::Outcome;
use crate::wire;

/// Interval at which an analysis looks whether the proof is to end.
const LOOK: Duration = Duration::from_millis(5);

impl Manager<'_, '_> {
    /// Grows the tree along lines of play until its root is decided.
    pub(super) fn follow_lines(&mut self, settings: &LineSettings) -> Result<Stop, ProofError> {
        loop {
            self.tree.update(None);
            self.result.outcome = self.tree.outcome();
            if !matches!(self.result.outcome, Outcome::Unknown(_)) {
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
        let done = AtomicUsize::new(0);
        let analyse = |(item, kept): (&Item, Option<Vec<u8>>)| {
            let kept = kept.and_then(|bytes| wire::decode::<(i32, Vec<u32>)>(&bytes));
            if let Some((score, order)) = kept {
                return Some((Analysed { score, order }, None));
            }
            let analysed = self.analyse_position(item)?;
            let number = 1 + done.fetch_add(1, Ordering::Relaxed);
            let of = counted(ids.len(), "position");
            question.bar.note(&format!("analyses {of}, {} done", grouped(number as u64)));
            question.bar.add(0);
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
            self.result.is_kept = true;
        }
        Ok(ledger.write()?)
    }

    /// Scores a position in which the claimant is to move, and orders its moves; `None` if the
    /// proof is to end.
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

    /// Searches the jobs, those that have begun first, and then those with the lowest scores. The
    /// order does not change which move of the claimant is found.
    fn search_jobs(&mut self, mut jobs: Vec<NodeId>, first: u64) -> Result<(), ProofError> {
        let lines = &self.lines;
        jobs.sort_unstable_by_key(|&job| (Reverse(lines.spent(job)), lines.score(job), job));
        jobs.dedup();
        let round = jobs.iter().map(|&job| (job, lines.budget(job, first))).collect();
        self.lines.jobs = jobs;
        self.show_jobs(first);
        self.search_round(round, self.question.jobs_at_once())
    }

    /// Shows what the search of a job has found.
    pub(super) fn say_job(&self, job: NodeId, answer: &Answer) {
        let found = match &answer.found {
            Finding::Decided(strategy) if strategy.is_win => "lost",
            Finding::Decided(_) => "not lost",
            Finding::TooHard(_) => "open",
        };
        let Question { context, environment, .. } = self.question;
        environment.progress.say(format!(
            "job {}, score {}: {found} after {}",
            context.board.write_fen(&self.tree.nodes()[job as usize].position),
            score(self.lines.score(job)),
            counted(answer.nodes, "node"),
        ));
    }

    /// Shows how many jobs are decided and open, what is left by the forecast, and the hardest job.
    pub(super) fn show_jobs(&self, first_budget: u64) {
        let nodes = self.tree.nodes();
        let is_leaf = |node: &Node| matches!(node.reason, Reason::Leaf(_));
        let leaves = nodes.iter().filter(|node| is_leaf(node)).count();
        let is_open = |&job: &NodeId| !is_leaf(&nodes[job as usize]);
        let open: Vec<NodeId> = self.lines.jobs.iter().copied().filter(is_open).collect();
        let Some(&first) = open.first() else { return };
        let rest: f64 = open.iter().map(|&job| self.lines.rest(job, first_budget)).sum();
        let Question { context, bar, .. } = self.question;
        bar.expect(rest as u64);
        bar.note(&format!(
            "{} decided, {} open; hardest {}, score {}, after {}",
            counted(leaves, "job"),
            grouped(open.len() as u64),
            context.board.write_fen(&nodes[first as usize].position),
            score(self.lines.score(first)),
            counted(self.lines.spent(first), "node"),
        ));
    }
}
