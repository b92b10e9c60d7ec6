//! The value of a start: which questions are asked, which side wins, and when that is known.
//!
//! The value of a single position by df-pn alone: both questions in turn.

use super::manager::{ProofError, ProofResult, Stop};
use super::prove::{Grown, prove};
use super::question_proof::{QuestionProof, if_assumed, question_decided};
use super::queue::SearchContext;
use super::settings::{Environment, ProofSettings};
use super::tree::Tree;
use crate::board::{Position, Side};
use crate::egdb::numbers::{counted, grouped};
use crate::egdb::{self, ValueRange};
use crate::search::{Outcome, PackedStrategy, ProofNumbers, Search};
use certificate_spec::claim::{Question, Value};
use certificate_spec::provenance::Asked;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

#[derive(Debug, Clone)]
pub struct Request {
    pub start: Position,
    /// The claim to prove about the start, or its value.
    pub asked: Asked,
    pub settings: ProofSettings,
}

/// The proved value of a start.
#[derive(Debug)]
pub struct Solution {
    /// The value of the start, or a bound of it.
    pub value: Value,
    /// The proofs of its questions, in ascending order.
    pub proofs: Vec<QuestionProof>,
    /// The question that was not decided, if the value is less than was asked for.
    pub undecided: Option<Undecided>,
}

/// A question that was not decided: does the attacker win?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// The side of which the question asks whether it wins.
    pub attacker: Side,
    /// The cause of its end: the budget was spent, or the proof was interrupted.
    pub stop: Stop,
    /// The number of nodes expanded.
    pub nodes: u64,
    /// The number of nodes that was asked for, if there was a bound.
    pub budget: Option<u64>,
    /// The proof and disproof number of the start, if a search has ended.
    pub numbers: Option<ProofNumbers>,
    /// Whether results or a checkpoint of a search are kept, from which an equal command resumes.
    pub is_kept: bool,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Undecided { attacker, stop, nodes, budget, numbers, .. } = self;
        match stop {
            Stop::Interrupted => {
                write!(f, "interrupted before it was decided whether {attacker:?} wins")?;
            }
            _ => {
                let asked = counted(budget.unwrap_or(*nodes), "node");
                write!(f, "not decided whether {attacker:?} wins within {asked}")?;
                if budget.is_some_and(|budget| budget < *nodes) {
                    let spent = counted(*nodes, "node");
                    write!(f, "; the searches under way then have come to {spent}")?;
                }
            }
        }
        match numbers {
            None => Ok(()),
            Some(numbers) => write!(f, " ({numbers})"),
        }
    }
}

#[derive(Debug, Error)]
pub enum SolveError {
    /// A question was not decided.
    #[error("{0}")]
    Undecided(Undecided),
    /// The claim does not hold, provided that this number of assumed nodes hold.
    #[error("{}", if_assumed(*assumed, &format!("the claim does not hold: {winner:?} wins")))]
    DoesNotHold {
        /// The side that wins.
        winner: Side,
        /// The number of assumed nodes that this rests on.
        assumed: usize,
    },
    /// The proof could not go on.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// A decided tree does not hold: a mistake of the prover.
    #[error("the proof tree does not hold")]
    Tree,
}

/// Proves what is asked for. A caller asks [`Values::failure`](crate::egdb::Values::failure) before
/// it uses the result or the error. With a threshold, or when it is interrupted, the value may be a
/// weaker one, or may rest on assumed nodes.
///
/// # Errors
/// [`SolveError`]
pub fn solve(
    request: &Request,
    context: &SearchContext<'_>,
    environment: Environment<'_>,
) -> Result<Solution, SolveError> {
    let solver = Solver { request, context, environment };
    match request.asked {
        Asked::Value => solver.value(),
        Asked::BlackNotLost => solver.bound(Value::BlackNotLost, Side::White),
        Asked::WhiteNotLost => solver.bound(Value::WhiteNotLost, Side::Black),
    }
}

/// An answer to one of the questions.
struct Answered {
    /// The proof, if there is one that can be emitted.
    proof: Option<QuestionProof>,
    /// The cause if there is no proof, or if it rests on assumptions.
    undecided: Option<Undecided>,
}

impl Answered {
    fn proves(&self, question: Question) -> bool {
        self.proof.as_ref().is_some_and(|proof| proof.question == question)
    }
}

struct Solver<'a> {
    request: &'a Request,
    context: &'a SearchContext<'a>,
    environment: Environment<'a>,
}

