//! CheckerBoard's board: an array `board[x][y]` with a number for each piece.

use std::ffi::c_int;

use draughtproof_game::{Board, Position, Side};
use thiserror::Error;

/// The pieces on each square, `[x][y]`. Black's home row is y = 0; square 1 is `[6][0]`, square 4
/// is `[0][0]`, square 32 is `[1][7]`. Light squares are ignored.
pub type Board8x8 = [[c_int; 8]; 8];

/// A square of the board, `[x][y]`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coor {
    /// The column, 0 at the left as Black sees it.
    pub x: c_int,
    /// The row, 0 for Black's home row.
    pub y: c_int,
}

impl Coor {
    /// The indices of the square in a board.
    fn cell(self) -> (usize, usize) {
        // Both coordinates are from 0 to 7.
        (self.x.unsigned_abs() as usize, self.y.unsigned_abs() as usize)
    }
}

/// The coordinates of a square (from 0).
pub fn coor(square: u8) -> Coor {
    let row = square / 4;
    let place = square % 4;
    Coor { x: (2 * (3 - place) + row % 2).into(), y: row.into() }
}

/// White, as the side to move and as the colour of a piece.
pub const CB_WHITE: c_int = 1;
/// Black, as the side to move and as the colour of a piece.
pub const CB_BLACK: c_int = 2;
/// A man; its colour is added.
pub const CB_MAN: c_int = 4;
/// A king; its colour is added.
pub const CB_KING: c_int = 8;
/// An empty square.
pub const CB_FREE: c_int = 0;

/// A board that is no position of the game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BoardError {
    #[error("side to move: expected 1 (White) or 2 (Black), found {0}")]
    Side(c_int),
    #[error("square {square}: expected 0, 5, 6, 9 or 10, found {found}")]
    Piece { square: u8, found: c_int },
    #[error("expected kings on the last row of their side, found a man")]
    Uncrowned,
}

pub fn read(board: &Board, cells: &Board8x8, color: c_int) -> Result<Position, BoardError> {
    let turn = match color {
        CB_BLACK => Side::Black,
        CB_WHITE => Side::White,
        other => return Err(BoardError::Side(other)),
    };
    let mut black = 0;
    let mut white = 0;
    let mut kings = 0;
    for square in 0..board.squares() {
        let bit = 1 << square;
        let (x, y) = coor(square).cell();
        let found = cells[x][y];
        match found & !(CB_MAN | CB_KING) {
            CB_FREE if found == CB_FREE => continue,
            CB_BLACK => black |= bit,
            CB_WHITE => white |= bit,
            _ => return Err(BoardError::Piece { square: square + 1, found }),
        }
        match found & (CB_MAN | CB_KING) {
            CB_MAN => {}
            CB_KING => kings |= bit,
            _ => return Err(BoardError::Piece { square: square + 1, found }),
        }
    }
    board.position(black, white, kings, turn).ok_or(BoardError::Uncrowned)
}

/// Writes a position; light squares stay as they are.
pub fn write(board: &Board, position: &Position, cells: &mut Board8x8) {
    for square in 0..board.squares() {
        let (x, y) = coor(square).cell();
        cells[x][y] = piece(board, position, square);
    }
}

/// The number of the piece on a square (from 0).
pub fn piece(board: &Board, position: &Position, square: u8) -> c_int {
    let bit = board.bit(square);
    let color = match (position.black & bit != 0, position.white & bit != 0) {
        (true, _) => CB_BLACK,
        (_, true) => CB_WHITE,
        _ => return CB_FREE,
    };
    color | if position.kings & bit != 0 { CB_KING } else { CB_MAN }
}

#[cfg(test)]
mod tests {
    use super::{BoardError, CB_BLACK, CB_FREE, CB_WHITE, read, write};
    use draughtproof_game::Board;

    #[test]
    fn squares_are_where_checkerboard_has_them() {
        let board = Board::new(8, 8).unwrap();
        let mut cells = [[CB_FREE; 8]; 8];
        cells[6][0] = 10;
        cells[0][0] = 6;
        cells[1][7] = 9;
        cells[7][7] = 5;
        // A light square has an arbitrary number.
        cells[0][1] = 99;
        let position = read(&board, &cells, CB_WHITE).unwrap();
        assert_eq!(board.write_fen(&position), "W:W29,K32:BK1,4");
        let mut written = [[CB_FREE; 8]; 8];
        written[0][1] = 99;
        write(&board, &position, &mut written);
        assert_eq!(written, cells);
    }

    #[test]
    fn what_is_no_position() {
        let board = Board::new(8, 8).unwrap();
        let mut cells = [[CB_FREE; 8]; 8];
        assert_eq!(read(&board, &cells, 7), Err(BoardError::Side(7)));
        for found in [1, 2, 3, 4, 7, 8, 12, 14, 16, 15, -1, i32::MIN, i32::MAX] {
            cells[4][4] = found;
            let expected = BoardError::Piece { square: 18, found };
            assert_eq!(read(&board, &cells, CB_BLACK), Err(expected));
        }
        cells[4][4] = CB_FREE;
        cells[7][7] = 6;
        assert_eq!(read(&board, &cells, CB_BLACK), Err(BoardError::Uncrowned));
    }
}
