//! What the proof of a game from its start may take: the model of `docs/scale.md`, extrapolated
//! from the games that are solved, within a factor of ten.

use crate::board::Game;

/// The law of nodes: factor and exponent of the number of positions, over at most six pieces.
const NODES: (f64, f64) = (1.2e-5, 0.86);
/// The number of pieces of the databases that the law is fitted to.
const PIECES: i32 = 6;
/// The factor by which each piece more in the database divides the nodes.
const PER_PIECE: f64 = 3.3;
/// The law of the positions in both closed sets: factor and exponent of the nodes.
const CLOSED: (f64, f64) = (5.6, 0.71);
/// The bytes of a certificate for each position of a closed set.
const BYTES_PER_POSITION: f64 = 0.15;
/// The nodes that a core searches in a second.
const NODES_PER_SECOND: f64 = 0.6e6;
/// The bytes of memory for each node of both questions, so that no search forgets any: 13 to 41 on
/// the games that are solved.
const BYTES_PER_NODE: f64 = 25.0;

/// What a proof may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// The nodes of both questions.
    pub nodes: f64,
    /// The seconds of one core.
    pub seconds: f64,
    /// The bytes of memory with which no search forgets what it has found.
    pub memory: f64,
    /// The bytes of the certificate.
    pub certificate: f64,
}

impl Effort {
    /// The effort for the value of a game, over a database of at most `pieces` pieces.
    pub fn of_game(game: &Game, pieces: u8) -> Effort {
        let more = i32::from(pieces) - PIECES;
        let nodes = NODES.0 * positions(game).powf(NODES.1) / PER_PIECE.powi(more);
        Effort {
            nodes,
            seconds: nodes / NODES_PER_SECOND,
            memory: nodes * BYTES_PER_NODE,
            certificate: BYTES_PER_POSITION * CLOSED.0 * nodes.powf(CLOSED.1),
        }
    }
}

/// The number of positions of a game: men anywhere but on their crowning row, at most as many
/// pieces on each side as at the start, either side to move.
fn positions(game: &Game) -> f64 {
    let board = &game.board;
    let side = game.start().black.count_ones();
    let first = u32::from(board.squares_in_row(0));
    let last = u32::from(board.squares_in_row(board.rows() - 1));
    let squares = u32::from(board.squares());
    let middle = squares - first - last;
    let mut total = 0.0;
    for men in 0..=side {
        for their_men in 0..=side {
            let mut ways = 0.0;
            // Men on the row where the other side crowns its men are in the way of no other men.
            for i in 0..=men.min(first) {
                for j in 0..=their_men.min(last) {
                    let rest = choose(middle, men - i);
                    let their_rest = choose(middle.saturating_sub(men - i), their_men - j);
                    ways += choose(first, i) * choose(last, j) * rest * their_rest;
                }
            }
            let free = squares.saturating_sub(men + their_men);
            for kings in 0..=side - men {
                for their_kings in 0..=side - their_men {
                    if men + kings > 0 && their_men + their_kings > 0 {
                        let left = free.saturating_sub(kings);
                        total += ways * choose(free, kings) * choose(left, their_kings);
                    }
                }
            }
        }
    }
    2.0 * total
}

/// The number of ways to choose `k` of `n`.
fn choose(n: u32, k: u32) -> f64 {
    if k > n {
        return 0.0;
    }
    (0..k).fold(1.0, |ways, i| ways * f64::from(n - i) / f64::from(i + 1))
}

#[cfg(test)]
mod tests {
    use super::{Effort, positions};
    use crate::board::Game;

    fn game(name: &str) -> Game {
        name.parse().unwrap()
    }

    #[test]
    fn positions_are_those_of_the_model() {
        // The last is twice the number of 2007, which counts one side to move, less those in which
        // a side has no piece.
        let numbers = [("4x8", 2.6e8), ("6x6", 1.3e11), ("8x6", 4.7e15), ("8x8", 2.0 * 5.00995e20)];
        for (name, expected) in numbers {
            let share = positions(&game(name)) / expected;
            assert!((0.97..1.03).contains(&share), "{name}: {share} of {expected}");
        }
    }

    #[test]
    fn efforts_are_those_of_the_model() {
        // Nodes and bytes of the certificate, as docs/scale.md has them with one digit.
        for (name, pieces, nodes, certificate) in [
            ("8x8/2", 6, 2e10, 20e6),
            ("8x8/2", 8, 2e9, 4e6),
            ("8x8", 6, 1e13, 2e9),
            ("8x8", 10, 1e11, 60e6),
        ] {
            let effort = Effort::of_game(&game(name), pieces);
            let shares = [effort.nodes / nodes, effort.certificate / certificate];
            for share in shares {
                assert!((0.6..1.6).contains(&share), "{name} over {pieces}: {share}");
            }
        }
    }
}
