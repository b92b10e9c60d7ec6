//! Whole games: proved, written and checked.

use tests::prelude::*;

/// Proves with the given options and checks; the verdict must begin with the given words.
fn prove_and_check(directory: &Path, options: &[&str], words: &str) {
    let _ = fs::remove_dir_all(directory.join("cert"));
    prove(&[options, &["--emit", "cert", "--quiet"]].concat(), directory);
    let said = check(&["cert"], directory);
    let verdict = format!("s VERIFIED {words} ");
    assert!(said.verdict.starts_with(&verdict), "{options:?}: {said:?}");
    assert_eq!(said.status, Some(0));
}

/// Proves a small game with the defaults, then with fewer pieces and tiny leaves, so that nodes,
/// leaves and database positions all matter.
fn game(name: &str, value: &str, pieces: &str, leaf_nodes: &str) {
    let directory = &Scratch::empty();
    let words = format!("{value} {name} start=initial");
    prove_and_check(directory, &["--game", name], &words);
    let deep = ["--game", name, "--pieces", pieces, "--leaf-nodes", leaf_nodes];
    prove_and_check(directory, &deep, &words);
    let consistent = check(&["cert", "--level", "consistent"], directory);
    let want = if value == "DRAW" { "s VERIFIED DRAW" } else { "s DECLINED level" };
    assert!(consistent.verdict.starts_with(want), "{name}: {consistent:?}");
}

#[test]
fn game_4x4() {
    game("4x4", "DRAW", "2", "3");
}

#[test]
fn game_6x4_which_white_wins() {
    game("6x4", "WHITE-WINS", "3", "20");
}

#[test]
fn game_5x5_2_which_white_wins() {
    game("5x5/2", "WHITE-WINS", "3", "50");
}

#[test]
fn game_8x4() {
    game("8x4", "DRAW", "5", "2000");
}

#[test]
fn game_4x8() {
    game("4x8", "DRAW", "4", "1000");
}

#[test]
fn game_5x7_2_with_repetitions() {
    game("5x7/2", "DRAW", "5", "3000");
}

#[test]
fn game_6x6() {
    game("6x6", "DRAW", "5", "2000");
}

#[test]
fn games_without_a_database() {
    let directory = tempfile::tempdir().unwrap();
    for game in ["3x3/1", "4x2", "3x5/1", "4x4", "6x4"] {
        let options = ["--game", game, "--pieces", "0"];
        let out = prove(&[&options[..], &["--emit", "first", "-q"]].concat(), directory.path());
        let value = out.split(' ').next().unwrap();
        prove_and_check(directory.path(), &options, &format!("{value} {game} start=initial"));
        // The value is the same with a database.
        prove_and_check(
            directory.path(),
            &["--game", game],
            &format!("{value} {game} start=initial"),
        );
        fs::remove_dir_all(directory.path().join("first")).unwrap();
    }
}

#[test]
fn bounds_of_positions() {
    let directory = &Scratch::empty();
    for (fen, claim, value) in [
        // Black is a man ahead and does not lose. (More may be true, and is not claimed.)
        ("B:W13,14,16,18:B1,2,3,5,6", "black-not-lost", "BLACK-NOT-LOST"),
        ("W:W13,14,15,17,18:B1,2,5,6", "white-not-lost", "WHITE-NOT-LOST"),
        // From the start both sides hold the draw.
        ("B:W13,14,15,16,17,18:B1,2,3,4,5,6", "black-not-lost", "BLACK-NOT-LOST"),
        ("B:W13,14,15,16,17,18:B1,2,3,4,5,6", "white-not-lost", "WHITE-NOT-LOST"),
        // The start is in the database, so no node is needed.
        ("B:W17,18:BK1,K2", "black-not-lost", "BLACK-NOT-LOST"),
    ] {
        let options = ["--pieces", "5", "--fen", fen, "--claim", claim];
        let start = if fen.starts_with("B:W13,14,15,16,17") { "initial" } else { fen };
        prove_and_check(directory, &options, &format!("{value} 6x6 start={start}"));
    }
}

#[test]
fn values_of_positions_won_by_either_side() {
    let directory = tempfile::tempdir().unwrap();
    for (fen, value) in [
        ("B:W17,18:B1,2,3,4,5", "BLACK-WINS"),
        ("W:W14,15,16,17,18:B1,2", "WHITE-WINS"),
        // The side to move has no move or no piece, and has lost.
        ("B:W7,8,10,12:B5", "WHITE-WINS"),
        ("W:W:B1", "BLACK-WINS"),
        ("B:W:B1", "BLACK-WINS"),
        ("B:W18:B", "WHITE-WINS"),
    ] {
        let options = ["--pieces", "3", "--leaf-nodes", "50", "--fen", fen];
        prove_and_check(directory.path(), &options, &format!("{value} 6x6 start={fen}"));
    }
}

#[test]
fn threads_do_not_change_certificates() {
    let directory = &Scratch::empty();
    for options in [
        "--game 6x6 --pieces 5 --leaf-nodes 3000",
        "--game 5x5/2 --pieces 3 --leaf-nodes 50",
        "--game 8x4 --pieces 4 --leaf-nodes 3000",
        // By the heuristic scores each side seems to win.
        "--game 5x7/2 --pieces 5 --leaf-nodes 300 --threshold 30 --until-threshold 30",
    ] {
        let options: Vec<&str> = options.split(' ').collect();
        let bytes = |threads: &str| {
            let to = ["--threads", threads, "--emit", threads, "--db", "egdb", "-q"];
            let _ = fs::remove_dir_all(directory.join("egdb"));
            let _ = fs::remove_dir_all(directory.join(threads));
            prove(&[&options[..], &to].concat(), directory);
            let mut database = read_all(&directory.join("egdb"));
            // The files of times and of results depend on the run: figures on time, results on
            // order.
            database.retain(|name, _| !name.ends_with(".figures") && !name.ends_with(".results"));
            (read_all(&directory.join(threads)), database)
        };
        let one = bytes("1");
        assert!(one.0.len() > 3 && one.1.len() > 3, "{options:?}: too little to compare");
        assert!(one == bytes("2"), "{options:?}: 2 threads");
        assert!(one == bytes("4"), "{options:?}: 4 threads");
    }
}

#[test]
fn a_second_run_keeps_the_certificate() {
    let directory = &Scratch::empty();
    let options = ["--game", "4x4", "--emit", "cert", "-q"];
    let kept = || {
        let mut files = read_all(directory);
        // Earlier results are used and not found again.
        files.retain(|name, _| !name.ends_with(".results"));
        files
    };
    let first = prove(&options, directory);
    let before = kept();
    assert_eq!(first, prove(&options, directory));
    assert!(before == kept());
}
