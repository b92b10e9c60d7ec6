//! Proofs whose searches use what other searches have decided.

use std::fs;
use std::path::Path;

use tests::files::Scratch;
use tests::programs::{check, fails, path, run};

/// A proof of half a second.
const SMALL: [&str; 8] =
    ["--game", "8x4", "--pieces", "4", "--leaf-nodes", "1000", "--emit", "cert"];

/// The effort of a proof, as `prove` prints it: nodes, searches and tree of each question.
fn took(arguments: &[&str], directory: &Path) -> Vec<String> {
    let _ = fs::remove_dir_all(directory.join("cert"));
    let output = run(&path("prove"), &[&SMALL, arguments].concat(), directory);
    let said = String::from_utf8(output.stderr).unwrap();
    let is_answer = |line: &&str| line.contains("win? no") && line.contains(", tree ");
    let mut answers: Vec<String> = said.lines().filter(is_answer).map(str::to_owned).collect();
    answers.sort();
    assert_eq!((answers.len(), output.status.code()), (2, Some(0)), "{said}");
    answers
}

fn nodes(answers: &[String]) -> u64 {
    let nodes = |answer: &String| -> u64 {
        answer
            .split("no: ")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .replace(',', "")
            .parse()
            .unwrap()
    };
    answers.iter().map(nodes).sum()
}

#[test]
fn lemmas_save_nodes() {
    let here = &Scratch::empty();
    let alone = took(&["--results", "alone"], here);
    let one = took(&["--lemmas", "--threads", "1", "--results", "one"], here);
    assert!(nodes(&one) < nodes(&alone), "{one:?} {alone:?}");
    let said = check(&["cert"], here).verdict;
    assert!(
        said.starts_with("s VERIFIED DRAW 8x4") && said.contains(" nodes=2 leaves=2 "),
        "{said}"
    );
    // The effort depends neither on threads nor on where the results come from.
    assert_eq!(took(&["--lemmas", "--threads", "3", "--results", "three"], here), one);
    assert_eq!(took(&["--lemmas", "--results", "one"], here), one);
    // Results of searches without lemmas, or with other lemmas, are not used.
    assert_eq!(took(&["--lemmas", "--results", "alone"], here), one);
    assert_eq!(took(&["--results", "one"], here), alone);
}

#[test]
fn interrupted_proofs_resume() {
    let here = &Scratch::empty();
    let want = took(&["--lemmas"], here);
    for most in ["20000", "60000"] {
        let _ = fs::remove_dir_all(here.join("cert"));
        let half = ["--lemmas", "--results", "half", "--max-nodes", most];
        let output = run(&path("prove"), &[&SMALL[..], &half[..]].concat(), here);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        // A stopped search makes no certificate.
        assert!(!here.join("cert").exists());
    }
    assert_eq!(took(&["--lemmas", "--results", "half"], here), want);
}

/// A win: no strategy may contain a cycle.
#[test]
fn a_win_is_verified() {
    let directory = tempfile::tempdir().unwrap();
    let start = ["--game", "6x4", "--pieces", "2", "--leaf-nodes", "30", "--lemmas", "--emit", "c"];
    let output = run(&path("prove"), &start, directory.path());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = check(&["c"], directory.path()).verdict;
    assert!(said.starts_with("s VERIFIED WHITE-WINS 6x4 "), "{said}");
}

#[test]
fn thresholds_exclude_lemmas() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = [&SMALL[..], &["--lemmas", "--threshold", "100"]].concat();
    fails(directory.path(), &arguments, 2, &["cannot be used with"]);
}
