//! The engine's estimates of positions that nothing decides, made while a request waits.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use draughtproof_play::games::Judge;
use draughtproof_play::lookup::Lookup;
use draughtproof_proof::heuristic::Limits;

use crate::board::{Board, MoveError, Position};

/// The budget of all positions of a request together, in nodes of alpha-beta.
const NODES: u64 = 100_000;
/// The time that they may take together.
const TIME: Duration = Duration::from_millis(200);
/// The most estimates that are kept; then all are forgotten.
const KEPT: usize = 50_000;
/// The most moves of a line.
const LINE: usize = 8;

/// An estimate of a position.
#[derive(Clone)]
pub(super) struct Estimate {
    /// Hundredths of a man for the side to move.
    pub(super) score: i32,
    /// The positions after each move of the line that the engine expects.
    pub(super) line: Vec<Position>,
}

/// The estimates of the positions of a board.
#[derive(Default)]
pub(super) struct Estimates(Mutex<HashMap<Position, Estimate>>);

impl Estimates {
    /// Returns the estimate of each position, from a short search unless it is kept.
    pub(super) fn of(&self, lookup: Lookup<'_>, positions: &[Position]) -> Vec<Estimate> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let share = positions.len().max(1) as u32;
        let limits = Limits { nodes: NODES / u64::from(share), ..Limits::default() };
        let judge = Judge::new(lookup, Limits { time: Some(TIME / share), ..limits });
        let mut found = Vec::with_capacity(positions.len());
        for position in positions {
            let known = kept().get(position).cloned();
            found.push(known.unwrap_or_else(|| {
                let mut verdict = judge.judge(position);
                verdict.line.truncate(LINE);
                let estimate = Estimate { score: verdict.score, line: verdict.line };
                let mut kept = kept();
                if kept.len() >= KEPT {
                    kept.clear();
                }
                kept.insert(*position, estimate.clone());
                estimate
            }));
        }
        found
    }
}

/// Returns the names of the moves of a line.
pub(super) fn named_line(
    board: &Board,
    from: &Position,
    line: &[Position],
) -> Result<Vec<String>, MoveError> {
    let before = std::iter::once(from).chain(line);
    before.zip(line).map(|(at, after)| board.write_move(at, after)).collect()
}
