//! Alpha-beta to a depth (principal variation search), and quiescence search.

use std::time::Instant;

use super::bound::{Claims, Gathered};
use super::eval::{Evaluation, LIMIT};
use super::order::{Moves, Order};
use super::table::{Entry, Kind, Table};
use crate::board::{Board, Position};
use crate::egdb::{Value, Values};

/// The score of a win on the board, less the moves to it.
const WIN: i32 = 30_000;
/// The score of a win in the database, less the moves to where it is reached.
const DATABASE_WIN: i32 = 20_000;
/// Scores beyond this are wins or losses, each well founded.
const DECISIVE: i32 = LIMIT + 1_000;
/// Beyond any score.
const INFINITE: i32 = 32_000;
/// Paths are no longer than this, captures at their ends apart.
const PLIES: usize = 256;
/// No more captures than this follow one another: every one takes a piece.
const CAPTURES: usize = 64;
/// The clock is read after so many nodes.
const CLOCK_INTERVAL: u64 = 1 << 12;

/// What was found of a position.
#[derive(Clone, Copy)]
pub(super) struct Found {
    /// For the side to move.
    pub(super) score: i32,
    /// What is proved, whatever the score.
    pub(super) claims: Claims,
}

/// A line of play.
#[derive(Clone, Default)]
pub(super) struct Line {
    /// The positions after each move.
    pub(super) positions: Vec<Position>,
    /// Whether it ends where a draw is proved.
    pub(super) ends_in_draw: bool,
}

/// What a search remembers while it runs. Kept between searches only to save allocations.
pub(super) struct State {
    table: Table,
    order: Order,
    /// The positions from the root on, each with the number of moves up to it that can be taken
    /// back.
    path: Vec<(Position, u32)>,
    /// For each ply the best line from there.
    lines: Vec<Line>,
}

impl State {
    pub(super) fn new() -> Self {
        State {
            table: Table::new(),
            order: Order::new(PLIES + 1),
            path: Vec::new(),
            lines: vec![Line::default(); PLIES + CAPTURES],
        }
    }
}

