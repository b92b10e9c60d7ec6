//! Positions for testing searches, and databases with their values.

use crate::prelude::*;
use draughtproof_egdb::Builder;

/// The database of a board, in memory.
pub fn database(board: &Board, pieces: u8) -> Values {
    let cover = Cover::up_to(pieces);
    let mut builder = Builder::new(board, &cover);
    for n in 2..=pieces {
        Builder::pairs(board, &cover, n).into_iter().for_each(|slice| builder.solve(slice));
    }
    builder.finish()
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
