//! `check explain`: what it says of positions, word for word and as a whole.
//!
//! The words are in `tests/explained`; `UPDATE_EXPLAINED=1 cargo test -p tests --test all
//! explain::` writes them anew.

use std::fs;
use std::path::Path;

use certificate_spec::nodes::kind;
use tests::draft::Draft;
use tests::programs::{check, path, prove, run};

/// The certificate of a game or position.
fn certificate(options: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let options: Vec<&str> = options.split(' ').collect();
    prove(&[&options[..], &["--emit", "cert", "--quiet"]].concat(), root.path());
    root
}

fn start(here: &Path) -> String {
    let claim = fs::read_to_string(here.join("cert/CLAIM")).unwrap();
    claim.lines().find_map(|line| line.strip_prefix("start ")).unwrap().into()
}

fn explain(here: &Path, fen: &str) -> String {
    let output = run(&path("check"), &["explain", "cert", fen], here);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Compares with the file of that name, but for the digests of objects.
fn compare(text: &str, name: &str) {
    let mut parts = text.split("objects/");
    let mut text = parts.next().unwrap().to_string();
    for part in parts {
        let (digest, rest) = part.split_at(64);
        assert!(digest.bytes().all(|b| b.is_ascii_hexdigit()), "{digest}");
        text += &format!("objects/...{rest}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explained").join(name);
    if std::env::var_os("UPDATE_EXPLAINED").is_some() {
        fs::write(&file, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(file).unwrap(), "{name}");
}

#[test]
fn nodes_leaves_and_the_database_word_for_word() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    compare(&explain(here, &start(here)), "draw.txt");
    // A position of a leaf, one of the database, and one that the certificate says nothing of.
    compare(&explain(here, "W:W3,7:B1,K8"), "in-a-leaf.txt");
    compare(&explain(here, "B:WK2,3:BK8"), "in-the-database.txt");
    compare(&explain(here, "B:WK5,K6,K7,K8:B1"), "nothing.txt");
}

#[test]
fn a_cycle_and_the_end_of_a_game_word_for_word() {
    let root = certificate("--game 4x4 --pieces 2 --fen W:WK6,K7:BK1,K2");
    compare(&explain(root.path(), "W:WK6,K7:BK1,K2"), "cycle.txt");
    let root = certificate("--game 4x4 --pieces 0");
    compare(&explain(root.path(), "W:W3:B1"), "no-move.txt");
}

#[test]
fn a_long_line_is_not_shown_to_its_end() {
    let root = certificate("--game 8x8 --pieces 0 --fen B:W29,30:BK4");
    let text = explain(root.path(), "B:W29,30:BK4");
    let steps: Vec<&str> = text.lines().filter(|line| line.ends_with(" to move")).collect();
    assert_eq!(steps.len(), 40);
    assert!(steps[39].starts_with("39. "), "{steps:?}");
    // It goes on where it says.
    let ask = text.lines().find_map(|line| line.strip_prefix("… and so on; ask for ")).unwrap();
    let on = explain(root.path(), ask);
    assert!(on.starts_with(&format!("WhiteWins:\n\n0. {ask}, ")), "{on}");
    assert!(!on.contains("and so on") && !on.contains("WRONG"), "{on}");
}

#[test]
fn what_is_wrong_or_assumed_is_said() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let start = start(here);
    let draft = Draft::read(&here.join("cert"));
    let edited = |edit: &dyn Fn(&mut Draft)| {
        let mut draft = draft.clone();
        edit(&mut draft);
        draft.write(&here.join("cert"));
        explain(here, &start)
    };
    let assumed = edited(&|draft| {
        let node = draft.parts[0].nodes.iter_mut().rfind(|n| n.kind == kind::OR).unwrap();
        (node.kind, node.data) = (kind::ASSUMED, (-250i32).cast_unsigned());
    });
    compare(&assumed, "assumed.txt");
    let replies = edited(&|draft| {
        let nodes = draft.parts[0].nodes.iter_mut();
        nodes.filter(|n| n.kind == kind::AND).for_each(|node| node.kind = kind::ASSUMED);
    });
    compare(&replies, "assumed-replies.txt");
    let no_such_move = edited(&|draft| {
        let node = draft.parts[0].nodes.iter_mut().find(|n| n.kind == kind::OR).unwrap();
        node.data = 1000;
    });
    compare(&no_such_move, "no-such-move.txt");
    let leaf = edited(&|draft| draft.parts[0].leaves.iter_mut().for_each(|l| l.positions += 1));
    compare(&leaf, "wrong-leaf.txt");
}

#[test]
fn what_is_named_is_explained() {
    let root = certificate("--game 6x4 --pieces 3 --leaf-nodes 40");
    let here = root.path();
    let text = explain(here, &start(here));
    assert!(text.starts_with("WhiteWins:\n\n0. ") && !text.contains("WRONG"), "{text}");
    // Each position that it names is explained in turn, and never by nothing.
    let named: Vec<&str> = text
        .lines()
        .filter_map(|l| l.strip_prefix("      to ")?.split_once(": ").map(|p| p.0))
        .collect();
    assert!(named.len() > 3);
    for fen in named {
        assert!(!explain(here, fen).contains("nothing is said of it"), "{fen}");
    }
    assert_eq!(check(&["explain", "cert", "nonsense"], here).status, Some(4));
    assert_eq!(check(&["explain", "cert", "B:W32:B1"], here).status, Some(4));
}
