//! The effort of a proof, by the model of `docs/scale.md`, which is extrapolated from the games
//! that are solved, within a factor of ten; and the settings that follow from it.

use crate::board::{Board, Position};
use crate::egdb::{BuildSession, Cover, Slice};
use crate::prepare_database::default_cover;

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
/// The indices of a database that are built in a second, and checked in another.
const INDICES_PER_SECOND: f64 = 30e6;
/// Proofs of at most this many nodes keep a tree above leaves of [`SMALL_LEAF`] nodes.
const SMALL: f64 = 1e6;
/// The budget of a leaf search of a small proof.
const SMALL_LEAF: u64 = 10_000;
/// The budget of a search that is not to be cut: more than a table holds.
const WHOLE: u64 = 4_000_000_000;
/// The tables of searches: of small proofs, of those of [`LARGE`] nodes at most, and of others.
const TABLES: [u64; 3] = [1 << 30, 4 << 30, 8 << 30];
const LARGE: f64 = 1e8;
/// Proofs of more nodes than this have questions that no table holds: the tree follows lines.
const FAR: f64 = 3e9;

/// The resources of a proof.
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
    /// The effort for the value of a start, over a database of at most `pieces` pieces.
    pub fn new(board: &Board, start: &Position, pieces: u8) -> Effort {
        let more = i32::from(pieces) - PIECES;
        let positions = positions(board, start.black.count_ones(), start.white.count_ones());
        let nodes = NODES.0 * positions.powf(NODES.1) / PER_PIECE.powi(more);
        Effort {
            nodes,
            seconds: nodes / NODES_PER_SECOND,
            memory: nodes * BYTES_PER_NODE,
            certificate: BYTES_PER_POSITION * CLOSED.0 * nodes.powf(CLOSED.1),
        }
    }
}

/// The settings of a proof that follow from its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub cover: Cover,
    /// The budget of a leaf search, in nodes.
    pub leaf_nodes: u64,
    /// The most bytes of the table of a search.
    pub leaf_table: u64,
    /// Whether the tree follows lines of play, as no search could decide a question.
    pub lines: bool,
}

impl Plan {
    /// The plan for a start over the database of a cover; without one, over the database with
    /// which database, its check and the searches take the least time, within `memory` bytes.
    ///
    /// A small proof has a tree of small leaves. In a larger one each question is a single search,
    /// which takes a fraction of the nodes (docs/experiments/044), as long as a table holds it.
    pub fn new(board: &Board, start: &Position, cover: Option<&Cover>, memory: u64) -> Plan {
        let cover = cover.cloned().unwrap_or_else(|| best_cover(board, start, memory));
        let nodes = Effort::new(board, start, cover.most_pieces()).nodes;
        let (leaf_nodes, leaf_table) = match nodes {
            ..SMALL => (SMALL_LEAF, TABLES[0]),
            ..LARGE => (WHOLE, TABLES[1]),
            _ => (WHOLE, TABLES[2]),
        };
        Plan { cover, leaf_nodes, leaf_table, lines: nodes > FAR }
    }
}

/// The cover with which building, checking and searching take the least time.
fn best_cover(board: &Board, start: &Position, memory: u64) -> Cover {
    let small = default_cover(board, start.pieces());
    let seconds = |cover: &Cover| {
        let indices: u64 = Slice::all(board, cover).iter().map(|slice| slice.indices(board)).sum();
        let searches = Effort::new(board, start, cover.most_pieces()).seconds;
        2.0 * indices as f64 / INDICES_PER_SECOND + searches
    };
    let mut best = (seconds(&small), small.clone());
    for pieces in small.most_pieces() + 1..board.squares() {
        let cover = Cover::up_to(pieces);
        let is_possible = u32::from(pieces) < start.pieces()
            && BuildSession::least_memory_with_files(board, &cover) <= memory;
        let took = seconds(&cover);
        if !is_possible || took > best.0 {
            break;
        }
        best = (took, cover);
    }
    best.1
}

/// The number of positions that a start can lead to, by pieces alone: men anywhere but on their
/// crowning row, at most as many pieces on each side as at the start, either side to move.
fn positions(board: &Board, black: u32, white: u32) -> f64 {
    let first = u32::from(board.squares_in_row(0));
    let last = u32::from(board.squares_in_row(board.rows() - 1));
    let squares = u32::from(board.squares());
    let middle = squares - first - last;
    let mut total = 0.0;
    for men in 0..=black {
        for their_men in 0..=white {
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
            for kings in 0..=black - men {
                for their_kings in 0..=white - their_men {
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
    use super::{Effort, Plan, positions};
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
            let side = game(name).start().black.count_ones();
            let share = positions(&game(name).board, side, side) / expected;
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
            let effort = Effort::new(&game(name).board, &game(name).start(), pieces);
            let shares = [effort.nodes / nodes, effort.certificate / certificate];
            for share in shares {
                assert!((0.6..1.6).contains(&share), "{name} over {pieces}: {share}");
            }
        }
    }
    #[test]
    fn plans_follow_from_the_size() {
        for (name, cover, leaf_nodes, lines) in [
            ("6x6", "6", 10_000, false),
            ("6x8", "6", 4_000_000_000, false),
            ("7x7", "6", 4_000_000_000, false),
            ("8x6", "6", 4_000_000_000, false),
            ("8x8", "8", 4_000_000_000, true),
        ] {
            let game = game(name);
            let plan = Plan::new(&game.board, &game.start(), None, 20 << 30);
            let found = (plan.cover.to_string(), plan.leaf_nodes, plan.lines);
            assert_eq!(found, (cover.to_string(), leaf_nodes, lines), "{name}");
        }
    }
}
