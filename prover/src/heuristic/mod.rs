//! Heuristic search: what a position is probably worth, and what of that is proved.
//!
//! Iterative deepening of an alpha-beta search with a transposition table, over an [`Evaluation`]
//! and the databases. A search is a function of the position, its limits and the database: it
//! begins with nothing remembered.
//!
//! A score is a guess. Beside it the search keeps claims that are proved ([`Bound`]): a position in
//! the database has its value, one without moves is lost, and what follows from these by the rules
//! of the game is proved for every other. A cut-off branch, a repetition or an evaluation proves
//! nothing.

mod bound;
mod eval;
mod features;
mod order;
mod search;
mod table;
mod weights;

use std::time::{Duration, Instant};

pub use bound::Bound;
pub use eval::Evaluation;
pub use features::{FEATURES, Features, NAMES};
pub use weights::Weights;

use crate::board::{Board, Position};
use crate::egdb::Values;
use search::{Line, Run, State};

/// How far a search may go. The first depth is always finished.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The greatest depth, in moves.
    pub depth: u32,
    /// The most nodes: positions looked at, those of quiescence too.
    pub nodes: u64,
    /// The most time. A search that this ends is not reproducible.
    pub time: Option<Duration>,
}

impl Limits {
    /// The greatest depth possible.
    pub const DEPTH: u32 = 120;
}

impl Default for Limits {
    /// As far as possible.
    fn default() -> Self {
        Limits { depth: Limits::DEPTH, nodes: u64::MAX, time: None }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// For the side to move, in hundredths of a man. Wins that are found are beyond ±10,000.
    pub score: i32,
    /// The depth to which all moves were searched.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// The principal variation: the positions after each move of the best play of both sides.
    pub pv: Vec<Position>,
    /// What is proved.
    pub proven: Bound,
    /// Whether the principal variation ends in a draw that is proved.
    pub ends_in_draw: bool,
}

/// A heuristic searcher of a board.
pub struct Heuristic<'a> {
    board: &'a Board,
    database: &'a Values,
    evaluation: Evaluation,
    state: State,
}

impl<'a> Heuristic<'a> {
    /// A searcher that knows a database.
    pub fn new(board: &'a Board, database: &'a Values) -> Self {
        Self::with_weights(board, database, &Weights::FITTED)
    }

    /// A searcher whose evaluation has other weights.
    pub fn with_weights(board: &'a Board, database: &'a Values, weights: &Weights) -> Self {
        let evaluation = Evaluation::new(board, weights);
        Heuristic { board, database, evaluation, state: State::new() }
    }

    /// The static evaluation: a guess without any search, for the side to move.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluation.score(position)
    }

    /// Searches a position, deeper and deeper; `see` is shown the result for each depth. The search
    /// ends early when the value is proved.
    pub fn search(
        &mut self,
        position: &Position,
        limits: Limits,
        mut see: impl FnMut(&Analysis),
    ) -> Analysis {
        let end = limits.time.map(|time| Instant::now() + time);
        let Heuristic { board, database, evaluation, state } = self;
        let mut run = Run::new(board, database, evaluation, state, limits.nodes, end);
        let mut last: Option<Analysis> = None;
        for depth in 1..=limits.depth.clamp(1, Limits::DEPTH) {
            let expected = last.as_ref().map(|a| a.score);
            let found = run.root(position, depth as i32, expected);
            if run.stopped {
                break;
            }
            let Line { positions, ends_in_draw } = run.variation();
            let (pv, ends_in_draw) = (positions.clone(), *ends_in_draw);
            let claims = database.probe(position).map_or(found.claims, bound::Claims::of);
            let proven = claims.bound();
            let nodes = run.nodes;
            let analysis = Analysis { score: found.score, depth, nodes, pv, proven, ends_in_draw };
            see(&analysis);
            last = Some(analysis);
            if proven.is_exact() {
                break;
            }
        }
        let nodes = run.nodes;
        match last {
            Some(analysis) => Analysis { nodes, ..analysis },
            None => unreachable!("the first depth is always finished"),
        }
    }
}
