//! Values that the server solves on the way.

use std::path::Path;
use std::time::Duration;

use draughtproof_game::{Game, Position};
use serde_json::Value;
use tests::positions::wins_against_all;
use tests::programs::prove;

use super::Server;

/// The answer about a position once nothing more will be found.
fn solved(server: &Server, board: &str, fen: &str) -> Value {
    loop {
        let answer = server.get(&format!("/api/{board}/solved?fen={fen}")).json();
        if answer["done"] == true {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn true_value(fen: &str, here: &Path) -> String {
    let probe = ["probe", "--game", "4x4", "--db", "all", "--format", "json", "-q", fen];
    let probed: Value = serde_json::from_str(&prove(&probe, here)).unwrap();
    probed["value"].as_str().unwrap().to_owned()
}

#[test]
fn every_move_gets_its_value() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    prove(&["db", "--game", "4x4", "--pieces", "2", "-q"], here);
    prove(&["db", "--game", "4x4", "--pieces", "4", "--db", "all", "-q"], here);
    let server = Server::start(&[], here);
    let mut by_search = 0;
    for fen in ["start", "B:W7,K4:BK1,K2", "W:W7,8:B1,K6"] {
        let answer = solved(&server, "4x4", fen);
        assert_eq!(answer["value"], true_value(answer["fen"].as_str().unwrap(), here), "{answer}");
        for found in answer["moves"].as_array().unwrap() {
            let after = true_value(found["fen"].as_str().unwrap(), here);
            let value = match &*after {
                "win" => "loss",
                "loss" => "win",
                other => other,
            };
            assert_eq!(found["value"], value, "{found}");
            by_search += usize::from(found["by"] == "solved");
        }
    }
    assert!(by_search > 2, "{by_search}");
}

#[test]
fn a_score_is_a_guess_where_the_budget_does_not_do() {
    let here = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "8x8", "--pieces", "2", "-q"], here.path());
    let server = Server::start(&["--solve-nodes", "10"], here.path());
    let answer = solved(&server, "8x8", "start");
    assert_eq!((&answer["lower"], &answer["upper"]), (&"loss".into(), &"win".into()));
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 7);
    for found in moves {
        assert_eq!(found["by"], "guess", "{found}");
        assert!(found["value"].is_null() && found["score"].is_i64(), "{found}");
    }
}

#[test]
fn open_moves_have_an_estimate_at_once() {
    let here = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "8x8", "--pieces", "2", "-q"], here.path());
    let board = "8x8".parse::<Game>().unwrap().board;
    let open = "B:W32,31,30,29,28,27:B1,2,3,4";
    for (fen, options) in [("start", &[][..]), (open, &[]), (open, &["--solve-nodes", "0"])] {
        let server = Server::start(options, here.path());
        let answer = server.get(&format!("/api/8x8/solved?fen={fen}")).json();
        let moves = answer["moves"].as_array().unwrap();
        let scores: Vec<_> = moves.iter().map(|m| m["score"].as_i64().unwrap()).collect();
        assert!(scores.len() > 4 && scores.is_sorted_by(|a, b| a >= b), "{fen}: {scores:?}");
        for found in moves {
            let after = board.read_fen(found["fen"].as_str().unwrap()).unwrap();
            let line = found["line"].as_array().unwrap();
            let line: Vec<_> = line.iter().map(|m| m.as_str().unwrap()).collect();
            assert!(
                !line.is_empty() && board.read_line(&after, &line.join(" ")).is_ok(),
                "{found}"
            );
        }
        let is_searched = fen == open && options.is_empty();
        assert_eq!(answer["done"], !is_searched, "{answer}");
    }
}

#[test]
fn a_solved_win_is_won_by_the_first_moves() {
    let here = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "6x6", "--pieces", "3", "-q"], here.path());
    let server = Server::start(&[], here.path());
    let game: Game = "6x6".parse().unwrap();
    // Two pieces more than the database.
    let start = game.board.read_fen("B:WK18,17:BK1,K2,5").unwrap();
    let mut by_search = 0;
    let mut first = |position: &Position| {
        let fen = game.board.write_fen(position);
        let mut answer = server.get(&format!("/api/6x6/position?fen={fen}")).json();
        if answer["value"] != "win" {
            answer = solved(&server, "6x6", &fen);
        }
        assert_eq!(answer["value"], "win", "{answer}");
        by_search += usize::from(answer["from"]["lower"]["kind"] == "solved");
        game.board.read_move(position, answer["moves"][0]["move"].as_str().unwrap()).unwrap()
    };
    assert!(wins_against_all(&game.board, &start, &mut first) > 50);
    assert!(by_search > 5, "{by_search}");
    let line = server.get(&format!("/api/6x6/line?fen={}", game.board.write_fen(&start))).json();
    assert_eq!(line["moves"][0]["value"], "win", "{line}");
}

#[test]
fn hopeless_positions_keep_nobody_waiting() {
    let here = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "6x6", "--pieces", "3", "-q"], here.path());
    prove(&["db", "--game", "8x8", "--pieces", "2", "-q"], here.path());
    let server = Server::start(&["--threads", "1"], here.path());
    // Ten pieces more than the database: searched with the whole budget, and not decided.
    let hopeless = "B:W32,31,30,29,28,27:B1,2,3,4";
    let moves = |answer: &Value| answer["moves"].as_array().unwrap().clone();
    loop {
        let answer = server.get(&format!("/api/8x8/solved?fen={hopeless}")).json();
        if moves(&answer).iter().any(|m| m["nodes"].as_u64().unwrap() > 100_000) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let easy = solved(&server, "6x6", "B:WK18,17:BK1,2");
    assert!(easy["value"].is_string(), "{easy}");
    let answer = server.get(&format!("/api/8x8/solved?fen={hopeless}")).json();
    assert_eq!(answer["done"], false, "{answer}");
    // Far above the database nothing is searched.
    let far = solved(&server, "8x8", "start");
    assert!(moves(&far).iter().all(|m| m["by"] == "guess" && m["nodes"] == 0), "{far}");
    let scores: Vec<i64> = moves(&far).iter().map(|m| m["score"].as_i64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}