impl Solver<'_> {
    /// Shows that a side does not lose: its opponent, the attacker, does not win.
    fn bound(&self, value: Value, attacker: Side) -> Result<Solution, SolveError> {
        let Answered { proof, undecided } = self.ask(attacker, &|| false)?;
        match (proof, undecided) {
            (Some(proof), undecided) if value.questions() == [proof.question] => {
                Ok(Solution { value, proofs: vec![proof], undecided })
            }
            (_, Some(undecided)) => Err(SolveError::Undecided(undecided)),
            (proof, None) => {
                let assumed = proof.map_or(0, |proof| proof.assumed());
                Err(SolveError::DoesNotHold { winner: attacker, assumed })
            }
        }
    }

    /// Asks both questions. If one side wins there is no need for an answer to the other one.
    fn value(&self) -> Result<Solution, SolveError> {
        let [white, black] = self.ask_both()?;
        let (value, undecided, proofs) = if white.proves(Question::WhiteWins) {
            (Value::WhiteWins, white.undecided, [white.proof, None])
        } else if black.proves(Question::BlackWins) {
            (Value::BlackWins, black.undecided, [black.proof, None])
        } else {
            let undecided = white.undecided.or(black.undecided);
            let value = match (&white.proof, &black.proof, &undecided) {
                (Some(_), Some(_), _) => Value::Draw,
                // A bound is better than no answer.
                (Some(_), None, _) if self.may_be_partial() => Value::BlackNotLost,
                (None, Some(_), _) if self.may_be_partial() => Value::WhiteNotLost,
                (.., Some(undecided)) => return Err(SolveError::Undecided(undecided.clone())),
                (.., None) => return Err(SolveError::Tree),
            };
            (value, undecided, [white.proof, black.proof])
        };
        Ok(Solution { value, proofs: proofs.into_iter().flatten().collect(), undecided })
    }

    /// Asks whether White wins and whether Black wins; in parallel if there is more than one
    /// worker.
    fn ask_both(&self) -> Result<[Answered; 2], SolveError> {
        let is_needless = [AtomicBool::new(false), AtomicBool::new(false)];
        let ask = |attacker, i: usize| {
            let answered = self.ask(attacker, &|| is_needless[i].load(Ordering::Relaxed));
            let settles_all = match &answered {
                // Under a threshold both sides may seem to win. Then White's proof is taken,
                // whichever is first.
                Ok(Answered { proof: Some(proof), .. }) => {
                    proof.question.is_win()
                        && (attacker == Side::White || self.request.settings.thresholds.is_none())
                }
                Ok(_) => false,
                Err(_) => true,
            };
            if settles_all {
                is_needless[1 - i].store(true, Ordering::Relaxed);
            }
            answered
        };
        if self.environment.workers.is_single() {
            return Ok([ask(Side::White, 0)?, ask(Side::Black, 1)?]);
        }
        std::thread::scope(|scope| {
            let black = scope.spawn(|| ask(Side::Black, 1));
            let white = ask(Side::White, 0);
            let black = black.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok([white?, black?])
        })
    }

    /// Whether a value is to be emitted even if it is weaker than was asked for.
    fn may_be_partial(&self) -> bool {
        self.request.settings.thresholds.is_some() || (self.environment.is_stopped)()
    }

    /// Asks whether `attacker` wins. The answer is empty once `is_needless` returns true.
    fn ask(
        &self,
        attacker: Side,
        is_needless: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answered, SolveError> {
        let Solver { request, context, environment } = *self;
        if let Some(won) = context.goal(attacker).known(&request.start) {
            let proof = QuestionProof::of_known_start(question_decided(attacker, won));
            return Ok(Answered { proof: Some(proof), undecided: None });
        }
        let has_failed = || context.database.has_failed();
        let is_stopped = || (environment.is_stopped)() || has_failed() || is_needless();
        let Grown { mut tree, result } = prove(
            &request.settings,
            context,
            attacker,
            &request.start,
            Environment { is_stopped: &is_stopped, ..environment },
        )?;
        let undecided = undecided(attacker, request.settings.max_nodes, &result);
        if result.stop == Stop::Interrupted && is_needless() {
            return Ok(Answered { proof: None, undecided });
        }
        let progress = environment.progress;
        if request.settings.thresholds.is_some() {
            result.history.iter().for_each(|iteration| progress.say(iteration.to_string()));
        }
        if undecided.is_some() && !(self.may_be_partial() && assume(&mut tree, &result)) {
            return Ok(Answered { proof: None, undecided });
        }
        let is_won = tree.outcome() == Outcome::Proved;
        let size = tree.nodes().len();
        let proof = tree.into_proof().ok_or(SolveError::Tree)?;
        let proof = QuestionProof { history: result.history, ..proof };
        progress.say(format!(
            "does {attacker:?} win? {}: {} in {}, tree {}",
            if_assumed(proof.assumed(), if is_won { "yes" } else { "no" }),
            counted(result.nodes, "node"),
            counted(result.searches, "search"),
            grouped(size as u64),
        ));
        Ok(Answered { proof: Some(proof), undecided })
    }
}

