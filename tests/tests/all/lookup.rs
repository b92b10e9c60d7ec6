//! Look-ups by a program: with stored depths, and without.
//!
//! `prove probe`, compared with the database and the rules, which this test asks directly.
//!
//! Look-ups and play by certificates (`--cert`): the values that they prove, said to be so.

use draughtproof_egdb::{
    BuildSession, Cover, Database, Depths, Mode, Store, Value, ValueRange, extend, extend_depths,
};
use draughtproof_play::lookup::{Found, Lookup, ProvedPositions};
use draughtproof_proof::certificate::Stored;
use serde_json::Value as Json;
use tests::positions::wins_against_all;
use tests::prelude::{Arc, Board, Path, Position, Slice, Values, database, position_at, *};

const MEMORY: u64 = 1 << 28;

#[test]
fn the_fastest_move_is_found_without_depths() {
    let place = tempfile::tempdir().unwrap();
    let board = Board::new(5, 5).unwrap();
    let store = Store::new(place.path(), &board);
    let cover = Cover::up_to(4);
    let lock = store.lock().unwrap();
    let session = || BuildSession::new(&store, &cover, MEMORY).unwrap();
    extend(&mut session(), |_| ()).unwrap();
    extend_depths(&mut session(), |_| ()).unwrap();
    drop(lock);
    let values = session().load_all(|_| ()).unwrap();
    let depths = Depths::open(place.path(), &board).unwrap();
    let proofs = &[];
    let stored =
        Lookup { board: &board, values: &values, depths: Some(&depths), proofs, found: None };
    // Without memory for blocks, positions are looked up one by one.
    let found = Found::new(&board, 0);
    let without = Lookup { depths: None, found: Some(&found), ..stored };
    let mut seen = 0;
    let mut longest = 0;
    for slice in Slice::all(&board, &cover) {
        for index in (0..slice.indices(&board)).step_by(37) {
            let Some(position) = position_at(&board, slice, index) else { continue };
            if values.try_probe(&position).unwrap() != Some(Value::Win) {
                continue;
            }
            let found = without.moves(&position).unwrap()[0].after;
            let rated = stored.rate_moves(&position).unwrap();
            let move_found = rated.iter().find(|m| m.after == found).unwrap();
            assert_eq!(move_found.value, ValueRange::exact(Value::Win));
            assert_eq!(move_found.depth, rated[0].depth, "{}", board.write_fen(&position));
            seen += 1;
            longest = longest.max(move_found.depth.unwrap());
        }
    }
    assert!(seen > 500 && longest > 7, "{seen} positions, at most {longest} plies");
}

#[test]
fn bounds_follow_from_the_moves() {
    let board = Board::new(5, 5).unwrap();
    let nothing = Values::empty(&board);
    let (values, depths) = (&nothing, None);
    let lookup = Lookup { board: &board, values, depths, proofs: &[], found: None };
    let value = |fen: &str| lookup.answer(&board.read_fen(fen).unwrap()).unwrap();
    // The last piece is taken, which decides the game even if nothing else is known.
    let won = value("B:WK4:BK1,K2");
    assert_eq!((won.value, won.depth), (ValueRange::exact(Value::Win), Some(1)));
    assert_eq!(won.line, [won.moves[0].name.clone()]);
    let unknown = value("B:WK12:BK1,K2");
    assert_eq!(unknown.value, ValueRange::UNKNOWN);
    assert_eq!((unknown.depth, unknown.line.len()), (None, 0));
    assert_eq!(unknown.value.to_string(), "unknown");
}

/// Chooses the first move.
fn first<'a>(lookup: &'a Lookup<'_>) -> impl FnMut(&Position) -> Position + 'a {
    |position| lookup.moves(position).unwrap()[0].after
}

