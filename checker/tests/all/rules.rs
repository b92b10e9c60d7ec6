//! The rules against tables, against special cases, and against a second, slower program.

use crate::common::*;
use std::collections::BTreeSet;

/// The number of ways of playing `depth` moves from `p`.
fn perft(board: &Board, p: &Position, depth: u32) -> u64 {
    let Some(rest) = depth.checked_sub(1) else {
        return 1;
    };
    let mut next = Vec::new();
    board.moves(p, &mut next);
    if rest == 0 { next.len() as u64 } else { next.iter().map(|q| perft(board, q, rest)).sum() }
}

fn check_perft(name: &str, table: &[u64]) {
    let game = Game::parse(name).unwrap();
    for (depth, &count) in (1..).zip(table) {
        assert_eq!(perft(game.board(), &game.initial(), depth), count, "{name} depth {depth}");
    }
}

#[test]
fn perft_8x8() {
    check_perft("8x8", &[7, 49, 302, 1469, 7361, 36768, 179_740, 845_931]);
}

#[test]
fn perft_6x6() {
    check_perft("6x6", &[5, 25, 106, 369, 1271, 4104, 12495, 37474, 104_013, 290_032]);
}

#[test]
fn both_ways_round_a_circle_are_one_successor() {
    let p = fen("B:W14,15,22,23:BK10");
    assert_eq!(perft(&board("8x8"), &p, 1), 2);
    assert_eq!(successors(&board("8x8"), &p), [fen("W:W:BK10")]);
}

fn after(p: &str, expected: &[&str]) {
    let found: Vec<String> = successors(&board("8x8"), &fen(p)).iter().map(write_fen).collect();
    let expected: BTreeSet<String> = expected.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), expected.len(), "{p}: {found:?}");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{p}");
}

#[test]
fn crowning_ends_the_move() {
    // The new king could jump from 30 over 25, but its move has ended.
    after("B:W25,26:B23", &["W:W25:BK30"]);
    // A king that reaches the last row continues its jumps.
    after("B:W25,26:BK23", &["W:W:BK21"]);
}

#[test]
fn jumps_are_compulsory_and_go_on() {
    after("B:W14,15:B10", &["W:W14:B19", "W:W15:B17"]);
    after("B:W14,22:B1,10", &["W:W:B1,26"]);
    // Men do not jump backwards.
    after("B:W6:B10", &["W:W6:B14", "W:W6:B15"]);
}

#[test]
fn the_start_is_empty_and_no_piece_is_jumped_twice() {
    // A king jumps round a circle: its last landing is its start.
    after("B:W6,7,14,15:BK2", &["W:W:BK2"]);
}

#[test]
fn no_move_and_no_piece() {
    after("B:W5:B", &[]);
    after("B:W5,6,10:B1", &[]);
}

#[test]
fn games_are_written_in_one_way() {
    for name in ["8x8", "6x6", "4x4", "5x5/2", "8x8/1", "4x4/2", "3x3/1", "7x7", "8x2"] {
        assert_eq!(Game::parse(name).map(|g| g.name()).as_deref(), Some(name));
    }
    for name in [
        "", "8", "8x8/3", "08x8", "8x8/4/1", "8x8/5", "3x3", "9x9", "8x7", "8x8/0", "8X8", "+8x8",
        "8x8/", "2x2/1",
    ] {
        assert!(Game::parse(name).is_none(), "{name}");
    }
    let start = Game::parse("8x8").unwrap().initial();
    assert_eq!((start.black, start.white), (0xfff, 0xfff0_0000));
}

#[test]
fn fen_has_one_form() {
    for text in ["B:W18,24,K30:B12,K16", "W:W:B1", "B:W:B", "B:WK32:BK1"] {
        assert_eq!(write_fen(&parse_fen(text).unwrap()), text);
    }
    for text in [
        "",
        "B",
        "B:W",
        "b:W1:B2",
        "B:B1:W2",
        "B:W2,1:B3",
        "B:W1,1:B3",
        "B:W01:B3",
        "B:W0:B3",
        "B:W33:B3",
        "B:W1,:B3",
        "B:W1:B3.",
        "B:W1:B3:",
        " B:W1:B3",
        "B:W1 :B3",
        "B:WKK1:B3",
        "B:W+1:B3",
        "B:Wk1:B3",
        "B:W1:B1",
        "B:WK1:B1",
        "B:W4294967297:B3",
    ] {
        let parsed = parse_fen(text);
        // A text with two pieces on a square can be read and written, but the position is not
        // possible.
        assert!(parsed.is_none_or(|p| p.black & p.white != 0), "{text}");
    }
}

#[test]
fn impossible_positions() {
    let b = board("6x6");
    for text in ["B:W19:B1", "B:W4:B16", "B:W2:B4", "B:W5:B5", "B:WK19:BK1"] {
        assert!(!b.is_possible(&fen(text)), "{text}");
    }
    assert!(b.is_possible(&fen("B:WK2,4:B15,K16")));
    let p = Position { black: 1, white: 0, kings: 2, turn: Side::Black };
    assert!(!b.is_possible(&p));
}

/// A second program for the rules: on a grid of characters, recursive, jumped pieces taken off at
/// once.
mod slow {
    use super::*;

    type Grid = Vec<Vec<u8>>;

    fn squares(b: &Board) -> Vec<(i32, i32)> {
        let (rows, columns) = (i32::from(b.rows()), i32::from(b.columns()));
        let all = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
        all.filter(|(r, c)| (r + c) % 2 == 1).collect()
    }

