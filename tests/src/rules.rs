//! The prover's view of positions as certificates write them: their moves and values.

use crate::prelude::*;
use draughtproof_egdb::Value;

/// A board, and the values of the positions with few pieces.
pub struct Rules {
    pub board: Board,
    database: Values,
}

impl Rules {
    /// The rules on the board of a database.
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