/// A search of one position.
pub(super) struct Run<'a> {
    pub(super) board: &'a Board,
    pub(super) database: &'a Values,
    pub(super) evaluation: &'a Evaluation,
    pub(super) state: &'a mut State,
    pub(super) nodes: u64,
    pub(super) most_nodes: u64,
    pub(super) end: Option<Instant>,
    /// Set when a limit is reached; what is found afterwards means nothing.
    pub(super) stopped: bool,
    /// The depth of the whole search; a path may become twice as long by extensions.
    depth: i32,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        board: &'a Board,
        database: &'a Values,
        evaluation: &'a Evaluation,
        state: &'a mut State,
        most_nodes: u64,
        end: Option<Instant>,
    ) -> Self {
        state.table.begin(most_nodes);
        state.order.clear();
        state.path.clear();
        Run {
            board,
            database,
            evaluation,
            state,
            nodes: 0,
            most_nodes,
            end,
            stopped: false,
            depth: 0,
        }
    }

    /// Searches `root` to a depth, first in a narrow window round the score expected.
    pub(super) fn root(&mut self, root: &Position, depth: i32, expected: Option<i32>) -> Found {
        self.depth = depth;
        let (mut alpha, mut beta) = match expected {
            Some(score) if score.abs() < DECISIVE => (score - 20, score + 20),
            _ => (-INFINITE, INFINITE),
        };
        loop {
            self.state.path.clear();
            self.state.path.push((*root, 0));
            let found = self.node(root, depth, alpha, beta);
            if self.stopped {
                return found;
            }
            if found.score <= alpha && alpha > -INFINITE {
                alpha = -INFINITE;
            } else if found.score >= beta && beta < INFINITE {
                beta = INFINITE;
            } else {
                return found;
            }
        }
    }

    /// The principal variation of the last search.
    pub(super) fn variation(&self) -> &Line {
        &self.state.lines[0]
    }

    /// Counts a node; whether to go on.
    fn count(&mut self) -> bool {
        self.nodes += 1;
        // The first iteration is always finished, so that there is an answer.
        if self.depth > 1 {
            self.stopped |= self.nodes > self.most_nodes;
            if self.nodes.is_multiple_of(CLOCK_INTERVAL) {
                self.stopped |= self.end.is_some_and(|end| Instant::now() >= end);
            }
        }
        !self.stopped
    }

    fn ply(&self) -> usize {
        self.state.path.len() - 1
    }

    /// A position with a value that is known without a search.
    fn known(&mut self, position: &Position, ply: usize) -> Option<Found> {
        let value = self.database.probe(position)?;
        let score = match value {
            Value::Win => DATABASE_WIN - ply as i32,
            Value::Draw => 0,
            Value::Loss => ply as i32 - DATABASE_WIN,
        };
        let line = &mut self.state.lines[ply];
        line.positions.clear();
        line.ends_in_draw = value == Value::Draw;
        Some(Found { score, claims: Claims::of(value) })
    }

    /// Whether the last position of the path was on it before. Then it counts as a draw, but proves
    /// nothing: another path may lead to it without repeating it.
    fn repeats(&self) -> bool {
        let path = &self.state.path;
        let Some(&(position, reversible)) = path.last() else { return false };
        let last = path.len() - 1;
        (4..=reversible as usize).step_by(2).any(|back| path[last - back].0 == position)
    }

    /// Goes to a successor of the last position of the path, and searches it.
    fn successor(&mut self, to: &Position, depth: i32, alpha: i32, beta: i32) -> Found {
        let path = &mut self.state.path;
        let reversible = match path.last() {
            Some((from, moves)) if only_a_king_moved(from, to) => moves + 1,
            _ => 0,
        };
        path.push((*to, reversible));
        let found = self.node(to, depth, -beta, -alpha);
        self.state.path.pop();
        Found { score: -found.score, claims: found.claims }
    }

    fn node(&mut self, position: &Position, depth: i32, mut alpha: i32, beta: i32) -> Found {
        let ply = self.ply();
        self.state.lines[ply].positions.clear();
        self.state.lines[ply].ends_in_draw = false;
        if !self.count() {
            return Found { score: 0, claims: Claims::NONE };
        }
        if ply > 0 {
            if let Some(found) = self.known(position, ply) {
                return found;
            }
            if self.repeats() {
                return Found { score: 0, claims: Claims::NONE };
            }
        }
        let capture = self.board.can_capture(position);
        if depth <= 0 || ply >= PLIES {
            return if capture {
                self.captures(position, alpha, beta)
            } else {
                self.leaf(position, ply)
            };
        }

        let key = position.key();
        let entry = self.state.table.get(key);
        let mut claims = entry.map_or(Claims::NONE, |e| e.claims);
        if ply > 0
            && let Some(found) = entry.and_then(|e| use_entry(&e, ply, depth, alpha, beta))
        {
            self.state.lines[ply].ends_in_draw = claims.is_draw();
            return found;
        }

        let moves = self.state.order.generate(self.board, position, capture);
        if capture {
            self.state.order.rank_captures(position, moves, entry.map(|e| e.best));
        } else {
            self.state.order.rank_quiet(position, moves, ply, entry.map(|e| e.best));
        }
        // Where there is no choice, nothing is decided: it costs no depth.
        let forced = moves.len() == 1 && ply < 2 * self.depth as usize;
        let next = if forced { depth } else { depth - 1 };

        if next > 0 {
            for candidate in self.state.order.candidates(moves) {
                self.state.table.expect(candidate.position.key());
            }
        }

        let old_alpha = alpha;
        let mut best = (ply as i32 - WIN, 0);
        let mut gathered = Gathered::new();
        let mut cut = false;
        for place in moves.start..moves.end {
            let candidate = self.state.order.pick(place, moves.end);
            let to = &candidate.position;
            let mut found;
            if place == moves.start {
                found = self.successor(to, next, alpha, beta);
            } else {
                found = self.successor(to, next, alpha, alpha + 1);
                if found.score > alpha && found.score < beta && !self.stopped {
                    let proved = found.claims;
                    found = self.successor(to, next, alpha, beta);
                    found.claims = found.claims.and(proved);
                }
            }
            if self.stopped {
                self.state.order.drop(moves);
                return Found { score: 0, claims: Claims::NONE };
            }
            gathered.add(found.claims);
            if found.score > best.0 || place == moves.start {
                best = (found.score, candidate.number);
                if found.score > alpha {
                    alpha = found.score;
                    if beta - old_alpha > 1 {
                        self.extend_line(ply, to);
                    }
                }
                if alpha >= beta {
                    cut = place + 1 < moves.end;
                    if !capture {
                        self.state.order.refuted(position, to, ply, depth);
                    }
                    break;
                }
            }
        }
        self.state.order.drop(moves);

        claims = claims.and(if cut { gathered.some() } else { gathered.all() });
        let score = claims_allow(claims, best.0);
        let kind = if score >= beta {
            Kind::Lower
        } else if score > old_alpha {
            Kind::Exact
        } else {
            Kind::Upper
        };
        let stored = from_here(score, ply as i32) as i16;
        self.state.table.put(key, stored, depth.min(255) as u8, kind, claims, best.1);
        Found { score, claims }
    }

    /// The position without captures at the end of a path.
    fn leaf(&mut self, position: &Position, ply: usize) -> Found {
        if self.board.can_move(position) {
            Found { score: self.evaluation.score(position), claims: Claims::NONE }
        } else {
            Found { score: ply as i32 - WIN, claims: Gathered::new().all() }
        }
    }

    /// Plays the captures of a position: there is no choice but to make one of them.
    fn captures(&mut self, position: &Position, mut alpha: i32, beta: i32) -> Found {
        let moves = self.state.order.generate(self.board, position, true);
        if moves.len() > 1 {
            self.state.order.rank_captures(position, moves, None);
        }
        let found = self.best_capture(moves, &mut alpha, beta);
        self.state.order.drop(moves);
        found
    }

    fn best_capture(&mut self, moves: Moves, alpha: &mut i32, beta: i32) -> Found {
        let ply = self.ply();
        let mut best = -INFINITE;
        let mut gathered = Gathered::new();
        for place in moves.start..moves.end {
            let candidate = self.state.order.pick(place, moves.end);
            let found = self.successor(&candidate.position, 0, *alpha, beta);
            if self.stopped {
                break;
            }
            gathered.add(found.claims);
            best = best.max(found.score);
            if best > *alpha {
                if beta - *alpha > 1 {
                    self.extend_line(ply, &candidate.position);
                }
                *alpha = best;
            }
            if best >= beta && place + 1 < moves.end {
                return Found { score: best, claims: gathered.some() };
            }
        }
        let claims = gathered.all();
        Found { score: claims_allow(claims, best), claims }
    }

    /// Makes the line from `ply` that which begins with a move to `to`.
    fn extend_line(&mut self, ply: usize, to: &Position) {
        let [line, rest] = &mut self.state.lines[ply..ply + 2] else { return };
        line.positions.clear();
        line.positions.push(*to);
        line.positions.extend_from_slice(&rest.positions);
        line.ends_in_draw = rest.ends_in_draw;
    }
}

