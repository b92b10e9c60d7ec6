//! Positions for testing searches, and databases with their values.
//!
//! The prover's view of positions as certificates write them: their moves and values.

use crate::prelude::*;
use draughtproof_egdb::{Builder, Value};
use std::collections::HashMap;

/// The database of a board, in memory.
pub fn database(board: &Board, pieces: u8) -> Values {
    let cover = Cover::up_to(pieces);
    let mut builder = Builder::new(board, &cover);
    for n in 2..=pieces {
        Builder::pairs(board, &cover, n).into_iter().for_each(|slice| builder.solve(slice));
    }
    builder.finish()
}

/// Plays a won position to the end against every defence; `first` chooses the winner's moves. No
/// position may come up again on its way. Returns the number of positions that came up.
pub fn wins_against_all(
    board: &Board,
    start: &Position,
    first: &mut dyn FnMut(&Position) -> Position,
) -> usize {
    let mut next = |position: &Position| match position.turn == start.turn {
        true => vec![first(position)],
        false => board.moves(position).into_iter().map(|m| m.after).collect(),
    };
    // Whether all that can follow is known to end.
    let mut is_won = HashMap::from([(*start, false)]);
    let mut path = vec![(*start, next(start))];
    while let Some((position, open)) = path.last_mut() {
        let Some(after) = open.pop() else {
            is_won.insert(*position, true);
            path.pop();
            continue;
        };
        let is_end = after.turn == start.turn && !board.can_move(&after);
        let fen = board.write_fen(&after);
        assert!(!is_end && is_won.get(&after) != Some(&false), "{fen} loses or comes up again");
        if is_won.insert(after, false) == Some(true) {
            is_won.insert(after, true);
        } else {
            path.push((after, next(&after)));
        }
    }
    is_won.len()
}

/// A random position with `pieces` pieces, and both sides on the board.
pub fn random(g: &mut Gen, board: &Board, pieces: u32) -> Position {
    let squares: Vec<u8> = (0..board.squares()).collect();
    loop {
        let turn = *g.choose(&[Side::Black, Side::White]).expect("a choice");
        let mut position = Position { black: 0, white: 0, kings: 0, turn };
        while position.pieces() < pieces {
            let (square, white) = (
                *g.choose(&squares).expect("a choice"),
                *g.choose(&[true, false]).expect("a choice"),
            );
            let bit = board.bit(square);
            if (position.black | position.white) & bit != 0 {
                continue;
            }
            let crowning = if white { 0 } else { board.rows() - 1 };
            if board.row(square) == crowning || *g.choose(&[true, false, false]).expect("a choice")
            {
                position.kings |= bit;
            }
            *(if white { &mut position.white } else { &mut position.black }) |= bit;
        }
        if position.both_sides() {
            return position;
        }
    }
}

/// A board, and the values of the positions with few pieces.
pub struct Rules {
    pub board: Board,
    database: Values,
}

impl Rules {
    pub fn new(database: Values) -> Self {
        Rules { board: database.board().clone(), database }
    }

    /// The position, which must be possible.
    pub fn read(&self, p: &WirePosition) -> Position {
        Position {
            black: self.board.from_dense(p.black),
            white: self.board.from_dense(p.white),
            kings: self.board.from_dense(p.kings),
            turn: if p.turn == 0 { Side::Black } else { Side::White },
        }
    }

    /// The position as certificates write it.
    pub fn wire(&self, p: &Position) -> WirePosition {
        WirePosition {
            black: self.board.to_dense(p.black),
            white: self.board.to_dense(p.white),
            kings: self.board.to_dense(p.kings),
            turn: p.turn as u8,
        }
    }

    pub fn is_possible(&self, p: &WirePosition) -> bool {
        p.turn <= 1 && self.board.position(p.black, p.white, p.kings, Side::Black).is_some()
    }

    /// The successors of the position, in order.
    pub fn successors(&self, p: &WirePosition) -> Vec<WirePosition> {
        let mut successors = Vec::new();
        self.board.successors(&self.read(p), &mut successors);
        successors.iter().map(|s| self.wire(s)).collect()
    }

    /// The value of the position in the database, if the database has it.
    pub fn value(&self, p: &WirePosition) -> Option<Value> {
        self.database.probe(&self.read(p))
    }
}
