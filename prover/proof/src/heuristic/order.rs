//! Move ordering: which moves to try first.

use std::ops::Range;

use crate::board::{Board, Position};

/// A move, identified by the position it leads to.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) position: Position,
    /// The rank: moves with a larger rank are tried earlier.
    rank: i32,
    /// The number of the move in the order of generation.
    pub(super) number: u8,
}

/// Killer moves, the last two quiet moves that caused a cut-off at each ply, and the history of
/// each quiet step: a count of its cut-offs less its failures, weighted by depth.
pub(super) struct Order {
    killers: Vec<[u64; 2]>,
    /// The history by side, square left and square entered (as bits).
    history: Vec<u32>,
    candidates: Vec<Candidate>,
}

/// The range of a position's candidates on the stack.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Moves {
    pub(super) fn len(self) -> usize {
        self.end - self.start
    }
}

const FIRST: i32 = i32::MAX;
const KILLERS: [i32; 2] = [1 << 30, 1 << 29];
/// The history values are halved when one exceeds this, so that they stay below those of killers.
const MOST: u32 = 1 << 28;

impl Order {
    pub(super) fn new(plies: usize) -> Self {
        Order {
            killers: vec![[0; 2]; plies],
            history: vec![0; 2 * 64 * 64],
            candidates: Vec::new(),
        }
    }

    /// Clears killers and history.
    pub(super) fn clear(&mut self) {
        self.killers.fill([0; 2]);
        self.history.fill(0);
        self.candidates.clear();
    }

    /// Pushes the moves of a position on the stack of candidates.
    pub(super) fn generate(&mut self, board: &Board, position: &Position, capture: bool) -> Moves {
        let start = self.candidates.len();
        let candidates = &mut self.candidates;
        board.for_each_successor(position, |successor| {
            // Only captures may lead to equal positions in two ways.
            if capture && candidates[start..].iter().any(|c| c.position == successor) {
                return;
            }
            let number = (candidates.len() - start) as u8;
            candidates.push(Candidate { position: successor, rank: 0, number });
        });
        Moves { start, end: candidates.len() }
    }

    /// The candidates of a position.
    pub(super) fn candidates(&self, moves: Moves) -> &[Candidate] {
        &self.candidates[moves.start..moves.end]
    }

    /// Pops the moves off the stack, with all that lie above them.
    pub(super) fn drop(&mut self, moves: Moves) {
        self.candidates.truncate(moves.start);
    }

    /// Ranks captures: those that take more pieces are tried earlier.
    pub(super) fn rank_captures(&mut self, before: &Position, moves: Moves, first: Option<u8>) {
        let enemy = before.turn.opponent();
        for c in &mut self.candidates[moves.start..moves.end] {
            let left = c.position.of(enemy);
            let worth = 2 * left.count_ones() + (left & c.position.kings).count_ones();
            c.rank = if first == Some(c.number) { FIRST } else { -(worth as i32) };
        }
    }

    /// Ranks quiet moves: the given move first, then killers, then by history.
    pub(super) fn rank_quiet(
        &mut self,
        before: &Position,
        moves: Moves,
        ply: usize,
        first: Option<u8>,
    ) {
        let killers = self.killers[ply];
        for c in &mut self.candidates[moves.start..moves.end] {
            let step = before.of(before.turn) ^ c.position.of(before.turn);
            c.rank = if first == Some(c.number) {
                FIRST
            } else if step == killers[0] {
                KILLERS[0]
            } else if step == killers[1] {
                KILLERS[1]
            } else {
                self.history[place(before, &c.position)] as i32
            };
        }
    }

    /// Moves the best candidate of those from `place` on to `place`, and returns it.
    pub(super) fn pick(&mut self, place: usize, end: usize) -> Candidate {
        let rest = &mut self.candidates[place..end];
        let mut best = 0;
        let mut rank = i32::MIN;
        for (i, candidate) in rest.iter().enumerate() {
            if candidate.rank > rank {
                (best, rank) = (i, candidate.rank);
            }
        }
        if best > 0 {
            rest.swap(0, best);
        }
        rest[0]
    }

    /// Records a cut-off by a quiet move, before which the moves at the places `tried` failed.
    pub(super) fn refuted(
        &mut self,
        before: &Position,
        after: &Position,
        tried: Range<usize>,
        ply: usize,
        depth: i32,
    ) {
        let step = before.of(before.turn) ^ after.of(before.turn);
        let killers = &mut self.killers[ply];
        if killers[0] != step {
            *killers = [step, killers[0]];
        }
        let weight = (depth * depth) as u32;
        for other in tried {
            let history = &mut self.history[place(before, &self.candidates[other].position)];
            *history = history.saturating_sub(weight);
        }
        let history = &mut self.history[place(before, after)];
        *history += weight;
        if *history > MOST {
            self.history.iter_mut().for_each(|h| *h /= 2);
        }
    }
}

/// The index of a step in the history.
fn place(before: &Position, after: &Position) -> usize {
    let old = before.of(before.turn);
    let new = after.of(before.turn);
    let from = (old & !new).trailing_zeros();
    let to = (new & !old).trailing_zeros();
    (before.turn as usize) << 12 | (from as usize & 63) << 6 | to as usize & 63
}