    fn get(g: &Grid, r: i32, c: i32) -> u8 {
        let row = usize::try_from(r).ok().and_then(|r| g.get(r));
        row.and_then(|row| row.get(usize::try_from(c).ok()?)).copied().unwrap_or(b'#')
    }

    fn set(g: &mut Grid, r: i32, c: i32, piece: u8) {
        g[r as usize][c as usize] = piece;
    }

    fn is_mine(piece: u8, turn: Side) -> bool {
        piece.to_ascii_lowercase() == if turn == Side::Black { b'b' } else { b'w' }
    }

    fn directions(piece: u8) -> Vec<(i32, i32)> {
        let all = [(1, -1), (1, 1), (-1, -1), (-1, 1)];
        let forward = |d: &(i32, i32)| match piece {
            b'b' => d.0 == 1,
            b'w' => d.0 == -1,
            _ => true,
        };
        all.into_iter().filter(forward).collect()
    }

    fn crowned(piece: u8, r: i32, rows: i32) -> u8 {
        match piece {
            b'b' if r == rows - 1 => b'B',
            b'w' if r == 0 => b'W',
            _ => piece,
        }
    }

    fn jump(g: &Grid, r: i32, c: i32, piece: u8, turn: Side, out: &mut Vec<Grid>) -> bool {
        let rows = i32::try_from(g.len()).unwrap();
        let mut any = false;
        for (dr, dc) in directions(piece) {
            let over = get(g, r + dr, c + dc);
            if is_mine(over, if turn == Side::Black { Side::White } else { Side::Black })
                && get(g, r + 2 * dr, c + 2 * dc) == b'.'
            {
                any = true;
                let mut g = g.clone();
                set(&mut g, r + dr, c + dc, b'.');
                let (r, c) = (r + 2 * dr, c + 2 * dc);
                let now = crowned(piece, r, rows);
                if now != piece || !jump(&g, r, c, piece, turn, out) {
                    set(&mut g, r, c, now);
                    out.push(g);
                }
            }
        }
        any
    }

    pub fn successors(b: &Board, p: &Position) -> BTreeSet<Position> {
        let squares = squares(b);
        let mut g: Grid = vec![vec![b'.'; b.columns().into()]; b.rows().into()];
        for (n, &(r, c)) in squares.iter().enumerate() {
            let king = p.kings >> n & 1 == 1;
            if p.black >> n & 1 == 1 {
                set(&mut g, r, c, if king { b'B' } else { b'b' });
            }
            if p.white >> n & 1 == 1 {
                set(&mut g, r, c, if king { b'W' } else { b'w' });
            }
        }
        let mine: Vec<_> = squares.iter().filter(|s| is_mine(get(&g, s.0, s.1), p.turn)).collect();
        let mut out = Vec::new();
        for &&(r, c) in &mine {
            let mut without = g.clone();
            set(&mut without, r, c, b'.');
            jump(&without, r, c, get(&g, r, c), p.turn, &mut out);
        }
        if out.is_empty() {
            for &&(r, c) in &mine {
                let piece = get(&g, r, c);
                for (dr, dc) in directions(piece) {
                    if get(&g, r + dr, c + dc) == b'.' {
                        let mut g = g.clone();
                        set(&mut g, r, c, b'.');
                        set(&mut g, r + dr, c + dc, crowned(piece, r + dr, b.rows().into()));
                        out.push(g);
                    }
                }
            }
        }
        let read = |g: &Grid| {
            let turn = if p.turn == Side::Black { Side::White } else { Side::Black };
            let mut q = Position { black: 0, white: 0, kings: 0, turn };
            for (n, &(r, c)) in squares.iter().enumerate() {
                let piece = get(g, r, c);
                q.black |= u32::from(piece.eq_ignore_ascii_case(&b'b')) << n;
                q.white |= u32::from(piece.eq_ignore_ascii_case(&b'w')) << n;
                q.kings |= u32::from(piece.is_ascii_uppercase()) << n;
            }
            q
        };
        out.iter().map(read).collect()
    }
}

#[test]
fn random_positions_of_all_boards_agree_with_the_slow_program() {
    // A plain generator that gives the same positions every time.
    let mut state = 1u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u32::try_from(state >> 32).unwrap()
    };
    let (mut tried, mut jumps) = (0, 0);
    for rows in 3..=8 {
        for columns in 2..=8 {
            let Some(b) = Board::new(rows, columns) else {
                continue;
            };
            for _ in 0..3000 {
                let (x, y, z) = (random(), random(), random());
                let all = u32::MAX >> (32 - b.squares());
                let thin = if random() % 2 == 0 { random() } else { u32::MAX };
                let (black, white) = (x & y & thin & all, x & !y & z & all);
                let kings = random() & (black | white);
                let turn = if random() % 2 == 0 { Side::Black } else { Side::White };
                let p = Position { black, white, kings, turn };
                if b.is_possible(&p) {
                    let fast = successors(&b, &p);
                    let slow: Vec<_> = slow::successors(&b, &p).into_iter().collect();
                    assert_eq!(fast, slow, "{} {}", b.name(), write_fen(&p));
                    assert!(fast.iter().all(|y| b.is_possible(y)));
                    tried += 1;
                    jumps += usize::from(fast.iter().any(|y| y.pieces() + 1 < p.pieces()));
                }
            }
        }
    }
    assert!(tried > 10_000 && jumps > 500, "{tried} positions, {jumps} with long jumps");
}
