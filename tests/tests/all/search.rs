//! Df-pn compared with databases that the search did not have: values never differ, and every
//! answer comes with a strategy that holds.

use std::sync::atomic::Ordering;

use draughtproof_egdb::Value;
use draughtproof_proof::certificate::Section;
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{
    Environment, Grown, Ledger, ProofSettings, ROUND, SearchContext, Workers, prove,
};
use draughtproof_proof::search::{Checkpoint, Goal, Outcome, Search, SearchProgress};
use tests::prelude::*;

/// All positions with the given number of pieces, both sides on the board.
fn positions(board: &Board, pieces: u32) -> Vec<Position> {
    let squares = board.squares();
    let mut found = Vec::new();
    for dense in 0..1u32 << squares {
        if dense.count_ones() != pieces {
            continue;
        }
        let list: Vec<u8> = (0..squares).filter(|s| dense >> s & 1 == 1).collect();
        for kinds in 0..4u32.pow(pieces) {
            for turn in [Side::Black, Side::White] {
                let mut position = Position { black: 0, white: 0, kings: 0, turn };
                let mut possible = true;
                for (i, &square) in (0..).zip(&list) {
                    let (white, king) = (kinds >> (2 * i) & 1 == 1, kinds >> (2 * i + 1) & 1 == 1);
                    let crowning = if white { 0 } else { board.rows() - 1 };
                    possible &= king || board.row(square) != crowning;
                    let bit = board.bit(square);
                    *(if white { &mut position.white } else { &mut position.black }) |= bit;
                    position.kings |= if king { bit } else { 0 };
                }
                if possible && position.both_sides() {
                    found.push(position);
                }
            }
        }
    }
    found
}

