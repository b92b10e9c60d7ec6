//! Positions.

use super::Board;

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Starts on row 0 and moves first.
    Black = 0,
    /// Starts on row R − 1.
    White = 1,
}

impl Side {
    /// The other side.
    pub fn opponent(self) -> Side {
        match self {
            Side::Black => Side::White,
            Side::White => Side::Black,
        }
    }
}

/// A position: bit sets in the layout of [`Board`], and the side to move.
///
/// The order is that of `SPEC.md` §1.1, because the layout keeps the order of squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Black's pieces.
    pub black: u64,
    /// White's pieces.
    pub white: u64,
    /// Kings of both sides.
    pub kings: u64,
    /// The side to move.
    pub turn: Side,
}

impl Position {
    /// Number of pieces of both sides.
    pub fn pieces(&self) -> u32 {
        (self.black | self.white).count_ones()
    }

    /// Whether both sides have a piece.
    pub fn both_sides(&self) -> bool {
        self.black != 0 && self.white != 0
    }

    /// The pieces of a side.
    pub fn of(&self, side: Side) -> u64 {
        match side {
            Side::Black => self.black,
            Side::White => self.white,
        }
    }

    /// The position in 106 bits: two different positions of a board never have the same.
    pub fn key(&self) -> u128 {
        u128::from(self.black)
            | u128::from(self.white) << 35
            | u128::from(self.kings) << 70
            | u128::from(self.turn as u8) << 105
    }

    /// Turned by half a turn, colours exchanged: the same position with the other side to move.
    pub fn twin(&self, board: &Board) -> Position {
        Position {
            black: board.turn(self.white),
            white: board.turn(self.black),
            kings: board.turn(self.kings),
            turn: self.turn.opponent(),
        }
    }
}
