//! Alpha-beta (principal variation search) by iterative deepening.
//!
//! Pruning: branches that are cut off before their depth is searched.
//!
//! A position that is evaluated well above the window is first searched less deep, against a bound
//! that is higher by this margin. If the shallow search exceeds even that bound, the full search is
//! taken to exceed the window and is skipped (after Buro's ProbCut, "ProbCut: An effective
//! selective extension of the alpha-beta algorithm", 1995; here with one margin for all depths).
//!
//! Pruning changes scores, never what is proved. The shallow search is one of the same position, so
//! its claims are true of it; those of the skipped search are only missing. Wins and losses are not
//! pruned, nor is the principal variation.
//!
//! Late-move reductions: moves that are tried late are first searched less deep, and to the whole
//! depth if their score is better than expected. Reductions change scores, never what is proved.
//!
//! The figures were measured: docs/experiments/061 and 063.

use std::ops::RangeInclusive;

use super::order::Moves;
use super::run::{Found, PLIES, Run, Shared};
use super::score::{
    Claims, DECISIVE, Gathered, INFINITE, WIN, claims_allow, from_here, from_root, of_value,
};
use super::table::{Entry, Kind};
use crate::board::Position;
use crate::egdb::Value;

/// Half the width of the first aspiration window, round the expected score.
const WINDOW: i32 = 20;

/// A position whose moves are searched.
pub(super) struct Node<'a> {
    pub(super) position: &'a Position,
    /// The remaining depth, in moves.
    pub(super) depth: i32,
    /// The number of moves made since the root.
    pub(super) ply: usize,
    is_capture: bool,
}

/// The result of trying the moves of a node.
struct Tried {
    score: i32,
    /// The number of the best move in the order of generation.
    best: u8,
    claims: Claims,
}

