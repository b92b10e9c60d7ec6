//! Names of moves: every legal move has a name of its own, and it is read back.

use draughtproof_game::{Board, Game, Position, Side, perft};

/// A small generator of random numbers, so that the games are equal in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// Checks the moves of a position; returns the number of moves that need more than their ends.
fn check(board: &Board, position: &Position) -> usize {
    let fen = board.write_fen(position);
    let moves = board.moves(position);
    let mut successors = Vec::new();
    board.successors(position, &mut successors);
    assert_eq!(moves.iter().map(|m| m.after).collect::<Vec<_>>(), successors, "{fen}");
    // Each path is one move sequence of the generator.
    let paths: usize = moves.iter().map(|m| m.paths.len()).sum();
    assert_eq!(paths as u64, perft(board, position, 1), "{fen}");
    let mut names = Vec::new();
    for m in &moves {
        assert_eq!(m.is_capture, board.can_capture(position), "{fen}");
        let name = board.write_move(position, &m.after).unwrap();
        for text in [name.clone(), name.replace('x', "-"), name.replace('-', "x"), padded(&name)] {
            assert_eq!(board.read_move(position, &text), Ok(m.after), "{fen}: {text}");
        }
        for path in &m.paths {
            let whole: Vec<_> = path.iter().map(|s| (s + 1).to_string()).collect();
            assert_eq!(board.read_move(position, &whole.join("x")), Ok(m.after), "{fen}");
        }
        names.push(name);
    }
    let long = names.iter().filter(|name| name.matches('x').count() > 1).count();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), moves.len(), "{fen}");
    long
}

/// Pads the squares of a name: `9x13` as `09x13`.
fn padded(name: &str) -> String {
    let squares: Vec<_> = name.split(['-', 'x']).map(|s| format!("{s:0>2}")).collect();
    squares.join("-")
}

#[test]
fn random_games() {
    let mut random = Random(1);
    let mut seen = 0;
    for name in ["8x8", "6x6", "7x7", "5x5/2", "4x8", "8x2"] {
        let game: Game = name.parse().unwrap();
        for _ in 0..40 {
            let mut at = game.start();
            for _ in 0..150 {
                check(&game.board, &at);
                seen += 1;
                let moves = game.board.moves(&at);
                let Some(next) = moves.get(random.below(moves.len().max(1))) else {
                    break;
                };
                at = next.after;
            }
        }
    }
    assert!(seen > 5_000, "{seen}");
}

#[test]
fn random_positions_with_many_captures() {
    let mut random = Random(2);
    let board = Board::new(8, 8).unwrap();
    let mut long = 0;
    for _ in 0..100_000 {
        let [mut black, mut white, mut kings] = [0; 3];
        for square in 0..32 {
            let bit = 1 << square;
            match random.below(12) {
                0 => black |= bit,
                1..4 => white |= bit,
                _ => continue,
            }
            if random.below(2) == 0 {
                kings |= bit;
            }
        }
        let Some(position) = board.position(black, white, kings, Side::Black) else { continue };
        long += check(&board, &position);
    }
    assert!(long > 100, "{long}");
}

#[test]
fn circular_capture() {
    let board = Board::new(8, 8).unwrap();
    let position = board.read_fen("B:W14,15,22,23:BK10").unwrap();
    let moves = board.moves(&position);
    assert_eq!(moves.len(), 1);
    assert_eq!(moves[0].paths, [[9, 16, 25, 18, 9], [9, 18, 25, 16, 9]]);
    assert_eq!(board.write_move(&position, &moves[0].after).unwrap(), "10x10");
    for text in ["10x10", "10x17x10", "10-19-10", "10x17x19x10", "10x19x26x17x10"] {
        assert_eq!(board.read_move(&position, text), Ok(moves[0].after), "{text}");
    }
    for text in ["10x17", "10x14x10", "17x26x19x10x17"] {
        let error = board.read_move(&position, text).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "move {text:?} in B:W14,15,22,23:BK10: expected a legal move; legal moves: 10x10"
            )
        );
    }
}

#[test]
fn the_whole_path_of_one_move_and_the_ends_of_another() {
    let board = Board::new(8, 8).unwrap();
    // The piece goes to 19 at once, or round the circle first and then over 15: the circle ends
    // there.
    let position = board.read_fen("B:W14,22,23,15,24:BK10").unwrap();
    for m in board.moves(&position) {
        let name = board.write_move(&position, &m.after).unwrap();
        assert_eq!(board.read_move(&position, &name), Ok(m.after), "{name}");
    }
    // Two paths from 1 to 17 take different pieces.
    let two = board.read_fen("B:W6,7,14,15:BK2").unwrap();
    let names: Vec<_> =
        board.moves(&two).iter().map(|m| board.write_move(&two, &m.after).unwrap()).collect();
    assert_eq!(names, ["2x2"]);
    let two = board.read_fen("B:W6,7,14,15,25,26:B2").unwrap();
    let names: Vec<_> =
        board.moves(&two).iter().map(|m| board.write_move(&two, &m.after).unwrap()).collect();
    assert_eq!(names, ["2x11x18", "2x9x18"]);
    let error = board.read_move(&two, "2x18").unwrap_err().to_string();
    assert!(error.contains("expected one move, found several: name more squares"), "{error}");
}

#[test]
fn lines_and_errors() {
    let game: Game = "8x8".parse().unwrap();
    let start = game.start();
    let line = game.board.read_line(&start, "09-13 22-17 13-22").unwrap();
    assert_eq!(line.len(), 3);
    assert_eq!(
        game.board.write_fen(&line[2]),
        "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,11,12,22"
    );
    for (text, what) in [
        ("11-15 23-32", "move \"23-32\" in W:W21,22,23"),
        ("11-15 23-32", "legal moves: 24-19, 24-20, 23-18, 23-19, 22-17, 22-18, 21-17"),
        ("11_15", "expected two or more squares from 1 to 32 with - or x between"),
        ("11", "expected two or more squares"),
        ("11-33", "expected two or more squares"),
        ("11-+15", "expected two or more squares"),
        ("11--15", "expected two or more squares"),
        ("256-15", "expected two or more squares"),
    ] {
        let error = game.board.read_line(&start, text).unwrap_err().to_string();
        assert!(error.contains(what), "{text}: {error}");
    }
    let error = game.board.write_move(&start, &start).unwrap_err().to_string();
    assert!(error.contains("expected a successor, found another position"), "{error}");
    let lost = game.board.read_fen("B:W9,14:B5").unwrap();
    let error = game.board.read_move(&lost, "5-9").unwrap_err().to_string();
    assert!(error.ends_with("expected a legal move; legal moves: none"), "{error}");
}
