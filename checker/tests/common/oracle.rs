//! A plain oracle of the values of positions: it goes over all of them, round after round.

use super::*;
use std::collections::HashMap;

/// Every possible position with at most `pieces` pieces, on both sides of the board.
pub fn all_positions(board: &Board, pieces: u32) -> Vec<Position> {
    let mut all = Vec::new();
    let mut todo = vec![(0, 0u32, 0u32, 0u32)];
    while let Some((square, black, white, kings)) = todo.pop() {
        if square == board.squares() {
            if black == 0 || white == 0 {
                continue;
            }
            for turn in [Side::Black, Side::White] {
                let p = Position { black, white, kings, turn };
                if board.is_possible(&p) {
                    all.push(p);
                }
            }
            continue;
        }
        todo.push((square + 1, black, white, kings));
        if (black | white).count_ones() < pieces {
            let bit = 1 << square;
            todo.push((square + 1, black | bit, white, kings));
            todo.push((square + 1, black, white | bit, kings));
            todo.push((square + 1, black | bit, white, kings | bit));
            todo.push((square + 1, black, white | bit, kings | bit));
        }
    }
    all
}

/// Values and distances (in plies, with the winner hurrying) of all positions with few pieces.
pub struct Oracle(pub HashMap<Position, (Value, u32)>);

impl Oracle {
    pub fn new(board: &Board, pieces: u32) -> Oracle {
        Oracle::given(board, pieces, &|_| None)
    }

    /// Like `new`, but with the values that `value` gives for some positions, whatever the rules
    /// say.
    pub fn given(board: &Board, pieces: u32, value: &dyn Fn(&Position) -> Option<Value>) -> Oracle {
        let all = all_positions(board, pieces);
        let moves: Vec<_> = all.iter().map(|p| successors(board, p)).collect();
        let given = all.iter().filter_map(|p| Some((*p, (value(p)?, 0))));
        let mut known: HashMap<Position, (Value, u32)> = given.collect();
        for round in 0.. {
            let mut new = Vec::new();
            for (p, moves) in all.iter().zip(&moves) {
                if known.contains_key(p) {
                    continue;
                }
                // A side without pieces has no move; the oracle knows nothing else about such
                // positions.
                let value = |y: &Position| {
                    if y.has_both_sides() { known.get(y).map(|k| k.0) } else { Some(Value::Loss) }
                };
                if moves.iter().any(|y| value(y) == Some(Value::Loss)) {
                    new.push((*p, (Value::Win, round)));
                } else if moves.iter().all(|y| value(y) == Some(Value::Win)) {
                    new.push((*p, (Value::Loss, round)));
                }
            }
            if new.is_empty() {
                break;
            }
            known.extend(new);
        }
        for p in all {
            known.entry(p).or_insert((Value::Draw, 0));
        }
        Oracle(known)
    }

    pub fn value(&self, p: &Position) -> Value {
        if p.has_both_sides() { self.0[p].0 } else { Value::Loss }
    }

    pub fn distance(&self, p: &Position) -> u32 {
        if p.has_both_sides() { self.0[p].1 } else { 0 }
    }
}

/// A position of 4 pieces that this side wins in most moves.
pub fn longest_win(oracle: &Oracle, winner: Side) -> Position {
    let wins = |p: &&Position| {
        let value = if p.turn == winner { Value::Win } else { Value::Loss };
        p.pieces() == 4 && oracle.value(p) == value
    };
    let all = oracle.0.keys().filter(wins);
    *all.max_by_key(|p| (oracle.distance(p), **p)).unwrap()
}

/// The values of 4x4 with at most 4 pieces.
pub fn oracle_4x4() -> Oracle {
    Oracle::new(&board("4x4"), 4)
}