#[test]
fn the_first_move_wins_against_every_defence() {
    let boards = [
        (
            6,
            "B:WK18:BK1,K2 W:WK16,K17,K18:BK1 B:W15:BK1,K2,K3 W:WK13,K18,12:BK2 B:WK18:B1,K2 \
            B:WK18:BK1,K2,K3 W:WK5,11:BK18 B:W12,14:BK1,K3 B:WK16:BK1,K3,5",
        ),
        (
            8,
            "B:WK18:BK29,K31 W:WK1,K2:BK32 W:WK1,K2,K5:BK32 B:WK29:B1,K9 W:WK1,K2,12:BK32 \
            B:WK32:BK1,K5 B:W32:BK1,K5,K9 B:WK32:BK1,K5,K9 W:WK14,K15,K18:BK1 W:WK14,K15,12:BK32 \
            B:WK32:BK1,K5,9",
        ),
    ];
    for (rows, starts) in boards {
        let board = Board::new(rows, rows).unwrap();
        let values = database(&board, 4);
        // Depths that are found for blocks, and for one position after the other.
        for memory in [Found::MEMORY, 0] {
            let found = Found::new(&board, memory);
            let (board, values, found) = (&board, &values, Some(&found));
            let lookup = Lookup { board, values, depths: None, proofs: &[], found };
            for fen in starts.split_whitespace() {
                let start = board.read_fen(fen).unwrap();
                assert_eq!(values.probe(&start), Some(Value::Win), "{fen}");
                assert!(wins_against_all(board, &start, &mut first(&lookup)) > 3, "{fen}");
            }
        }
    }
}

#[test]
fn the_ranks_of_a_proof_win_against_every_defence() {
    for (name, rows, columns) in [("6x4", 6, 4), ("5x5-2", 5, 5)] {
        let ladder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/ladder");
        let stored = Stored::read(&ladder.join(name)).unwrap();
        let board = Board::new(rows, columns).unwrap();
        let values = database(&board, 7);
        let proofs = [Arc::new(ProvedPositions::new(&stored).unwrap())];
        let (board, values, found) = (&board, &values, &Found::new(&board, Found::MEMORY));
        let found = Some(found);
        let lookup = Lookup { board, values, depths: None, proofs: &proofs, found };
        for m in board.moves(&stored.start) {
            assert!(wins_against_all(board, &m.after, &mut first(&lookup)) > 10, "{name}");
        }
    }
}

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

/// A folder with the certificate `cert` of 6x6 and its database.
fn with_certificate() -> Scratch {
    let place = Scratch::empty();
    prove(&["--emit", "cert", "--pieces", "5", "-q"], &place);
    place
}

