//! The heuristic search: proved results agree with databases that the search did not have, scores
//! agree with a plain minimax, and a search repeats exactly.

use std::sync::atomic::Ordering;

use draughtproof_egdb::{Value, ValueRange};
use draughtproof_proof::heuristic::{Analysis, Evaluation, Heuristic, Limits, NAMES, Weights};
use tests::prelude::*;

fn nodes(nodes: u64) -> Limits {
    Limits { nodes, ..Limits::default() }
}

fn depth(depth: u32) -> Limits {
    Limits { depth, ..Limits::default() }
}

/// Checks that a line has legal moves only, and ends in the position that the analysis states.
fn check_line(board: &Board, database: &Values, position: &Position, analysis: &Analysis) {
    let (mut at, mut moves) = (*position, Vec::new());
    for next in &analysis.pv {
        board.successors(&at, &mut moves);
        assert!(moves.contains(next), "{}", board.write_fen(&at));
        at = *next;
    }
    if analysis.ends_in_draw && database.covers(&at) {
        assert_eq!(database.probe(&at), Some(Value::Draw));
    }
}

/// Searches with the smaller database; counts the proved results, and checks them with the larger.
fn compare(board: &Board, small: &Values, large: &Values, count: usize, pieces: u32) {
    let heuristic = Heuristic::new(board, small);
    compare_with(heuristic, board, small, large, (count, pieces));
}

fn compare_with(
    mut heuristic: Heuristic<'_>,
    board: &Board,
    small: &Values,
    large: &Values,
    (count, pieces): (usize, u32),
) {
    let mut g = Gen::new(10);
    let (mut exact, mut bounds) = (0, 0);
    for _ in 0..count {
        let position = random(&mut g, board, pieces);
        let want = large.probe(&position).unwrap();
        let fen = board.write_fen(&position);
        let found = heuristic.search(&position, nodes(20_000), |a| {
            assert!(a.proven.admits(want), "{fen}, depth {}: {} but {want:?}", a.depth, a.proven);
            assert!(a.score.abs() < 10_000 || a.proven.value().is_some(), "{fen}: {}", a.score);
            check_line(board, small, &position, a);
        });
        match found.proven.lower {
            Value::Win => assert!(found.score > 10_000, "{fen}: {}", found.score),
            Value::Draw => assert!(found.score >= 0, "{fen}: {}", found.score),
            Value::Loss => {}
        }
        match found.proven.upper {
            Value::Win => {}
            Value::Draw => assert!(found.score <= 0, "{fen}: {}", found.score),
            Value::Loss => assert!(found.score < -10_000, "{fen}: {}", found.score),
        }
        exact += usize::from(found.proven.value().is_some());
        bounds += usize::from(found.proven != ValueRange::UNKNOWN);
    }
    // With fewer proved results the comparison would be worthless.
    assert!(exact > count / 4 && bounds >= exact, "{exact} and {bounds} of {count}");
}

#[test]
fn proofs_agree_with_the_database_of_4x4() {
    let board = Board::new(4, 4).unwrap();
    let (small, large) = (database(&board, 2), database(&board, 6));
    compare(&board, &small, &large, 1000, 5);
    compare(&board, &Values::empty(&board), &large, 1000, 4);
}

#[test]
fn proofs_agree_with_the_database_of_5x5() {
    let board = Board::new(5, 5).unwrap();
    compare(&board, &database(&board, 3), &database(&board, 5), 500, 5);
}

#[test]
fn proofs_agree_with_the_database_of_6x6() {
    let board = Board::new(6, 6).unwrap();
    let (small, middle, large) = (database(&board, 2), database(&board, 4), database(&board, 6));
    compare(&board, &small, &large, 300, 4);
    compare(&board, &middle, &large, 300, 6);
}

#[test]
fn two_threads_agree_with_the_database() {
    let board = Board::new(5, 5).unwrap();
    let (small, large) = (database(&board, 3), database(&board, 5));
    // A small transposition table, in which entries are replaced all the time.
    let heuristic = Heuristic::new(&board, &small).with_threads(2).with_memory(1 << 16);
    compare_with(heuristic, &board, &small, &large, (500, 5));
}

#[test]
fn a_flag_ends_a_search_after_the_first_depth() {
    let game: Game = "8x8".parse().unwrap();
    let none = Values::empty(&game.board);
    for threads in [1, 2] {
        let mut heuristic = Heuristic::new(&game.board, &none).with_threads(threads);
        heuristic.stop_flag().store(true, Ordering::Relaxed);
        let found = heuristic.search(&game.start(), Limits::default(), |_| ());
        assert!(!found.pv.is_empty() && found.depth < 12, "{found:?}");
        heuristic.stop_flag().store(false, Ordering::Relaxed);
        assert_eq!(heuristic.search(&game.start(), depth(9), |_| ()).depth, 9);
    }
}