/// Whether a move can be taken back: no man moved, nothing was captured.
fn only_a_king_moved(from: &Position, to: &Position) -> bool {
    let enemy = from.turn.opponent();
    let men = |p: &Position| p.of(from.turn) & !p.kings;
    from.of(enemy) == to.of(enemy) && men(from) == men(to)
}

/// A score as counted from a position at `ply`, of one as counted from the root.
fn from_here(score: i32, ply: i32) -> i32 {
    match score {
        DECISIVE.. => score + ply,
        s if s <= -DECISIVE => score - ply,
        _ => score,
    }
}

/// The inverse of [`from_here`].
fn from_root(score: i32, ply: i32) -> i32 {
    match score {
        DECISIVE.. => score - ply,
        s if s <= -DECISIVE => score + ply,
        _ => score,
    }
}

/// A score that does not contradict what is proved.
fn claims_allow(claims: Claims, score: i32) -> i32 {
    match claims {
        c if c.is_decisive() => score,
        c if c.is_draw() => 0,
        c if c.is_not_lost() => score.max(0),
        c if c.is_not_won() => score.min(0),
        _ => score,
    }
}

/// What an entry of the table decides without a search.
fn use_entry(entry: &Entry, ply: usize, depth: i32, alpha: i32, beta: i32) -> Option<Found> {
    let claims = entry.claims;
    let score = from_root(entry.score.into(), ply as i32);
    if claims.is_decisive() {
        return Some(Found { score, claims });
    }
    let zero = Found { score: 0, claims };
    if claims.is_draw() || claims.is_not_lost() && beta <= 0 || claims.is_not_won() && alpha >= 0 {
        return Some(zero);
    }
    // In the principal variation only proofs count: it is to be a line that can be shown.
    let narrow = beta - alpha == 1;
    let decides = match entry.kind {
        Kind::Exact => true,
        Kind::Lower => score >= beta,
        Kind::Upper => score <= alpha,
    };
    let deep = i32::from(entry.depth) >= depth;
    (narrow && deep && decides).then_some(Found { score, claims })
}
