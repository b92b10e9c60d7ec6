//! Perft: the number of move sequences of a given length.

use super::moves::{count, generate, monomorphic};
use super::{Board, Position, Side};

/// The number of sequences of `depth` moves from `position`; captures by different paths to equal
/// positions count separately. The last move is counted, not made.
pub fn perft(board: &Board, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    monomorphic!(board, position.turn, go(board, position, depth))
}

fn go<const H: u32, const BLACK: bool>(board: &Board, p: &Position, depth: u32) -> u64 {
    if depth == 1 {
        return count::<H, BLACK>(board, p);
    }
    let mut nodes = 0;
    generate::<H, BLACK>(board, p, &mut |child| {
        nodes += if BLACK {
            go::<H, false>(board, &child, depth - 1)
        } else {
            go::<H, true>(board, &child, depth - 1)
        };
    });
    nodes
}
