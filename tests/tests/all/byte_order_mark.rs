//! A byte order mark at the beginning of files that people write is ignored by all programs.

use tests::prelude::*;

const MARK: &str = "\u{feff}";

/// The output of a program with this text on standard input, and its status.
fn answer(program: &str, arguments: &[&str], input: &str, here: &Path) -> (String, Option<i32>) {
    let (out, _, status) = texts(ask(program, arguments, here, input.as_bytes()));
    (out, status)
}

/// Puts a byte order mark at the beginning of a file.
fn mark(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    fs::write(file, format!("{MARK}{text}")).unwrap();
}

#[test]
fn tables_of_values_and_openings() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "4x4", "--pieces", "2", "-q"], here);
    let game = ["--game", "4x4", "-q"];
    for text in ["fen\tvalue\nB:WK8:BK1\tdraw\n", "#\nB:WK8:BK1\tdraw\n", "B:WK8:BK1\tdraw\n"] {
        fs::write(here.join("table"), format!("{MARK}{text}")).unwrap();
        let options = ["db", "compare", "table", "--pieces", "2"];
        let said = prove(&[&options, &game[..]].concat(), here);
        assert!(said.contains("1 compared: 1 agree"), "{said}");
    }
    fs::write(here.join("openings"), format!("{MARK}moves\tname\n2-4\tfirst\n")).unwrap();
    let book = ["book", "--out", "book.tsv", "--openings", "openings", "--nodes", "100"];
    prove(&[&book[..], &["--positions", "2"], &game].concat(), here);
    mark(&here.join("book.tsv"));
    prove(&[&book[..], &["--positions", "4"], &game].concat(), here);
    mark(&here.join("book.tsv"));
    let engine = ["engine", "--game", "4x4", "--book", "book.tsv", "--hash", "1MiB"];
    let (said, _) = answer("prove", &engine, "init\nlevel infinite\ngo ponder\nstop\n", here);
    assert!(!said.contains("error"), "{said}");
    // The list of files of an exported database.
    prove(&[&["db", "export", "out", "--pieces", "2"], &game[..]].concat(), here);
    mark(&here.join("out/SHA256SUMS"));
    prove(&[&["db", "import", "out", "--db", "there"], &game[..]].concat(), here);
}

#[test]
fn lines_of_standard_input() {
    let here = &Scratch::empty();
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "cert", "-q"], here);
    for positions in ["start\n", "\nstart\n", "B:WK8:BK1\n"] {
        let probe = ["probe", "--game", "4x4", "--format", "tsv", "-"];
        let (said, status) = answer("prove", &probe, &format!("{MARK}{positions}"), here);
        assert_eq!(status, Some(0), "{said}");
    }
    let (said, status) = answer("prove", &["engine", "--game", "4x4"], "\u{feff}ping\n", here);
    assert_eq!((said.as_str(), status), ("pong\n", Some(0)));
    for lines in ["hint\n", "2-4\n"] {
        let (said, _) = answer("prove", &["play", "cert"], &format!("{MARK}{lines}"), here);
        assert!(!said.contains("what can be typed"), "{said}");
    }
}

#[test]
fn files_of_keys() {
    let here = &Scratch::empty();
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "cert", "-q"], here);
    let made = run(&path("check"), &["keygen", "alice", "--key", "alice.key"], here);
    let public = String::from_utf8(made.stdout).unwrap();
    mark(&here.join("alice.key"));
    fs::write(here.join("trusted"), format!("{MARK}{public}")).unwrap();
    let attest = ["cert", "--attest", "note", "--key", "alice.key"];
    assert_eq!(run(&path("check"), &attest, here).status.code(), Some(0));
    let merge = ["merge", "cert", "note", "--keys", "trusted"];
    assert_eq!(run(&path("check"), &merge, here).status.code(), Some(0));
}
