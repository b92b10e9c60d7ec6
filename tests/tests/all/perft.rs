//! Both move generators, compared with published counts and with each other.

use quickcheck::{Arbitrary, Gen, QuickCheck};
use tests::corpus::rows;

fn prover_perft(game: &str, fen: Option<&str>, depth: u32) -> u64 {
    let game: draughtproof_game::Game = game.parse().unwrap();
    let start = fen.map_or(game.start(), |fen| game.board.read_fen(fen).unwrap());
    draughtproof_game::perft(&game.board, &start, depth)
}

fn checker_perft(game: &str, fen: Option<&str>, depth: u32) -> u64 {
    let game = checker_core::Game::parse(game).unwrap();
    let start = fen.map_or(game.initial(), |fen| checker_core::parse_fen(fen).unwrap());
    checker_count(game.board(), &start, depth)
}

/// The number of sequences of `depth` moves by the checker's rules.
fn checker_count(board: &checker_core::Board, p: &checker_core::Position, depth: u32) -> u64 {
    let mut next = Vec::new();
    board.moves(p, &mut next);
    match depth {
        0 => 1,
        1 => next.len() as u64,
        _ => next.iter().map(|q| checker_count(board, q, depth - 1)).sum(),
    }
}

#[test]
fn published_tables() {
    let mut compared = 0;
    for row in rows(include_str!("../../../corpus/perft.tsv")) {
        let (game, depth, want) = (row[0], row[1].parse().unwrap(), row[2].parse::<u64>().unwrap());
        if want < 100_000_000 {
            assert_eq!(prover_perft(game, None, depth), want, "prover, {game}, depth {depth}");
            compared += 1;
        }
        if want < 5_000_000 {
            assert_eq!(checker_perft(game, None, depth), want, "checker, {game}, depth {depth}");
        }
    }
    assert_eq!(compared, 11 + 15);
}

#[test]
fn every_small_game() {
    for game in
        ["3x3/1", "4x4", "6x4", "8x4", "4x8", "5x5/2", "5x7/2", "7x7", "8x6", "6x8", "8x2", "3x7/1"]
    {
        for depth in 1..=7 {
            let (ours, theirs) =
                (prover_perft(game, None, depth), checker_perft(game, None, depth));
            assert_eq!(ours, theirs, "{game}, depth {depth}");
        }
    }
}

/// (game, FEN, depth 1 in move sequences)
const SPECIAL: [(&str, &str, u64); 8] = [
    // A circular capture back to the start square, both ways round.
    ("8x8", "B:W14,15,22,23:BK10", 2),
    // A man is crowned in the middle of what would go on as a king's jump: its move ends.
    ("8x8", "B:W26,27:B22", 1),
    // A man jumps only forward, though a backward jump would be there.
    ("8x8", "B:W14,18:B22", 2),
    // A jump must be made: the other piece has no quiet move now.
    ("8x8", "B:W18:B1,14", 1),
    // A jump must go on to its end, either way.
    ("8x8", "B:W10,18,19:B6", 2),
    // No piece is jumped twice.
    ("8x8", "B:W18:BK14", 1),
    // The side to move has no move and has lost.
    ("8x8", "B:W9,14:B5", 0),
    ("6x6", "W:W8:BK5", 1),
];

#[test]
fn special_positions() {
    for (game, fen, want) in SPECIAL {
        assert_eq!(checker_perft(game, Some(fen), 1), want, "checker, {fen}");
        assert_eq!(prover_perft(game, Some(fen), 1), want, "prover, {fen}");
    }
}

/// A position with random pieces on a random board.
#[derive(Clone, Debug)]
struct Random {
    board: (u8, u8),
    fen: String,
}

impl Arbitrary for Random {
    fn arbitrary(g: &mut Gen) -> Self {
        let boards =
            [(4, 4), (5, 5), (6, 6), (5, 7), (7, 7), (8, 8), (8, 4), (3, 5), (6, 8), (8, 6)];
        let board = *g.choose(&boards).unwrap();
        let squares = draughtproof_game::Board::new(board.0, board.1).unwrap().squares();
        // The board is between nearly empty and crowded, with many kings or few.
        let (fill, kings) = (u8::arbitrary(g) % 8 + 1, u8::arbitrary(g) % 5);
        let in_row = |row: u8, square: u8| {
            draughtproof_game::Board::new(board.0, board.1).unwrap().row(square) == row
        };
        let mut lists = [Vec::new(), Vec::new()];
        for square in 0..squares {
            if u8::arbitrary(g) % 12 >= fill {
                continue;
            }
            let side = usize::from(bool::arbitrary(g));
            let crowning = in_row(if side == 0 { board.0 - 1 } else { 0 }, square);
            let king = crowning || u8::arbitrary(g) % 5 < kings;
            lists[side].push(format!("{}{}", if king { "K" } else { "" }, square + 1));
        }
        let turn = if bool::arbitrary(g) { 'B' } else { 'W' };
        Random { board, fen: format!("{turn}:W{}:B{}", lists[1].join(","), lists[0].join(",")) }
    }
}

#[test]
fn both_generators_agree_on_random_positions() {
    fn agree(Random { board: (rows, columns), fen }: Random) -> bool {
        let ours = draughtproof_game::Board::new(rows, columns).unwrap();
        let theirs = checker_core::Board::new(rows, columns).unwrap();
        let p = ours.read_fen(&fen).unwrap();
        let q = checker_core::parse_fen(&fen).unwrap();
        assert_eq!(ours.write_fen(&p), fen);
        assert_eq!(checker_core::write_fen(&q), fen);
        let (mut mine, mut other) = (Vec::new(), Vec::new());
        ours.successors(&p, &mut mine);
        theirs.successors(&q, &mut other);
        let mine: Vec<String> = mine.iter().map(|p| ours.write_fen(p)).collect();
        let other: Vec<String> = other.iter().map(checker_core::write_fen).collect();
        assert_eq!(mine, other, "{fen}");
        assert_eq!(ours.can_move(&p), !mine.is_empty(), "{fen}");
        // The successors of a twin are the twins of the successors; three plies have equal counts.
        assert_eq!(p.twin(&ours).twin(&ours), p);
        let depth = 3;
        let count = draughtproof_game::perft(&ours, &p, depth);
        assert_eq!(count, draughtproof_game::perft(&ours, &p.twin(&ours), depth), "{fen}");
        assert_eq!(count, checker_count(&theirs, &q, depth), "{fen}");
        true
    }
    QuickCheck::new().tests(20_000).quickcheck(agree as fn(Random) -> bool);
}
