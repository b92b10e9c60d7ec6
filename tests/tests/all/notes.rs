//! The messages of `check merge` about notes and keys that do not count, and how much of a note
//! they repeat.

use tests::prelude::*;

fn check(text: &str, here: &Path) -> Output {
    run(&path("check"), &text.split(' ').collect::<Vec<_>>(), here)
}

/// A certificate with a signed note, one without a signature, and two trusted keys.
fn place() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let here = root.path();
    prove(
        &"--game 4x4 --pieces 0 --leaf-nodes 1 --emit cert --quiet".split(' ').collect::<Vec<_>>(),
        here,
    );
    let mut trusted = String::new();
    for name in ["alice", "bob"] {
        let output = check(&format!("keygen {name} --key {name}.key"), here);
        trusted += &String::from_utf8(output.stdout).unwrap();
    }
    fs::write(here.join("trusted"), trusted).unwrap();
    for note in ["signed.note --key alice.key", "plain.note"] {
        assert!(check(&format!("cert --quiet --attest {note}"), here).status.success());
    }
    root
}

#[test]
fn unusable_notes_are_named() {
    let root = place();
    let output = check("merge cert signed.note plain.note --keys trusted", root.path());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    for line in [
        "c plain.note does not count: no trusted key has signed it",
        "c key bob counts for nothing: it has signed no note that counts",
    ] {
        assert!(said.lines().any(|l| l == line), "{said}");
    }
    assert!(!said.contains("signed.note does not count"), "{said}");
    // Without keys every note counts.
    let output = check("merge cert signed.note plain.note", root.path());
    assert!(!String::from_utf8(output.stderr).unwrap().contains("does not count"));
}

#[test]
fn verdicts_quote_notes_briefly() {
    let root = place();
    let note = fs::read_to_string(root.path().join("plain.note")).unwrap();
    let mut lines: Vec<&str> = note.lines().collect();
    let place = lines.iter().position(|line| line.starts_with("VERIFIED ")).unwrap();
    let named = lines[place].split(' ').find(|field| field.starts_with("root=")).unwrap();
    let long = format!("REFUTED rank file=CLAIM expected=a found={} {named}", "x".repeat(7000));
    lines[place] = &long;
    fs::write(root.path().join("long.note"), lines.join("\n") + "\n").unwrap();
    let output = check("merge cert long.note", root.path());
    let line = String::from_utf8(output.stdout).unwrap();
    assert!(line.starts_with("s DECLINED disagreement file=long.note "), "{line}");
    assert!(line.trim_end().ends_with("...") && line.len() < 1000, "{line}");
}
