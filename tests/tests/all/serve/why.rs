//! The tree of a proof, walked over HTTP.

use std::collections::{BTreeSet, VecDeque};

use draughtproof_game::Game;
use serde_json::{Value, json};

use super::{Server, small_proof};

fn why(server: &Server, root: &str, question: &str, fen: &str) -> Value {
    server.get(&format!("/api/certificates/{root}/why?question={question}&fen={fen}")).json()
}

#[test]
fn the_tree_leads_to_the_database() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let certificate = server.get("/api/certificates").json()[0].take();
    let (root, start) =
        (certificate["root"].as_str().unwrap(), certificate["start"].as_str().unwrap());
    for (question, turn) in [("black-not-lost", 'B'), ("white-not-lost", 'W')] {
        let counted = walk(&server, root, question, start, turn);
        assert!(counted > 3, "{question}: {counted}");
    }
}

/// Visits all positions of a proof, in which each move has an answer. Returns their number, which
/// the first move of the proof states, too.
fn walk(server: &Server, root: &str, question: &str, start: &str, turn: char) -> usize {
    let game: Game = "4x4".parse().unwrap();
    let mut seen = BTreeSet::new();
    let mut to_visit = VecDeque::from([start.to_owned()]);
    let mut ends = BTreeSet::new();
    while let Some(fen) = to_visit.pop_front() {
        let answer = why(server, root, question, &fen);
        let kind = answer["place"]["kind"].as_str().unwrap();
        let moves = answer["moves"].as_array().unwrap();
        if !["node", "leaf"].contains(&kind) {
            assert!(moves.is_empty() && kind != "outside", "{answer}");
            ends.insert(kind.to_owned());
            continue;
        }
        assert_eq!(answer["claimant_moves"], fen.starts_with(turn), "{answer}");
        if !seen.insert(fen.clone()) {
            continue;
        }
        let at = game.board.read_fen(&fen).unwrap();
        let mut successors = Vec::new();
        game.board.successors(&at, &mut successors);
        let expected = if fen.starts_with(turn) { 1 } else { successors.len() };
        assert_eq!(moves.len(), expected, "{answer}");
        for step in moves {
            let after = game.board.read_move(&at, step["move"].as_str().unwrap()).unwrap();
            assert_eq!(step["fen"], game.board.write_fen(&after));
            if let Some(reply) = step["answer"]["move"].as_str() {
                let end = game.board.read_move(&after, reply).unwrap();
                assert_eq!(step["answer"]["fen"], game.board.write_fen(&end));
            }
            to_visit.push_back(step["fen"].as_str().unwrap().to_owned());
        }
    }
    assert!(ends.contains("database"), "{ends:?}");
    let first = why(server, root, question, start);
    if first["claimant_moves"] == true {
        let below = &first["moves"][0]["below"];
        let counted = below["nodes"].as_u64().unwrap() + below["positions"].as_u64().unwrap();
        // The start itself is not below its move, unless the proof comes back to it.
        let counted = usize::try_from(counted).unwrap();
        assert!([seen.len() - 1, seen.len()].contains(&counted), "{first}");
    }
    seen.len()
}

#[test]
fn the_tree_never_changes_and_has_no_other_positions() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let root = server.get("/api/certificates").json()[0]["root"].as_str().unwrap().to_owned();
    let path = format!("/api/certificates/{root}/why");
    let first = server.get(&path);
    assert_eq!(first.header("cache-control"), "public, max-age=31536000, immutable");
    let again = server.get_with(&path, Some(("if-none-match", first.header("etag"))));
    assert_eq!((again.status, &*again.body), (304, ""));
    let outside = server.get(&format!("{path}?fen=B:WK1,K2:BK7,K8")).json();
    assert_eq!((&outside["place"], &outside["moves"]), (&json!({"kind": "outside"}), &json!([])));
    server.get(&format!("{path}?question=black-wins")).problem(404);
    server.get(&format!("{path}?fen=nothing")).problem(400);
}
