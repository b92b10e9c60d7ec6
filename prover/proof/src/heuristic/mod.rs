//! Heuristic search: a score for a position, and the bounds of its value that are proved.
//!
//! Iterative deepening of an alpha-beta search with a transposition table, over an [`Evaluation`]
//! and the databases. A search is a function of the position, its limits and the database: it
//! begins with an empty transposition table.
//!
//! A score is a guess. Beside it the search keeps claims that are proved ([`ValueRange`]): a
//! position in the database has its value, one without moves is lost, and what follows from these
//! by the rules of the game is proved for every other position. A cut-off branch, a repetition or
//! an evaluation proves nothing.

mod eval;
pub mod network;
mod order;
mod run;
mod score;
mod search;
mod table;

pub use eval::{Evaluation, FEATURES, Features, NAMES, Weights};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::board::{Board, Position};
use crate::egdb::{OutOfMemory, ValueRange, Values};
use run::{Line, Run, Shared, State};
use table::Table;

/// The limits of a search. The first depth is always finished.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The greatest depth, in moves.
    pub depth: u32,
    /// The most nodes: positions visited, including those of quiescence search.
    pub nodes: u64,
    /// The time limit. A search that it ends is not reproducible.
    pub time: Option<Duration>,
}

impl Limits {
    /// The greatest possible depth.
    pub const DEPTH: u32 = 120;
}

impl Default for Limits {
    /// No limits other than the greatest possible depth.
    fn default() -> Self {
        Limits { depth: Limits::DEPTH, nodes: u64::MAX, time: None }
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// The score for the side to move, in hundredths of a man. Wins that were found are beyond
    /// ±10,000.
    pub score: i32,
    /// The depth to which all moves were searched.
    pub depth: u32,
    /// The number of nodes: positions visited.
    pub nodes: u64,
    /// The principal variation: the positions after each move of the best play of both sides. At
    /// the end of a search it may be that of a depth that a limit left unfinished.
    pub pv: Vec<Position>,
    /// The proved bound of the value, for the side to move.
    pub proven: ValueRange,
    /// Whether the principal variation ends in a draw that is proved.
    pub ends_in_draw: bool,
}

/// A heuristic searcher of a board.
pub struct Heuristic<'a> {
    board: &'a Board,
    database: &'a Values,
    evaluation: Evaluation,
    table: Table,
    /// The state of each thread.
    states: Vec<State>,
    stop: Arc<AtomicBool>,
    is_selective: bool,
}

impl<'a> Heuristic<'a> {
    /// A searcher that uses a database and the fitted evaluation of its board.
    pub fn new(board: &'a Board, database: &'a Values) -> Self {
        Self::with_evaluation(board, database, Evaluation::fitted(board))
    }

    /// A searcher that uses a database and another evaluation.
    pub fn with_evaluation(board: &'a Board, database: &'a Values, evaluation: Evaluation) -> Self {
        Heuristic {
            board,
            database,
            evaluation,
            table: Table::new(),
            states: vec![State::new()],
            stop: Arc::default(),
            is_selective: true,
        }
    }

    /// Searches with this number of threads. With more than one, two equal searches may differ.
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.states.resize_with(threads.max(1), State::new);
        self
    }

    /// Keeps a transposition table of at most `bytes` bytes from one search to the next. The result
    /// of a search then depends on the earlier searches.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.table = Table::kept(bytes);
        self
    }

    /// The memory that [`Heuristic::with_memory`] wanted and did not get, so that the table is
    /// smaller.
    pub fn lack(&self) -> Option<OutOfMemory> {
        self.table.lack
    }

    /// Searches every move to the whole depth and prunes nothing. That is far slower, and simple
    /// enough to be compared with a plain minimax search.
    pub fn without_reductions(mut self) -> Self {
        self.is_selective = false;
        self
    }

    /// Takes the memory of the transposition table before a search does, which makes searches
    /// faster.
    pub fn prepare(&self) {
        self.table.prepare();
    }

    /// Clears the transposition table.
    pub fn forget(&mut self) {
        self.table.clear();
    }

    /// The flag that, when set by any thread, ends a search as soon as the first depth is finished.
    /// The caller that sets it clears it before the next search.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// The static evaluation for the side to move, in hundredths of a man: a guess without a
    /// search.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluation.score(position)
    }

    /// Searches a position by iterative deepening; `see` is shown the result of each depth. The
    /// search ends early when the value is proved.
    pub fn search(
        &mut self,
        position: &Position,
        limits: Limits,
        see: impl FnMut(&Analysis),
    ) -> Analysis {
        self.search_after(&[], position, limits, see)
    }

    /// Like [`Heuristic::search`] within a game: `earlier` are the positions before this one, the
    /// oldest first. A return to one of them counts as a draw.
    pub fn search_after(
        &mut self,
        earlier: &[Position],
        position: &Position,
        limits: Limits,
        mut see: impl FnMut(&Analysis),
    ) -> Analysis {
        let threads = self.states.len() as u64;
        self.table.begin(limits.nodes);
        let is_over = AtomicBool::new(false);
        let nodes = AtomicU64::new(0);
        let shared = Shared {
            board: self.board,
            database: self.database,
            evaluation: &self.evaluation,
            table: &self.table,
            is_selective: self.is_selective,
            most_nodes: if threads == 1 { limits.nodes } else { limits.nodes / threads },
            end: limits.time.map(|time| Instant::now() + time),
            stop: &self.stop,
            is_over: &is_over,
            nodes: &nodes,
        };
        let deepest = limits.depth.clamp(1, Limits::DEPTH);
        let Some((first, others)) = self.states.split_first_mut() else {
            unreachable!("there is a thread");
        };
        std::thread::scope(|scope| {
            for (number, state) in others.iter_mut().enumerate() {
                let mut run = Run::new(shared, state, (earlier, position), false);
                // Half of the other threads are one depth ahead, so that the threads do not all
                // search alike.
                let from = 1 + (number as u32 + 1) % 2;
                scope.spawn(move || run.deepen(position, from..=deepest, |_, _, _| ()));
            }
            let mut run = Run::new(shared, first, (earlier, position), true);
            let mut last: Option<Analysis> = None;
            run.deepen(position, 1..=deepest, |run, depth, found| {
                let Line { positions, ends_in_draw } = run.variation();
                let pv = positions.clone();
                let ends_in_draw = *ends_in_draw;
                let analysis = Analysis {
                    score: found.score,
                    depth,
                    nodes: run.all_nodes(),
                    pv,
                    proven: found.claims.range(),
                    ends_in_draw,
                };
                see(&analysis);
                last = Some(analysis);
            });
            is_over.store(true, Ordering::Relaxed);
            let Some(mut analysis) = last else {
                unreachable!("the first depth is always finished");
            };
            analysis.nodes = run.all_nodes();
            // A depth that was not finished may have found a better move already.
            let Line { positions, ends_in_draw } = run.variation();
            if !positions.is_empty() {
                analysis.pv.clone_from(positions);
                analysis.ends_in_draw = *ends_in_draw;
            }
            analysis
        })
    }
}
