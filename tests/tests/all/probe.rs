//! `prove probe`, compared with the database and the rules, which this test asks directly.

use draughtproof_egdb::{Database, Mode, Value};
use serde_json::Value as Json;
use tests::prelude::*;

/// A database of 5x5 with depths.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "5x5", "--pieces", "4", "--depth", "-q"], place.path());
    place
}

fn probe(options: &[&str], fens: &[String], here: &Path) -> Vec<Json> {
    let fens: Vec<&str> = fens.iter().map(String::as_str).collect();
    let command = ["probe", "--format", "json", "-q"];
    let out = prove(&[&command, options, &fens[..]].concat(), here);
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn value(answer: &Json) -> Value {
    match answer["value"].as_str() {
        Some("win") => Value::Win,
        Some("draw") => Value::Draw,
        Some("loss") => Value::Loss,
        other => panic!("{other:?} in {answer}"),
    }
}

fn opposite(value: Value) -> Value {
    [Value::Win, Value::Draw, Value::Loss][value as usize]
}

/// The value by the database, or by the rules for positions outside it.
fn expected(database: &Database, position: &Position) -> Value {
    if !position.both_sides() { Value::Loss } else { database.probe(position).unwrap().unwrap() }
}

/// Plays the line of an answer: its moves are legal, and at the end the loser has no move.
fn play(board: &Board, answer: &Json, position: &Position) {
    let names: Vec<&str> =
        answer["line"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    if value(answer) == Value::Draw {
        assert!(names.is_empty() && answer["plies"].is_null());
        return;
    }
    assert_eq!(answer["plies"], names.len());
    let line = board.read_line(position, &names.join(" ")).unwrap();
    let last = line.last().unwrap_or(position);
    assert!(board.moves(last).is_empty(), "{answer}");
    assert_eq!(last.turn == position.turn, value(answer) == Value::Loss);
    // The first move is the best one.
    assert_eq!(names.first(), answer["moves"][0]["move"].as_str().as_ref());
}

#[test]
fn moves_are_ranked() {
    let place = place();
    let board = Board::new(5, 5).unwrap();
    let database = Database::open(place.path().join("egdb"), &board, Mode::default()).unwrap();
    let all = Slice::all(&board, &Cover::up_to(4)).into_iter().flat_map(|slice| {
        let board = &board;
        (0..slice.indices(board)).step_by(97).filter_map(move |i| position_at(board, slice, i))
    });
    let positions: Vec<Position> = all.step_by(3).collect();
    let fens: Vec<String> = positions.iter().map(|p| board.write_fen(p)).collect();
    assert!(fens.len() > 200, "{}", fens.len());
    let (mut wins, mut losses) = (0, 0);
    for (some, named) in positions.chunks(200).zip(fens.chunks(200)) {
        for (answer, position) in probe(&["--game", "5x5"], named, place.path()).iter().zip(some) {
            assert_eq!(value(answer), expected(&database, position));
            let depth = database.depth(position).unwrap().map(u64::from);
            assert_eq!(answer["depth"].as_u64(), depth, "{answer}");
            let moves = answer["moves"].as_array().unwrap();
            assert_eq!(moves.len(), board.moves(position).len());
            let mut ranks = Vec::new();
            for one in moves {
                let after = board.read_move(position, one["move"].as_str().unwrap()).unwrap();
                assert_eq!(one["fen"], board.write_fen(&after));
                assert_eq!(value(one), opposite(expected(&database, &after)));
                let depth = one["depth"].as_i64();
                assert_eq!(depth.is_none(), value(one) == Value::Draw);
                let rank = depth.unwrap_or(0) * if value(one) == Value::Loss { -1 } else { 1 };
                ranks.push((opposite(value(one)), rank));
            }
            assert!(ranks.is_sorted(), "{answer}");
            // The value of the best move is that of the position.
            if let Some(best) = moves.first() {
                assert_eq!((&best["value"], &best["depth"]), (&answer["value"], &answer["depth"]));
            }
            play(&board, answer, position);
            wins += usize::from(value(answer) == Value::Win && !moves.is_empty());
            losses += usize::from(value(answer) == Value::Loss && !moves.is_empty());
        }
    }
    assert!(wins > 20 && losses > 20, "{wins} wins, {losses} losses");
}

#[test]
fn without_a_move_it_is_a_loss() {
    let place = place();
    let answer = &probe(&["--game", "5x5"], &["W:W:BK1".into()], place.path())[0];
    let expected = r#"{"fen":"W:W:BK1","value":"loss","depth":0,"moves":[],"plies":0,"line":[]}"#;
    assert_eq!(answer.to_string(), serde_json::from_str::<Json>(expected).unwrap().to_string());
}

#[test]
fn unknown_values() {
    let place = place();
    let here = place.path();
    let options = ["--game", "5x5", "--pieces", "3"];
    // Four pieces, with a database of three: a value is known only where captures lead into it.
    let quiet = &probe(&options, &["B:WK11,K12:BK1,K2".into()], here)[0];
    assert_eq!((&quiet["lower"], &quiet["upper"]), (&"loss".into(), &"win".into()));
    assert!(quiet.get("value").is_none() && quiet["depth"].is_null());
    assert!(quiet["moves"].as_array().unwrap().iter().all(|m| m["lower"] == "loss"));
    assert_eq!((&quiet["line"], &quiet["plies"]), (&Json::Array(Vec::new()), &Json::Null));
    // A capture leads into the database, and so the value is known.
    let capture = &probe(&options, &["B:WK4,K12:BK1,K2".into()], here)[0];
    let whole = &probe(&["--game", "5x5"], &["B:WK4,K12:BK1,K2".into()], here)[0];
    assert!(capture["value"].is_string(), "{capture}");
    assert_eq!(capture, whole);
    // Without --pieces the whole database is used.
    let known = &probe(&["--game", "5x5"], &["B:WK11,K12:BK1,K2".into()], here)[0];
    assert!(known["value"].is_string(), "{known}");
}

#[test]
fn without_depths_there_is_no_line() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "5x5", "--pieces", "3", "-q"], here);
    let fen = "B:WK12:BK1,K2";
    let answer = &probe(&["--game", "5x5"], &[fen.into()], here)[0];
    // The depth is found, and orders the moves.
    assert_eq!(answer["value"], "win");
    assert!(answer["depth"].as_u64() >= Some(1), "{answer}");
    assert_eq!(answer["depth"], answer["moves"][0]["depth"]);
    assert_eq!(answer["line"], Json::Array(Vec::new()));
    let text = prove(&["probe", "--game", "5x5", "-q", fen], here);
    assert!(
        text.ends_with("\n\nno line: not all depths are there; `prove db --depth` stores them\n")
    );
}