impl Run<'_> {
    /// Searches the root by iterative deepening; `see` is shown the result of each depth. Ends
    /// early when the value is proved.
    pub(super) fn deepen(
        &mut self,
        root: &Position,
        depths: RangeInclusive<u32>,
        mut see: impl FnMut(&Self, u32, Found),
    ) {
        let mut known = self.shared.database.probe(root).map_or(Claims::NONE, Claims::of);
        let mut expected = None;
        for depth in depths {
            let found = self.root(root, depth as i32, expected);
            if self.stopped {
                break;
            }
            known = known.and(found.claims);
            let found = found.knowing(known);
            see(self, depth, found);
            if found.claims.range().value().is_some() {
                break;
            }
            expected = Some(found.score);
        }
    }

    /// Searches `root` to a depth, first in a narrow window round the expected score.
    fn root(&mut self, root: &Position, depth: i32, expected: Option<i32>) -> Found {
        self.depth = depth;
        let (mut alpha, mut beta) = match expected {
            Some(score) if score.abs() < DECISIVE => (score - WINDOW, score + WINDOW),
            _ => (-INFINITE, INFINITE),
        };
        loop {
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

    /// The result of a position whose value the database has.
    fn known(&mut self, position: &Position, ply: usize) -> Option<Found> {
        let value = self.shared.database.probe(position)?;
        self.state.lines[ply].ends_in_draw = value == Value::Draw;
        Some(Found { score: of_value(value, ply), claims: Claims::of(value) })
    }

    /// Appends a successor of the last position to the path, and searches it. The score is for the
    /// side that moves there, the claims are those about the successor.
    pub(super) fn successor(&mut self, to: &Position, depth: i32, alpha: i32, beta: i32) -> Found {
        self.state.path.push(to);
        let found = self.node(to, depth, -beta, -alpha);
        self.state.path.pop();
        Found { score: -found.score, claims: found.claims }
    }

    pub(super) fn node(&mut self, position: &Position, depth: i32, alpha: i32, beta: i32) -> Found {
        let board = self.shared.board;
        let ply = self.state.path.ply();
        self.state.lines[ply].positions.clear();
        self.state.lines[ply].ends_in_draw = false;
        if !self.count() {
            return Found::NOTHING;
        }
        if ply > 0 {
            if let Some(found) = self.known(position, ply) {
                return found;
            }
            // A repetition counts as a draw, but proves nothing: another path may lead to the
            // position without repeating it.
            if self.state.path.repeats() {
                return Found::NOTHING;
            }
        }
        let is_capture = board.can_capture(position);
        if depth <= 0 || ply >= PLIES {
            return if is_capture {
                self.captures(position, alpha, beta)
            } else {
                self.leaf(position, ply)
            };
        }

        self.interior(&Node { position, depth, ply, is_capture }, alpha, beta)
    }

    /// Searches a position that does not end a path.
    fn interior(&mut self, node: &Node<'_>, alpha: i32, beta: i32) -> Found {
        let table = self.shared.table;
        let &Node { depth, ply, .. } = node;
        let key = node.position.key();
        let mut entry = table.get(key);
        if ply > 0
            && let Some(found) = entry.and_then(|e| use_entry(&e, ply, depth, alpha, beta))
        {
            self.state.lines[ply].ends_in_draw = found.claims.is_draw();
            return found;
        }
        if beta - alpha == 1 && self.is_far_above(node, beta) {
            if let Some(found) = self.pruned(node, beta) {
                return found;
            }
            // The shallow search may have found which move to try first.
            entry = table.get(key).or(entry);
        }
        // Claims that another thread proved about the root come without a move to make, so they are
        // not used there.
        let claims = entry.filter(|_| ply > 0).map_or(Claims::NONE, |e| e.claims);

        let moves = self.ordered_moves(node, entry.map(|e| e.best));
        let tried = self.try_moves(node, moves, alpha, beta);
        self.state.order.drop(moves);
        if self.stopped {
            return Found::NOTHING;
        }

        let claims = claims.and(tried.claims);
        let score = claims_allow(claims, tried.score);
        let kind = if score >= beta {
            Kind::Lower
        } else if score > alpha {
            Kind::Exact
        } else {
            Kind::Upper
        };
        table.put(
            key,
            Entry {
                score: from_here(score, ply as i32) as i16,
                depth: depth.min(255) as u8,
                kind,
                claims,
                best: tried.best,
            },
        );
        Found { score, claims }
    }

    /// The moves of a node, ready to be picked in order; `first` is tried first.
    fn ordered_moves(&mut self, node: &Node<'_>, first: Option<u8>) -> Moves {
        let Shared { board, table, .. } = self.shared;
        let order = &mut self.state.order;
        let moves = order.generate(board, node.position, node.is_capture);
        if node.is_capture {
            order.rank_captures(node.position, moves, first);
        } else {
            order.rank_quiet(node.position, moves, node.ply, first);
        }
        if node.depth > 1 {
            for candidate in order.candidates(moves) {
                table.expect(candidate.position.key());
            }
        }
        moves
    }

    /// Tries the moves of a node until one causes a cut-off.
    fn try_moves(&mut self, node: &Node<'_>, moves: Moves, mut alpha: i32, beta: i32) -> Tried {
        let is_principal = beta - alpha > 1;
        // A forced move leaves no choice, so it costs no depth.
        let is_forced = moves.len() == 1 && node.ply < 2 * self.depth as usize;
        let depth = if is_forced { node.depth } else { node.depth - 1 };
        let mut best = (node.ply as i32 - WIN, 0);
        let mut gathered = Gathered::new();
        for place in moves.start..moves.end {
            let candidate = self.state.order.pick(place, moves.end);
            let to = &candidate.position;
            let number = place - moves.start;
            let found = if number == 0 {
                self.successor(to, depth, alpha, beta)
            } else {
                let reduces = self.shared.is_selective && !node.is_capture;
                let less = if reduces { reduction(node.depth, number, is_principal) } else { 0 };
                self.later_move(to, depth, less, alpha, beta)
            };
            if self.stopped {
                break;
            }
            gathered.add(found.claims);
            if found.score > best.0 || number == 0 {
                best = (found.score, candidate.number);
            }
            if found.score > alpha {
                alpha = found.score;
                if is_principal {
                    self.extend_line(node.ply, to);
                }
            }
            if alpha >= beta {
                if !node.is_capture {
                    let before = moves.start..place;
                    self.state.order.refuted(node.position, to, before, node.ply, node.depth);
                }
                let is_last = place + 1 == moves.end;
                let claims = if is_last { gathered.all() } else { gathered.some() };
                return Tried { score: best.0, best: best.1, claims };
            }
        }
        Tried { score: best.0, best: best.1, claims: gathered.all() }
    }

    /// Searches a move after the first, which is expected to be no better than the best so far:
    /// first in a null window and reduced by `less`, then again if the result contradicts that.
    fn later_move(&mut self, to: &Position, depth: i32, less: i32, alpha: i32, beta: i32) -> Found {
        let mut found = self.successor(to, depth - less, alpha, alpha + 1);
        if less > 0 && found.score > alpha && !self.stopped {
            found = self.successor(to, depth, alpha, alpha + 1).of_successor_knowing(found.claims);
        }
        if found.score > alpha && found.score < beta && !self.stopped {
            found = self.successor(to, depth, alpha, beta).of_successor_knowing(found.claims);
        }
        found
    }

    /// Sets the line from `ply` to a move to `to` and the line that follows it.
    pub(super) fn extend_line(&mut self, ply: usize, to: &Position) {
        let [line, rest] = &mut self.state.lines[ply..ply + 2] else { return };
        line.positions.clear();
        line.positions.push(*to);
        line.positions.extend_from_slice(&rest.positions);
        line.ends_in_draw = rest.ends_in_draw;
    }
}

/// The result that an entry of the table gives without a search, if it gives one.
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
    // In the principal variation only proofs count, so that it is a line that can be shown.
    let narrow = beta - alpha == 1;
    let decides = match entry.kind {
        Kind::Exact => true,
        Kind::Lower => score >= beta,
        Kind::Upper => score <= alpha,
    };
    let deep = i32::from(entry.depth) >= depth;
    (narrow && deep && decides).then_some(Found { score, claims })
}