fn stop_if(stop: bool) -> ControlFlow<()> {
    if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Solves both questions of a position with the smaller database; compares the answers with the
/// larger one. Returns the number of nodes.
fn compare(
    board: &Board,
    small: &Values,
    large: &Values,
    position: &Position,
    threads: u32,
) -> u64 {
    let fen = board.write_fen(position);
    let want = large.probe(position).expect(&fen);
    let mut nodes = 0;
    for attacker in [Side::Black, Side::White] {
        let goal = Goal::new(board, small, attacker);
        let mut search = Search::new(goal, 1 << 28).with_threads(threads);
        let outcome = search.run(position, 10_000_000);
        let won = want == if position.turn == attacker { Value::Win } else { Value::Loss };
        let right = if won { Outcome::Proved } else { Outcome::Disproved };
        assert_eq!(outcome, right, "{fen}: does {attacker:?} win?");
        let strategy = search.strategy(position).unwrap_or_else(|e| panic!("{fen}: {e}"));
        assert_eq!(strategy.is_win, won);
        nodes += search.nodes();
    }
    nodes
}

fn all_positions(rows: u8, columns: u8, small: u8, large: u8, step: usize, threads: u32) {
    let board = Board::new(rows, columns).unwrap();
    let (small, large) = (database(&board, small), database(&board, large));
    let all = positions(&board, large.cover().most_pieces().into());
    assert!(all.len() > 1000);
    all.iter().step_by(step).for_each(|p| {
        compare(&board, &small, &large, p, threads);
    });
}

#[test]
fn positions_with_few_pieces() {
    for (rows, columns, small, large, step, threads) in [
        (4, 4, 0, 4, 1, 1),
        (4, 4, 2, 5, 1, 1),
        (5, 5, 2, 4, 97, 1),
        (6, 4, 0, 3, 1, 1),
        (4, 4, 0, 4, 1, 2),
        (6, 4, 0, 3, 7, 4),
    ] {
        all_positions(rows, columns, small, large, step, threads);
    }
}

#[test]
fn random_positions_of_6x6_with_six_pieces() {
    // docs/performance.md has runs with more.
    let number = |name, usual| std::env::var(name).map_or(usual, |n| n.parse().expect("a number"));
    let (count, over) = (number("POSITIONS", 50u32), number("OVER", 4));
    let threads = number("THREADS", 1);
    let board = Board::new(6, 6).unwrap();
    let (small, large) = (database(&board, over.try_into().expect("pieces")), database(&board, 6));
    let mut g = Gen::new(10);
    let mut nodes = 0;
    for _ in 0..count {
        nodes += compare(&board, &small, &large, &random(&mut g, &board, 6), threads);
    }
    println!("{count} positions over {over} pieces, {nodes} nodes");
}

#[test]
fn small_tables_make_no_mistakes() {
    let board = Board::new(6, 6).unwrap();
    let (small, large) = (database(&board, 2), database(&board, 4));
    // In some positions too much is decided for the smallest transposition table of 4,096 slots.
    let (mut decided, mut given_up) = (0, 0);
    for position in positions(&board, 4).iter().step_by(3989) {
        let won = large.probe(position).unwrap() == Value::Win;
        let goal = Goal::new(&board, &small, position.turn);
        let mut search = Search::new(goal, 0);
        match search.run(position, 200_000) {
            Outcome::Unknown(_) => given_up += 1,
            outcome => {
                assert_eq!(outcome == Outcome::Proved, won, "{}", board.write_fen(position));
                assert!(search.strategy(position).is_ok(), "{}", board.write_fen(position));
                decided += u32::from(search.nodes() > 2048);
            }
        }
    }
    assert!(decided > 10 && given_up > 10, "{decided} decided, {given_up} given up");
}

#[test]
fn threads_agree_with_the_database() {
    let board = Board::new(5, 5).unwrap();
    let (small, large) = (database(&board, 2), database(&board, 4));
    for (threads, step, bytes) in [(2, 97, 1 << 24), (4, 101, 1 << 24), (4, 199, 1 << 16)] {
        let (mut decided, mut given_up) = (0, 0);
        for position in positions(&board, 4).iter().step_by(step) {
            let fen = board.write_fen(position);
            let won = large.probe(position).unwrap() == Value::Win;
            let goal = Goal::new(&board, &small, position.turn);
            let mut search = Search::new(goal, bytes).with_threads(threads);
            match search.run(position, 200_000) {
                Outcome::Unknown(_) => given_up += 1,
                outcome => {
                    assert_eq!(outcome == Outcome::Proved, won, "{fen}");
                    assert!(search.strategy(position).is_ok(), "{fen}");
                    decided += 1;
                }
            }
        }
        assert!(decided > 10 && given_up < decided, "{decided} decided, {given_up} given up");
    }
}

#[test]
fn stopped_threads_resume() {
    let game: Game = "6x6".parse().unwrap();
    let database = database(&game.board, 3);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("search");
    let goal = Goal::new(&game.board, &database, Side::White);
    let mut nodes = 0;
    // With two threads, with one, and with four.
    for threads in [2, 1, 4] {
        let heard = AtomicU64::new(0);
        let report = |SearchProgress { nodes, .. }| {
            stop_if(heard.fetch_add(nodes, Ordering::Relaxed) + nodes > 100_000)
        };
        let say = |_| ();
        let checkpoint = Checkpoint::new(file.clone(), Digest::of(b"this"), &say).always();
        let search = Search::new(goal, 1 << 26).with_threads(threads);
        let mut search = search.with_progress(&report).with_checkpoint(checkpoint);
        let outcome = search.run(&game.start(), u64::MAX);
        assert!(matches!(outcome, Outcome::Unknown(_)) && search.is_stopped(), "{threads}");
        assert!(search.nodes() > nodes + 100_000, "{threads}: {} and {nodes}", search.nodes());
        nodes = search.nodes();
    }
    let say = |_| ();
    let checkpoint = Checkpoint::new(file, Digest::of(b"this"), &say);
    let search = Search::new(goal, 1 << 26).with_threads(2);
    let mut search = search.with_checkpoint(checkpoint);
    assert_eq!(search.run(&game.start(), u64::MAX), Outcome::Disproved);
    assert!(search.nodes() > nodes && search.strategy(&game.start()).is_ok());
}

/// A search that decides, one that uses up its budget, one whose transposition table forgets, and
/// one whose table becomes full of decided positions.
const KILLED: [(Side, u8, u64); 4] = [
    (Side::White, 4, 1 << 28),
    (Side::White, 3, 1 << 28),
    (Side::Black, 3, 1 << 19),
    (Side::White, 3, 1 << 18),
];

#[test]
fn killed_searches_resume() {
    let game: Game = "6x6".parse().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("search");
    for (attacker, pieces, bytes) in KILLED {
        let database = database(&game.board, pieces);
        let budget = if pieces == 4 { u64::MAX } else { 300_000 };
        let goal = Goal::new(&game.board, &database, attacker);
        let mut whole = Search::new(goal, bytes);
        let want = whole.run(&game.start(), budget);
        let said = Mutex::new(Vec::new());
        let say = |what: String| said.lock().unwrap().push(what);
        let mut stops = 0;
        let found = loop {
            let heard = AtomicU64::new(0);
            let report = |SearchProgress { nodes, .. }| {
                stop_if(heard.fetch_add(nodes, Ordering::Relaxed) + nodes > 30_000)
            };
            let checkpoint = Checkpoint::new(file.clone(), Digest::of(b"this"), &say).always();
            let search = Search::new(goal, bytes);
            let mut search = search.with_progress(&report).with_checkpoint(checkpoint);
            let outcome = search.run(&game.start(), budget - search.nodes());
            if !search.is_stopped() {
                assert_eq!((search.nodes(), search.probes()), (whole.nodes(), whole.probes()));
                break outcome;
            }
            stops += 1;
        };
        assert_eq!(found, want, "{attacker:?}");
        println!("{found:?} after {} nodes", whole.nodes());
        assert_eq!(found == Outcome::Disproved, pieces == 4);
        assert!(stops > 1, "{stops}");
        let went_on = said.lock().unwrap().iter().filter(|s| s.contains("goes on")).count();
        assert_eq!(went_on, stops);
        unusable_checkpoints_are_ignored(goal, bytes, &file);
        std::fs::remove_file(&file).unwrap();
    }
}

/// The kept state of another search, a changed, a truncated and an empty one are not used.
fn unusable_checkpoints_are_ignored(goal: Goal<'_>, bytes: u64, file: &Path) {
    let kept = std::fs::read(file).unwrap();
    let mut changed = kept.clone();
    changed[kept.len() / 2] ^= 4;
    for (item, content) in [
        (&b"other"[..], &kept[..]),
        (b"this", &changed),
        (b"this", &kept[..kept.len() - 40]),
        (b"this", &[]),
    ] {
        std::fs::write(file, content).unwrap();
        let said = Mutex::new(String::new());
        let say = |what| *said.lock().unwrap() = what;
        let checkpoint = Checkpoint::new(file.into(), Digest::of(item), &say);
        let search = Search::new(goal, bytes).with_checkpoint(checkpoint);
        assert_eq!(search.nodes(), 0);
        assert!(said.lock().unwrap().contains("not used"));
    }
}

#[test]
fn repeated_closures_terminate() {
    // In each of these positions the search once repeated the same wrong disproof of the root for
    // ever.
    for (rows, columns, fen) in [(5, 5, "B:W3,K4:B6,8"), (6, 6, "W:W5,K14,K16:BK6,K9,K17")] {
        let board = Board::new(rows, columns).unwrap();
        let position = board.read_fen(fen).unwrap();
        let pieces = u8::try_from(position.pieces()).unwrap();
        let (small, large) = (database(&board, pieces - 2), database(&board, pieces));
        compare(&board, &small, &large, &position, 1);
    }
}

#[test]
fn node_counts_of_6x6() {
    let game: Game = "6x6".parse().unwrap();
    let database = database(&game.board, 6);
    // Pinned numbers: a change of the search shows here, and must be intended.
    for (attacker, nodes) in [(Side::Black, 16_227), (Side::White, 14_595)] {
        let goal = Goal::new(&game.board, &database, attacker);
        let mut search = Search::new(goal, 1 << 28);
        assert_eq!(search.run(&game.start(), u64::MAX / 2), Outcome::Disproved);
        assert_eq!(search.nodes(), nodes, "{attacker:?}");
    }
}

#[test]
fn tiny_leaves_agree_with_the_database() {
    let board = Board::new(5, 5).unwrap();
    let (small, large) = (database(&board, 2), database(&board, 4));
    let all = positions(&board, 4);
    let context = SearchContext { board: &board, database: &small, database_root: None };
    let settings = ProofSettings {
        leaf_nodes: 3,
        leaf_table: 1 << 20,
        leaf_threads: 1,
        lines: None,
        round: ROUND,
        max_nodes: None,
        thresholds: None,
    };
    let (ledger, workers) = (Ledger::in_memory().unwrap(), Workers::threads(2));
    let environment = Environment {
        ledger: &ledger,
        workers: &workers,
        is_stopped: &|| false,
        progress: &Progress::Quiet,
    };
    for position in all.iter().step_by(397) {
        let want = large.probe(position).unwrap();
        for attacker in [Side::Black, Side::White] {
            let Grown { tree, result } =
                prove(&settings, &context, attacker, position, environment).unwrap();
            let won = want == if position.turn == attacker { Value::Win } else { Value::Loss };
            let right = if won { Outcome::Proved } else { Outcome::Disproved };
            let fen = board.write_fen(position);
            assert_eq!(result.outcome, right, "{fen}: does {attacker:?} win?");
            assert!(Section::new(&board, &small, tree.into_proof().expect(&fen)).is_ok(), "{fen}");
        }
    }
}

#[test]
fn reported_numbers_are_final_numbers() {
    let game: Game = "6x6".parse().unwrap();
    let database = database(&game.board, 3);
    let (mut different, mut first) = (HashSet::new(), Vec::new());
    game.board.successors(&game.start(), &mut first);
    for k in 1..20 {
        let (calls, last) = (AtomicU64::new(0), Mutex::new(None));
        let report = |SearchProgress { root, below, depth, table, .. }| {
            let mut last = last.lock().unwrap();
            // Each report names the position that is searched.
            assert_eq!((root.is_some(), below.is_some()), (depth > 0, depth > 1));
            assert!(below.is_none_or(|(position, _)| first.contains(&position)));
            assert!(table.0 > 0 && table.0 <= table.1);
            *last = root.or(*last);
            stop_if(calls.fetch_add(1, Ordering::Relaxed) + 1 >= k)
        };
        let goal = Goal::new(&game.board, &database, Side::White);
        let mut search = Search::new(goal, 1 << 28).with_progress(&report);
        let Outcome::Unknown(numbers) = search.run(&game.start(), u64::MAX) else {
            panic!("not stopped after {k}");
        };
        assert_eq!(*last.lock().unwrap(), Some(numbers), "after {k}");
        different.insert(numbers);
    }
    assert!(different.len() > 3, "{different:?}");
}