#[test]
fn repetitions_of_the_game_are_draws() {
    let board = Board::new(8, 8).unwrap();
    let none = Values::empty(&board);
    let mut heuristic = Heuristic::new(&board, &none);
    let start = board.read_fen("B:WK32:BK14,K15").unwrap();
    let best = heuristic.search(&start, depth(1), |_| ()).pv[0];
    let name = board.write_move(&start, &best).unwrap();
    let (from, to) = name.split_once('-').unwrap();
    let there_and_back = format!("{name} 32-28 {to}-{from} 28-32");
    let mut earlier = vec![start];
    earlier.extend(board.read_line(&start, &there_and_back).unwrap());
    assert_eq!(earlier.pop(), Some(start));
    let found = heuristic.search_after(&earlier, &start, depth(1), |_| ());
    assert!(found.score > 0 && found.pv[0] != best, "{found:?}");
}

/// A minimax to a fixed depth, without window, transposition table or move ordering.
struct Minimax<'a> {
    board: &'a Board,
    database: &'a Values,
    evaluation: &'a Evaluation,
    depth: usize,
    /// For each position, the depth to which it was searched, and the iteration.
    seen: HashMap<u128, (usize, usize)>,
    /// Whether a position was met again with another remaining depth, or repeated: then the
    /// transposition table may hold a deeper result, and the score may differ.
    ambiguous: bool,
}

impl Minimax<'_> {
    fn score(&mut self, path: &mut Vec<Position>, depth: usize) -> i32 {
        let (ply, position) = (path.len() - 1, path[path.len() - 1]);
        let moves_made = i32::try_from(ply).unwrap();
        if ply > 0 {
            match self.database.probe(&position) {
                Some(Value::Win) => return 20_000 - moves_made,
                Some(Value::Draw) => return 0,
                Some(Value::Loss) => return moves_made - 20_000,
                None if path[..ply].contains(&position) => {
                    self.ambiguous = true;
                    return 0;
                }
                None => {}
            }
        }
        if depth > 0 {
            let (iteration, before) = self.seen.get(&position.key()).copied().unwrap_or_default();
            let same = if iteration == self.depth { before == depth } else { before < depth };
            self.ambiguous |= !same;
            self.seen.insert(position.key(), (self.depth, depth));
        }
        let mut moves = Vec::new();
        self.board.successors(&position, &mut moves);
        let capture = self.board.can_capture(&position);
        if depth == 0 && !capture && !moves.is_empty() {
            return self.evaluation.score(&position);
        }
        let forced = depth > 0 && moves.len() == 1 && ply < 2 * self.depth;
        let next = if forced { depth } else { depth.saturating_sub(1) };
        let mut best = moves_made - 30_000;
        for to in moves {
            path.push(to);
            best = best.max(-self.score(path, next));
            path.pop();
        }
        best
    }
}

impl<'a> Minimax<'a> {
    fn new(board: &'a Board, database: &'a Values, evaluation: &'a Evaluation) -> Self {
        Minimax { board, database, evaluation, depth: 0, seen: HashMap::new(), ambiguous: false }
    }

    /// The score of an iteration. Iterations must be run in order.
    fn iteration(&mut self, position: &Position, depth: usize) -> i32 {
        self.depth = depth;
        self.score(&mut vec![*position], depth)
    }
}

/// A score without the length of a win, which may be that of any win: the search keeps the first
/// that it meets.
fn shorten(score: i32) -> i32 {
    score.clamp(-10_000, 10_000)
}

#[test]
fn scores_are_those_of_minimax() {
    let (mut g, mut compared) = (Gen::new(10), 0);
    for (rows, columns, pieces, known) in [(4, 4, 5, 2), (5, 5, 6, 0), (6, 6, 8, 3), (8, 8, 14, 2)]
    {
        let board = Board::new(rows, columns).unwrap();
        let database = database(&board, known);
        let evaluation = Evaluation::fitted(&board);
        let mut heuristic = Heuristic::new(&board, &database).without_reductions();
        for _ in 0..200 {
            let position = random(&mut g, &board, pieces);
            let mut minimax = Minimax::new(&board, &database, &evaluation);
            heuristic.search(&position, depth(4), |a| {
                let want = minimax.iteration(&position, a.depth as usize);
                if !minimax.ambiguous {
                    let fen = board.write_fen(&position);
                    assert_eq!(shorten(a.score), shorten(want), "{fen}, depth {}", a.depth);
                    compared += 1;
                }
            });
        }
    }
    assert!(compared > 4 * 200, "{compared}");
}