fn objects(arguments: &[&str], here: &Path) -> Vec<Json> {
    let out = prove(&[arguments, &["--format", "json", "-q"]].concat(), here);
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn look_ups_have_the_values_of_certificates() {
    let here = &with_certificate();
    let start = &objects(&["probe", "--cert", "cert", "start"], here)[0];
    let is_draw = |at: &Json| at["value"] == "draw" && at["by"] == "proof";
    assert!(is_draw(start), "{start}");
    let moves = start["moves"].as_array().unwrap();
    // The other side does not lose after any move, and this side after the proved one.
    assert!(is_draw(&moves[0]), "{start}");
    let is_bounded = |m: &Json| m["value"] == "draw" || m["upper"] == "draw";
    assert!(moves.iter().all(|m| is_bounded(m) && m["by"] == "proof"), "{start}");
    let text = prove(&["probe", "--cert", "cert", "start", "-q"], here);
    assert!(text.contains("Black to move: draw, by proof\n"), "{text}");
    let line = prove(&["probe", "--cert", "cert", "--format", "tsv", "-q", "start"], here);
    assert!(line.trim_end().ends_with("\tproof"), "{line}");
    // A position of the database, and what is said without certificates.
    let fen = "B:WK18:BK1,K2";
    let known = &objects(&["probe", "--cert", "cert", fen], here)[0];
    assert_eq!(known["by"], "database", "{known}");
    let without = &objects(&["probe", "--game", "6x6", fen], here)[0];
    assert!(without.get("by").is_none() && without["value"] == known["value"], "{without}");
    // Without the database.
    let alone = &objects(&["probe", "--cert", "cert", "--pieces", "0", "start"], here)[0];
    assert!(is_draw(alone), "{alone}");
}

#[test]
fn searches_begin_with_what_certificates_prove() {
    let here = &with_certificate();
    let solved = &objects(&["solve", "--cert", "cert", "--nodes", "1000", "start"], here)[0];
    assert_eq!(solved["nodes"], 0, "{solved}");
    assert!(solved["value"] == "draw" && solved["by"] == "proof", "{solved}");
    let analyse = ["analyse", "--cert", "cert", "--depth", "3"];
    let depths = objects(&analyse, here);
    assert_eq!(depths.len(), 3);
    let is_proved = |row: &Json| row["proven"] == "draw" && row["by"] == "proof";
    assert!(depths.iter().all(is_proved), "{depths:?}");
    let text = prove(&[&analyse[..], &["-q"]].concat(), here);
    assert!(text.contains("  draw     proof    "), "{text}");

    fs::write(here.join("game.pdn"), "1. 6-8 *\n").unwrap();
    let annotate = ["annotate", "--cert", "cert", "--depth", "3", "--all", "game.pdn", "-q"];
    let annotated = prove(&annotate, here);
    assert!(annotated.contains("{draw (proof)} 1. 6-8 {draw (proof)} *"), "{annotated}");
}

#[test]
fn the_engine_and_play_go_by_certificates() {
    let here = &with_certificate();
    // Writes lines to a program and returns its output up to the line that begins with `last`.
    let said = |arguments: &[&str], lines: &str, last: &str| {
        let mut child = start("prove", arguments, here);
        let mut input = child.stdin.take().unwrap();
        input.write_all(lines.as_bytes()).unwrap();
        let mut found = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            found.push(line.unwrap());
            if found.last().unwrap().starts_with(last) {
                break;
            }
        }
        drop(input);
        assert!(child.wait().unwrap().success(), "{found:?}");
        found
    };
    let lines = "init\nlevel depth=1\ngo think\n";
    let engine = said(&["engine", "--cert", "cert", "--hash", "1MiB"], lines, "done move=");
    let [ready, info, _] = &engine[..] else { panic!("{engine:?}") };
    assert!(ready == "ready" && info.contains("score=0.00 pv="), "{engine:?}");
    for arguments in [["play", "cert", "-q"], ["play", "--cert=cert", "-q"]] {
        let played = said(&arguments, "hint\nquit\n", "6-8 ");
        assert_eq!(played.last().unwrap(), "6-8 (proof: Black does not lose)", "{played:?}");
    }
}

#[test]
fn certificates_that_do_not_fit_are_errors() {
    let here = &with_certificate();
    for command in ["probe", "solve", "analyse", "annotate", "play", "engine"] {
        let file: &[&str] = if command == "annotate" { &["game.pdn"] } else { &[] };
        let with = |more: &[&str], status, words: &[&str]| {
            fails(here, &[&[command], file, more].concat(), status, words)
        };
        with(&["--cert", "nowhere"], 3, &["nowhere/MANIFEST"]);
        let both = ["--cert", "cert", "--game", "4x4"];
        with(&both, 2, &["cert: expected a certificate of 4x4, found 6x6"]);
    }
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "small", "-q"], here);
    let two = ["probe", "--cert", "cert", "--cert", "small", "start"];
    fails(here, &two, 2, &["small: expected a certificate of 6x6, found 4x4"]);
    let object = fs::read_dir(here.join("cert/objects")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&object).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&object, bytes).unwrap();
    fails(here, &["probe", "--cert", "cert", "start"], 3, &["as MANIFEST says"]);
}

#[test]
fn a_mistyped_folder_of_databases_is_an_error_of_the_engine() {
    let here = &with_certificate();
    fails(here, &["engine", "--db", "nowhere"], 3, &["nowhere"]);
    fs::create_dir(here.join("empty")).unwrap();
    fails(here, &["engine", "--db", "empty"], 3, &["no database here"]);
    let none = run(&path("prove"), &["engine", "--db", "empty", "--pieces", "0"], here);
    assert!(none.status.success(), "{none:?}");
}