/// Describes why a proof has not decided its question, if it has not.
fn undecided(attacker: Side, budget: Option<u64>, result: &ProofResult) -> Option<Undecided> {
    let Outcome::Unknown(numbers) = result.outcome else { return None };
    // Before a search has ended the numbers are no more than an estimate.
    let numbers = (result.searches > 0).then_some(numbers);
    let is_kept = result.is_kept || result.searches > 0;
    let &ProofResult { stop, nodes, .. } = result;
    Some(Undecided { attacker, stop, nodes, budget, numbers, is_kept })
}

/// Sets the tree to the largest threshold at which the root of an unfinished tree is decided, and
/// so assumes what is beyond it; returns whether there is such a threshold.
fn assume(tree: &mut Tree<'_>, result: &ProofResult) -> bool {
    const STEP: usize = 10;
    let most = result.history.iter().filter_map(|i| i.threshold).max();
    let most = most.unwrap_or_else(|| {
        tree.nodes().iter().map(|n| n.score().unsigned_abs()).max().unwrap_or(0)
    });
    let thresholds: Vec<u32> = (1..=most).rev().step_by(STEP).chain([1, 0]).collect();
    let mut is_decided = |threshold| {
        tree.update(Some(threshold));
        !matches!(tree.outcome(), Outcome::Unknown(_))
    };
    // At a lower threshold more nodes count as decided, and those of a higher one still do.
    let first = thresholds.partition_point(|&threshold| !is_decided(threshold));
    thresholds.get(first).is_some_and(|&threshold| is_decided(threshold))
}

/// The budget of the first search of either question, in nodes.
const FIRST_SHARE: u64 = 2_000;

/// The value of a position, as far as df-pn has proved it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionValue {
    /// The proved range of its value, for the side to move.
    pub value: ValueRange,
    /// The number of nodes expanded.
    pub nodes: u64,
    /// The attacker of each question that was answered, and the strategy that answers it.
    pub strategies: Vec<(Side, PackedStrategy)>,
}

struct OpenQuestion<'a> {
    search: Search<'a>,
    answer: Option<bool>,
    strategy: Option<PackedStrategy>,
}

impl OpenQuestion<'_> {
    fn run(&mut self, position: &Position, nodes: u64) {
        let answer = match self.search.run(position, nodes) {
            Outcome::Unknown(_) => return,
            outcome => outcome == Outcome::Proved,
        };
        // An answer without a valid strategy would be a mistake of the prover; it is dropped.
        self.strategy = self.search.strategy(position).ok();
        self.answer = self.strategy.is_some().then_some(answer);
    }
}

/// Searches in turn the questions whether the side to move wins and whether it loses, with more
/// nodes each time, so that an easy answer to either is found before many nodes are spent on the
/// other. Both take at most `nodes` nodes together. `search` makes a search for an attacker. What
/// is `known` of the value is not searched.
pub fn position_value<'a>(
    search: impl Fn(Side) -> Search<'a>,
    position: &Position,
    known: ValueRange,
    nodes: u64,
) -> PositionValue {
    let attackers = [position.turn, position.turn.opponent()];
    let mut questions = attackers.map(|attacker| OpenQuestion {
        search: search(attacker),
        answer: None,
        strategy: None,
    });
    for (question, known) in questions.iter_mut().zip([known, known.reversed()]) {
        question.answer = match (known.lower, known.upper) {
            (egdb::Value::Win, _) => Some(true),
            (_, egdb::Value::Draw | egdb::Value::Loss) => Some(false),
            (_, egdb::Value::Win) => None,
        };
    }
    let spent = |q: &[OpenQuestion<'_>; 2]| q[0].search.nodes() + q[1].search.nodes();
    let mut share = FIRST_SHARE;
    let mut before = u64::MAX;
    while spent(&questions) != before {
        before = spent(&questions);
        for i in 0..questions.len() {
            let share = share.min(nodes.saturating_sub(spent(&questions)));
            if questions[i].answer.is_none() && questions[1 - i].answer != Some(true) && share > 0 {
                questions[i].run(position, share);
            }
        }
        share += share / 2;
    }
    let [win, loss] = &questions;
    let lower = match (win.answer, loss.answer) {
        (Some(true), _) => egdb::Value::Win,
        (_, Some(false)) => egdb::Value::Draw,
        _ => egdb::Value::Loss,
    };
    let upper = match (win.answer, loss.answer) {
        (_, Some(true)) => egdb::Value::Loss,
        (Some(false), _) => egdb::Value::Draw,
        _ => egdb::Value::Win,
    };
    let nodes = spent(&questions);
    let answered = attackers.into_iter().zip(questions);
    let strategies = answered.filter_map(|(attacker, q)| Some((attacker, q.strategy?))).collect();
    PositionValue { value: ValueRange { lower, upper }, nodes, strategies }
}
