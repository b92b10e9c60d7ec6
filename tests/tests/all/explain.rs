//! `prove explain`: a line of a proof, and what it says of other positions.

use serde_json::Value;
use tests::prelude::*;

fn explain(here: &Path, arguments: &[&str]) -> (Vec<Value>, Option<i32>) {
    let all = [&["explain", "cert", "--format", "json"], arguments].concat();
    let output = run(&path("prove"), &all, here);
    let text = String::from_utf8(output.stdout).unwrap();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), output.status.code())
}

/// In each position of a line the claimant has one move, and every legal reply of the other side is
/// there, with its answer; each leads to a place that the proof has.
#[test]
fn a_line_has_all_replies_and_stays_in_the_proof() {
    let here = tempfile::tempdir().unwrap();
    prove(
        &["--game", "4x4", "--pieces", "3", "--leaf-nodes", "3", "--emit", "cert", "-q"],
        here.path(),
    );
    let board = "4x4".parse::<Game>().unwrap().board;
    let (steps, status) = explain(here.path(), &[]);
    assert_eq!(status, Some(0));
    let questions = ["black-not-lost", "white-not-lost"];
    for question in questions {
        let steps: Vec<_> = steps.iter().filter(|step| step["question"] == question).collect();
        assert!(steps.len() > 1, "{steps:?}");
        assert_eq!(steps[0]["fen"], "B:W7,8:B1,2");
        for step in steps {
            let position = board.read_fen(step["fen"].as_str().unwrap()).unwrap();
            let moves = step["moves"].as_array().unwrap();
            let mut all = Vec::new();
            board.successors(&position, &mut all);
            let claimant = if question == questions[0] { "B" } else { "W" };
            let claimant_moves = step["fen"].as_str().unwrap().starts_with(claimant);
            assert_eq!(moves.len(), if claimant_moves { 1 } else { all.len() }, "{step}");
            for made in moves {
                let name = made["made"].as_str().unwrap();
                let after = *board.read_line(&position, name).unwrap().last().unwrap();
                assert_ne!(made["place"], "not in the proof", "{step}");
                let answered = !made["answer"].is_null();
                let is_over = made["place"] == "the game is over";
                let is_known = made["place"] == "the database" || is_over;
                assert_eq!(answered || is_known, !claimant_moves || is_known, "{step}");
                assert!(all.contains(&after));
            }
        }
    }
    let (after, status) = explain(here.path(), &["--moves", "2-4"]);
    assert_eq!((after[0]["fen"].as_str(), status), (Some("W:W7,8:B1,4"), Some(0)));
    let (none, status) = explain(here.path(), &["B:WK5,K6,K7,K8:B1"]);
    assert!(none.iter().all(|step| step["place"] == "not in the proof"), "{none:?}");
    assert_ne!(status, Some(0));
}

/// For one release the old command says where it went.
#[test]
fn check_says_where_explain_is() {
    let here = tempfile::tempdir().unwrap();
    for arguments in [&["explain"][..], &["explain", "cert", "--at", "black-not-lost:1"]] {
        let Said { verdict, status, .. } = check(arguments, here.path());
        assert!(verdict.ends_with("prove explain CERT") && status == Some(4), "{verdict}");
    }
}
