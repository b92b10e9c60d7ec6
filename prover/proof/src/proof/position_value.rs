//! The value of a single position by df-pn alone: both questions in turn.

use crate::board::{Position, Side};
use crate::egdb::{Value, ValueRange};
use crate::search::{Outcome, PackedStrategy, Search};

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

/// One of the two questions.
struct Question<'a> {
    search: Search<'a>,
    answer: Option<bool>,
    strategy: Option<PackedStrategy>,
}

impl Question<'_> {
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
    let mut questions = attackers.map(|attacker| Question {
        search: search(attacker),
        answer: None,
        strategy: None,
    });
    for (question, known) in questions.iter_mut().zip([known, known.reversed()]) {
        question.answer = match (known.lower, known.upper) {
            (Value::Win, _) => Some(true),
            (_, Value::Draw | Value::Loss) => Some(false),
            (_, Value::Win) => None,
        };
    }
    let spent = |q: &[Question<'_>; 2]| q[0].search.nodes() + q[1].search.nodes();
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
        (Some(true), _) => Value::Win,
        (_, Some(false)) => Value::Draw,
        _ => Value::Loss,
    };
    let upper = match (win.answer, loss.answer) {
        (_, Some(true)) => Value::Loss,
        (Some(false), _) => Value::Draw,
        _ => Value::Win,
    };
    let nodes = spent(&questions);
    let answered = attackers.into_iter().zip(questions);
    let strategies = answered.filter_map(|(attacker, q)| Some((attacker, q.strategy?))).collect();
    PositionValue { value: ValueRange { lower, upper }, nodes, strategies }
}
