//! Moves in the form of the CheckerBoard API.

use std::ffi::c_int;

use draughtproof_game::{Board, Position};

use crate::board::{Coor, coor, piece};

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
