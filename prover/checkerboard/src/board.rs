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

/// The value of unused entries of a list.
const NOWHERE: Coor = Coor { x: -1, y: -1 };

/// A move. A king can jump at most 9 times.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CBmove {
    /// The number of captured pieces.
    pub jumps: c_int,
    /// The number of the piece after the move.
    pub newpiece: c_int,
    /// The number of the piece before the move.
    pub oldpiece: c_int,
    /// The square on which the move begins.
    pub from: Coor,
    /// The square on which the move ends.
    pub to: Coor,
    /// The squares on which the piece stands: `from`, and then the end of each step or jump.
    pub path: [Coor; 12],
    /// The squares of the captured pieces.
    pub del: [Coor; 12],
    /// The numbers of the captured pieces.
    pub delpiece: [c_int; 12],
}

impl CBmove {
    /// The value that stands for no move.
    pub const NONE: CBmove = CBmove {
        jumps: 0,
        newpiece: 0,
        oldpiece: 0,
        from: NOWHERE,
        to: NOWHERE,
        path: [NOWHERE; 12],
        del: [NOWHERE; 12],
        delpiece: [0; 12],
    };

    /// The move from a position to the one after it, by its first path; `None` if there is no such
    /// move.
    pub fn new(board: &Board, before: &Position, after: &Position) -> Option<CBmove> {
        let moves = board.moves(before);
        let found = moves.iter().find(|m| m.after == *after)?;
        let squares = found.paths.first()?;
        let from = *squares.first()?;
        let to = *squares.last()?;
        let mut made = CBmove {
            oldpiece: piece(board, before, from),
            newpiece: piece(board, after, to),
            from: coor(from),
            to: coor(to),
            ..CBmove::NONE
        };
        for (place, square) in made.path.iter_mut().zip(squares) {
            *place = coor(*square);
        }
        if found.is_capture {
            for (n, ends) in squares.windows(2).enumerate().take(made.del.len()) {
                let over = between(board, ends[0], ends[1])?;
                made.del[n] = coor(over);
                made.delpiece[n] = piece(board, before, over);
                made.jumps += 1;
            }
        }
        Some(made)
    }
}

/// The square that a jump leads over.
fn between(board: &Board, from: u8, to: u8) -> Option<u8> {
    (0..4).find_map(|direction| {
        let over = board.step(from, direction)?;
        (board.step(over, direction) == Some(to)).then_some(over)
    })
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

#[cfg(test)]
mod moves_tests {
    use super::{CBmove, coor};
    use draughtproof_game::Board;

    #[test]
    fn a_capture_of_two_that_crowns() {
        let board = Board::new(8, 8).unwrap();
        let before = board.read_fen("B:W19,K27:B15").unwrap();
        let after = board.read_move(&before, "15x31").unwrap();
        let made = CBmove::new(&board, &before, &after).unwrap();
        let [from, over, way, last, to] = [15, 19, 24, 27, 31].map(|square| coor(square - 1));
        let mut expected = CBmove { jumps: 2, newpiece: 10, oldpiece: 6, from, to, ..CBmove::NONE };
        expected.path[..3].copy_from_slice(&[from, way, to]);
        expected.del[..2].copy_from_slice(&[over, last]);
        expected.delpiece[..2].copy_from_slice(&[5, 9]);
        assert_eq!(made, expected);
    }

    #[test]
    fn a_step() {
        let board = Board::new(8, 8).unwrap();
        let before = board.read_fen("W:WK32:B1").unwrap();
        let after = board.read_move(&before, "32-27").unwrap();
        let made = CBmove::new(&board, &before, &after).unwrap();
        let mut expected =
            CBmove { newpiece: 9, oldpiece: 9, from: coor(31), to: coor(26), ..CBmove::NONE };
        (expected.path[0], expected.path[1]) = (coor(31), coor(26));
        assert_eq!(made, expected);
        assert_eq!(CBmove::new(&board, &before, &before), None);
    }
}
