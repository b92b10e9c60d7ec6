//! Positions and sides.

use super::Board;

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The side that starts on row 0 and moves first.
    Black = 0,
    /// The side that starts on row R − 1.
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
    /// The bit set of Black's pieces.
    pub black: u64,
    /// The bit set of White's pieces.
    pub white: u64,
    /// The bit set of the kings of both sides.
    pub kings: u64,
    /// The side to move.
    pub turn: Side,
}

impl Board {
    /// The position with these pieces and kings, given as masks with bit n − 1 for square n; `None`
    /// if pieces are off the board or overlap, if kings are no pieces, or if a man stands where it
    /// would be crowned.
    pub fn position(&self, black: u32, white: u32, kings: u32, turn: Side) -> Option<Position> {
        let off_board = u64::from(black | white) >> self.squares() != 0;
        if off_board || black & white != 0 || kings & !(black | white) != 0 {
            return None;
        }
        let [black, white, kings] = [black, white, kings].map(|set| self.from_dense(set));
        let crowned = black & !kings & self.crown[0] | white & !kings & self.crown[1];
        (crowned == 0).then_some(Position { black, white, kings, turn })
    }
}

impl Position {
    /// The number of pieces of both sides.
    pub fn pieces(&self) -> u32 {
        (self.black | self.white).count_ones()
    }

    /// Whether both sides have a piece.
    pub fn both_sides(&self) -> bool {
        self.black != 0 && self.white != 0
    }

    /// The bit set of a side's pieces.
    pub fn of(&self, side: Side) -> u64 {
        match side {
            Side::Black => self.black,
            Side::White => self.white,
        }
    }

    /// The position in 106 bits: two different positions of a board have different keys.
    pub fn key(&self) -> u128 {
        u128::from(self.black)
            | u128::from(self.white) << 35
            | u128::from(self.kings) << 70
            | u128::from(self.turn as u8) << 105
    }

    /// The position turned by half a turn with colours exchanged: an equivalent position with the
    /// other side to move.
    pub fn twin(&self, board: &Board) -> Position {
        Position {
            black: board.turn(self.white),
            white: board.turn(self.black),
            kings: board.turn(self.kings),
            turn: self.turn.opponent(),
        }
    }
}

impl Board {
    /// Draws the board with its pieces, Black's home row first, a line a row: `b` and `w` are men,
    /// `B` and `W` kings, `.` empty squares. Beside each row stand the numbers of its squares.
    pub fn draw(&self, position: &Position) -> String {
        let mut out = String::new();
        let mut square = 0;
        for row in 0..self.rows() {
            let first = square + 1;
            for column in 0..self.columns() {
                if (row + column) % 2 == 1 {
                    out.push(self.piece(position, square));
                    square += 1;
                } else {
                    out.push(' ');
                }
                out.push(' ');
            }
            out += &format!("  {first}-{square}\n");
        }
        out
    }

    fn piece(&self, position: &Position, square: u8) -> char {
        let bit = self.bit(square);
        let is_king = position.kings & bit != 0;
        match (position.black & bit != 0, position.white & bit != 0) {
            (true, _) if is_king => 'B',
            (true, _) => 'b',
            (_, true) if is_king => 'W',
            (_, true) => 'w',
            _ => '.',
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Board;

    #[test]
    fn every_kind_of_piece_is_where_it_stands() {
        let board = Board::new(5, 5).unwrap();
        let position = board.read_fen("W:W11,K4:B1,K9").unwrap();
        let expected = [
            "  b   .     1-2",
            ".   W   .   3-5",
            "  .   .     6-7",
            ".   B   .   8-10",
            "  w   .     11-12",
        ];
        assert_eq!(board.draw(&position).lines().collect::<Vec<_>>(), expected);
    }
}
