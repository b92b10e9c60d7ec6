//! Draws positions in plain text.

use super::{Board, Position};

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