#[test]
fn twins_are_worth_the_same() {
    let (mut g, mut compared) = (Gen::new(10), 0);
    for (rows, columns) in [(4, 4), (5, 5), (6, 6), (5, 7), (7, 7), (8, 6), (6, 8), (8, 8), (8, 2)]
    {
        let board = Board::new(rows, columns).unwrap();
        let database = database(&board, 2);
        let evaluation = Evaluation::fitted(&board);
        let heuristic = Heuristic::new(&board, &database);
        let mut searcher = Heuristic::new(&board, &database).without_reductions();
        let most = u32::from(board.squares());
        for i in 0..500 {
            let position = random(&mut g, &board, 2 + i % (most - 3));
            let twin = position.twin(&board);
            let fen = board.write_fen(&position);
            assert_eq!(heuristic.evaluate(&position), heuristic.evaluate(&twin), "{fen}");
            if i % 10 == 0 {
                let one = searcher.search(&position, depth(3), |_| ());
                let other = searcher.search(&twin, depth(3), |_| ());
                // Moves come in another order, which matters for the contents of the transposition
                // table.
                let mut minimax = Minimax::new(&board, &database, &evaluation);
                (1..=3).for_each(|depth| _ = minimax.iteration(&position, depth));
                if !minimax.ambiguous {
                    assert_eq!(shorten(one.score), shorten(other.score), "{fen}");
                    // Either may have proved more, as moves come in another order.
                    let values = [&one, &other].map(|found| found.proven.value());
                    assert!(values.contains(&None) || values[0] == values[1], "{fen}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn searches_are_reproducible() {
    let game: Game = "8x8".parse().unwrap();
    let database = database(&game.board, 3);
    let mut used = Heuristic::new(&game.board, &database);
    let mut g = Gen::new(10);
    for i in 0..30 {
        let position = if i == 0 { game.start() } else { random(&mut g, &game.board, 4 + i % 12) };
        let limits = nodes(3_000 + 1_000 * u64::from(i));
        let first = used.search(&position, limits, |_| ());
        assert_eq!(first, used.search(&position, limits, |_| ()));
        let mut fresh = Heuristic::new(&game.board, &database);
        assert_eq!(first, fresh.search(&position, limits, |_| ()));
        assert!(first.nodes <= limits.nodes + 1);
    }
}

#[test]
fn a_table_that_was_cleared_is_like_a_new_one() {
    let game: Game = "8x8".parse().unwrap();
    let none = Values::empty(&game.board);
    let new = || Heuristic::new(&game.board, &none).with_memory(1 << 20);
    let mut used = new();
    let limits = Limits { depth: 8, ..Limits::default() };
    let search = |engine: &mut Heuristic| engine.search(&game.start(), limits, |_| ());
    let first = search(&mut used);
    // An entry of an earlier search counts until the table is cleared.
    assert_ne!(search(&mut used), first);
    used.forget();
    assert_eq!(search(&mut used), first);
    used.forget();
    used.forget();
    assert_eq!((search(&mut used), search(&mut new())), (first.clone(), first));
}

#[test]
fn what_the_evaluation_should_like() {
    let board = Board::new(8, 8).unwrap();
    let none = Values::empty(&board);
    let heuristic = Heuristic::new(&board, &none);
    let score = |fen: &str| heuristic.evaluate(&board.read_fen(fen).unwrap());
    // (better, worse) for Black, to move.
    for (better, worse) in [
        // A man more; a king for a man; a king more.
        ("B:W21,22,24,30:B1,2,9,10,11", "B:W21,22,24,30:B1,2,9,10"),
        ("B:W21,22,24,30:B1,2,9,K10", "B:W21,22,24,30:B1,2,9,10"),
        ("B:W21,22,24,30:B1,2,9,10,K11", "B:W21,22,24,30:B1,2,9,10"),
    ] {
        assert!(score(better) > score(worse), "{better} {worse}");
    }
    assert_eq!(score("B:W30:B3"), score("W:W30:B3"));
}

#[test]
fn features_count_what_they_say() {
    let board = Board::new(8, 8).unwrap();
    let evaluation = Evaluation::new(&board, &Weights::FITTED);
    let feature = |fen: &str, name: &str| {
        let at = NAMES.iter().position(|n| *n == name).expect(name);
        evaluation.features(&board.read_fen(fen).unwrap())[at]
    };
    for (fen, name, want) in [
        ("B:W30,31:B1,2,K3", "men", 0),
        ("B:W30,31:B1,2,K3", "kings", 1),
        ("W:W30,31:B1,2,K3", "kings", -1),
        // Rows 0, 1 and 6 have no men; White's man has made one step.
        ("B:W28:B1,5,25", "tempo", 6),
        ("B:W30:B1,2,9", "back rank", 1),
        ("B:WK32:B15,14,1", "centre men", 2),
        ("B:W30:BK15,K1", "centre kings", 1),
        ("B:W30:B12,13,1,22", "edge men", 2),
        ("B:W30:B1,2", "moves of men", 2),
        ("B:W30:BK4,K15", "moves of kings", 5),
        ("B:W8,K11:BK4", "trapped kings", 1),
        ("B:W32:B25,1", "runaway men", 1),
        ("B:W32:B25,1", "tempo of runaway men", 6),
        ("W:W18:B9,14", "attacked", 1),
        ("B:W18:B14,K1", "any king", 1),
        ("W:W30:B3", "turn", 1),
    ] {
        assert_eq!(feature(fen, name), want, "{name} of {fen}");
    }
}

#[test]
fn captures_come_before_evaluation() {
    let board = Board::new(8, 8).unwrap();
    let none = Values::empty(&board);
    let mut heuristic = Heuristic::new(&board, &none);
    let mut g = Gen::new(10);
    let mut captures = 0;
    for _ in 0..500 {
        let position = random(&mut g, &board, 12);
        let found = heuristic.search(&position, depth(2), |_| ());
        if found.proven == ValueRange::UNKNOWN {
            let last = found.pv.last().unwrap_or(&position);
            assert!(!board.can_capture(last), "{}", board.write_fen(&position));
            captures += usize::from(found.pv.len() > 2);
        }
    }
    assert!(captures > 100);
}

#[test]
fn one_move_wins_and_no_move_loses() {
    let board = Board::new(8, 8).unwrap();
    let none = Values::empty(&board);
    let mut heuristic = Heuristic::new(&board, &none);
    for (fen, score, value) in [
        ("B:W18:B14", 29_999, Value::Win),
        ("B:W9,14:B5", -30_000, Value::Loss),
        ("B:W18:B", -30_000, Value::Loss),
        ("W:W19:B15", 29_999, Value::Win),
    ] {
        let found = heuristic.search(&board.read_fen(fen).unwrap(), depth(5), |_| ());
        assert_eq!((found.score, found.proven.value()), (score, Some(value)), "{fen}");
    }
    // A king against a king in the double corner: repetitions are never a proof.
    let found = heuristic.search(&board.read_fen("B:WK1:BK18").unwrap(), depth(12), |_| ());
    assert_eq!(found.proven, ValueRange::UNKNOWN);
}

#[test]
fn analyse_prints_all_depths() {
    let d = &Scratch::empty();
    prove(&["db", "--game", "6x6", "--pieces", "4", "-q"], d);
    let text = prove(&["analyse", "--game", "6x6", "--depth", "6", "-q"], d);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2 + 6, "{text}");
    assert_eq!(lines[0], "B:W13,14,15,16,17,18:B1,2,3,4,5,6");
    assert!(lines[1].split_whitespace().eq(["depth", "score", "nodes", "nodes/s", "proven", "pv"]));

    let options = ["--game", "6x6", "--format", "tsv", "-q"];
    let tsv = prove(&[&["analyse", "--depth", "6", "start"], &options[..]].concat(), d);
    let rows: Vec<Vec<&str>> = tsv.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0], ["fen", "depth", "score", "nodes", "nodes/s", "proven", "pv"]);
    assert_eq!(rows.len(), 1 + 6);
    let game: Game = "6x6".parse().unwrap();
    for (i, row) in rows.iter().enumerate().skip(1) {
        assert_eq!(row[1], i.to_string());
        // The moves can be read back.
        assert!(game.board.read_line(&game.start(), row[6]).unwrap().len() >= i);
    }

    let fen = "B:W18:BK3,10";
    let json =
        prove(&["analyse", "--game", "6x6", "--nodes", "1000", "--format", "json", "-q", fen], d);
    let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    let probed = prove(&[&["probe", fen], &options[..]].concat(), d);
    assert_eq!(probed.split('\t').nth(1), last["proven"].as_str());
    assert_eq!(last["fen"], fen);

    let out = run(&path("prove"), &["analyse", "--depth", "0"], d);
    assert_eq!(out.status.code(), Some(2));
    let out = run(&path("prove"), &["analyse", "--depth", "2", "B:W1:B2"], d);
    assert_eq!(out.status.code(), Some(2));
}