#[test]
fn what_people_and_scripts_read() {
    let place = place();
    let here = place.path();
    let text = prove(&["probe", "--game", "5x5", "-q", "B:W10:B1,2"], here);
    let expected = include_str!("../probed.txt");
    if std::env::var_os("UPDATE_PROBED").is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/probed.txt");
        std::fs::write(file, &text).unwrap();
    } else {
        assert_eq!(text, expected);
    }
    let tsv = prove(&["probe", "--game", "5x5", "--format", "tsv", "W:W3:BK1", "W:W:BK1"], here);
    let columns: Vec<Vec<&str>> = tsv.lines().map(|line| line.split('\t').collect()).collect();
    assert!(columns.iter().all(|line| line.len() == 5), "{tsv}");
    assert_eq!(columns[1], ["W:W:BK1", "loss", "0", "-", "-"]);
    // The same position, given in different ways.
    let start =
        prove(&["probe", "--game", "5x5", "--moves", "1-4", "--format", "json", "-q"], here);
    let fen = serde_json::from_str::<Json>(&start).unwrap()["fen"].as_str().unwrap().to_owned();
    let again = prove(&["probe", "--game", "5x5", "--format", "json", "-q", &fen], here);
    assert_eq!(start, again);
    let illegal = ["probe", "--game", "5x5", "--moves", "1-12"];
    let output = run(&tests::programs::path("prove"), &illegal, here);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("legal moves: "));
}