/// The distance of a position above the window from which it is pruned, in hundredths of a man.
const MARGIN: i32 = 28;
/// The depth that the shallow search has less, in moves.
const LESS: i32 = 4;
/// The least remaining depth at which positions are pruned, in moves.
const LEAST_DEPTH: i32 = 3;

impl Run<'_> {
    /// Whether a position is evaluated far enough above the window for a try at pruning; `beta` is
    /// the upper end of the window.
    pub(super) fn is_far_above(&self, node: &Node<'_>, beta: i32) -> bool {
        self.shared.is_selective
            && node.ply > 0
            && node.depth >= LEAST_DEPTH
            && beta.abs() < DECISIVE
            && self.shared.evaluation.score(node.position) >= beta + MARGIN
    }

    /// The result of the shallow search of such a position, if it confirms the evaluation.
    pub(super) fn pruned(&mut self, node: &Node<'_>, beta: i32) -> Option<Found> {
        let bound = beta + MARGIN;
        let found = self.node(node.position, (node.depth - LESS).max(1), bound - 1, bound);
        (found.score >= bound || self.stopped).then_some(found)
    }
}

/// The least remaining depth at which moves are reduced.
const LEAST_REDUCED: i32 = 3;
/// The number of first moves that are not reduced; one more in a principal variation.
const FIRST_MOVES: usize = 2;

/// Returns the reduction of the depth for a quiet move, in moves, at most `depth - 2`; `number` is
/// the number of moves that were tried before.
pub(super) fn reduction(depth: i32, number: usize, is_principal: bool) -> i32 {
    if depth < LEAST_REDUCED || number < FIRST_MOVES + usize::from(is_principal) {
        return 0;
    }
    let [depth_log, number_log] =
        [depth as usize, number].map(|x| LOGARITHMS[x.min(LOGARITHMS.len() - 1)]);
    let reduced = 1 + depth_log * number_log * 74 / 65_536 - i32::from(is_principal);
    reduced.clamp(0, depth - 2)
}

/// 16 times the binary logarithm, rounded down.
const LOGARITHMS: [i32; 64] = {
    let mut logarithms = [0; 64];
    let mut x = 1;
    while x < 64 {
        logarithms[x] = (x as u128).pow(16).ilog2() as i32;
        x += 1;
    }
    logarithms
};

impl Run<'_> {
    /// The value of a position without captures at the end of a path.
    pub(super) fn leaf(&mut self, position: &Position, ply: usize) -> Found {
        if self.shared.board.can_move(position) {
            Found { score: self.shared.evaluation.score(position), claims: Claims::NONE }
        } else {
            Found { score: ply as i32 - WIN, claims: Gathered::new().all() }
        }
    }

    /// Searches the captures of a position, one of which must be made.
    pub(super) fn captures(&mut self, position: &Position, mut alpha: i32, beta: i32) -> Found {
        let moves = self.state.order.generate(self.shared.board, position, true);
        if moves.len() > 1 {
            self.state.order.rank_captures(position, moves, None);
        }
        let found = self.best_capture(moves, &mut alpha, beta);
        self.state.order.drop(moves);
        found
    }

    fn best_capture(&mut self, moves: Moves, alpha: &mut i32, beta: i32) -> Found {
        let ply = self.state.path.ply();
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
}
