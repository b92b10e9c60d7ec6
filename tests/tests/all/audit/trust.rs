//! Trust in notes: for the values of a database, and in the notes of other checkers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tests::programs::{check_with, path, run};

use super::{certificate, field, merge, say, shards, words};

#[test]
fn the_database_and_the_rest_may_be_in_notes_of_their_own() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let accepted = |text: &str| {
        let said = merge(text, here);
        assert!(said.verdict.starts_with("s VERIFIED "), "{text}: {said:?}");
        assert_eq!(said.status, Some(5), "{text}: {said:?}");
    };
    let status = |text: &str| say(text, here).status;
    assert_eq!(status("--game 4x4 --attest db"), Some(0));
    assert_eq!(status("cert --trust-db db --attest rest"), Some(5));
    for i in 1..=2 {
        assert_eq!(status(&format!("--game 4x4 --shard {i}/2 --attest db-{i}")), Some(5));
    }
    let parts = shards(here, 4, "rest", "--trust-db db");
    // The database is not part of this work, so each shard has nodes or leaves.
    for note in &parts {
        let ranges = format!("{},{}", field(here, note, "nodes"), field(here, note, "leaves"));
        let ranges = ranges.split(',').map(|r| r[2..].split('/').next().unwrap());
        assert!(ranges.map(|r| r.split_once('-').unwrap()).any(|(a, b)| a != b), "{note}");
    }
    let (most, all) = (parts[..3].join(" "), parts.join(" "));
    for (database, rest) in
        [("db", "rest"), ("db-2 db-1", "rest"), ("db", &all), ("db-1 db-2", &all)]
    {
        accepted(&format!("cert {database} {rest}"));
    }
    accepted("--game 4x4 db-1 db-2");
    for missing in ["db-1 rest", "db-2 rest", "db", &format!("db {most}"), &format!("db-1 {all}")] {
        let said = merge(&format!("cert {missing}"), here);
        assert!(said.verdict.starts_with("s DECLINED cover "), "{missing}: {said:?}");
    }
    // A note of the whole database does not state the tables that a shard used.
    let shard = &shards(here, 2, "n", "")[1];
    let said = merge(&format!("cert db rest {shard}"), here);
    assert!(said.verdict.starts_with("s DECLINED cover "), "{said:?}");
    assert!(said.verdict.contains("which%20shards%20rest%20on"), "{said:?}");
}

#[test]
fn a_note_takes_the_place_of_nothing() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    assert!(run(&path("check"), &["keygen", "alice", "--key", "key"], here).status.success());
    assert!(!run(&path("check"), &["keygen", "#alice", "--key", "key2"], here).status.success());
    let files = ["cert/CLAIM", "cert/MANIFEST", "egdb/4x4/MANIFEST", "key"];
    let before = files.map(|file| fs::read(here.join(file)).unwrap());
    let new =
        ["cert/new", "cert/objects/new", "egdb/new", "egdb/4x4/new", "nowhere/new", "cert", "."];
    for file in files.iter().chain(&new) {
        let said = say(&format!("cert --attest {file} --key key"), here);
        assert!(said.verdict.starts_with("s ERROR "), "{file}: {said:?}");
        assert_eq!(said.status, Some(4));
    }
    assert_eq!(before, files.map(|file| fs::read(here.join(file)).unwrap()));
    // No temporary file is left, and a signed note is not overwritten.
    assert_eq!(say("cert --attest note --key key", here).status, Some(0));
    let signed = fs::read(here.join("note")).unwrap();
    for again in ["cert --attest note", "cert --attest note --key key"] {
        let said = say(again, here);
        assert!(said.verdict.starts_with("s ERROR note: there is something already"), "{said:?}");
        assert_eq!(said.status, Some(4));
    }
    assert_eq!(fs::read(here.join("note")).unwrap(), signed);
    assert_eq!(say("cert", here).status, Some(0));
    let left: Vec<_> = fs::read_dir(here).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
    // Options that would have no effect are refused.
    for wrong in ["cert --pieces 2", "cert --keys key", "--game 4x4 --trust-db note"] {
        assert!(say(wrong, here).verdict.starts_with("s ERROR usage:"), "{wrong}");
    }
}

#[test]
fn journals_and_notes_are_kept_apart_from_what_is_checked() {
    let root = certificate("--game 4x4 --pieces 3");
    let here = root.path();
    for journal in ["cert/j", "cert/objects/j", "egdb/j", "egdb/4x4/j", "cert/../cert/j"] {
        let said = say(&format!("cert --journal {journal}"), here);
        let error = format!("s ERROR {journal}: a journal cannot be among what is checked");
        assert_eq!((said.verdict, said.status), (error, Some(4)));
        assert!(!here.join(journal).exists());
    }
    // The journal may exist already or not.
    for _ in 0..2 {
        for note in ["journal", "./journal", "cert/../journal"] {
            let said = say(&format!("cert --journal journal --attest {note}"), here);
            let error =
                format!("s ERROR {note}: the check uses this; the note needs a file of its own");
            assert_eq!((said.verdict, said.status), (error, Some(4)));
        }
        assert_eq!(say("cert --journal journal", here).status, Some(0));
    }
    assert_eq!(say("cert --journal journal --attest note", here).status, Some(0));
    let said = say("cert --trust-db note --attest note", here);
    assert!(said.verdict.starts_with("s ERROR note: the check uses this"), "{said:?}");
    // A note is meant to be handed out, so it gets ordinary permissions.
    let mode = |name: &str| fs::metadata(here.join(name)).unwrap().permissions().mode();
    fs::write(here.join("file"), "").unwrap();
    assert_eq!(mode("note"), mode("file"));
}

#[test]
fn the_word_of_a_note_for_the_database() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let whole = say("cert", here);
    let levels = [("exact", "", "VERIFIED"), ("consistent", "--level consistent", "CONSISTENT")];
    for (level, options, word) in levels {
        let _ = fs::remove_file(here.join("db.note"));
        let said = say(&format!("--game 4x4 --attest db.note {options}"), here);
        assert!(said.verdict.starts_with(&format!("s {word} DATABASE 4x4 ")), "{said:?}");
        assert_eq!(said.status, Some(if word == "VERIFIED" { 0 } else { 5 }));
        let said = say("cert --trust-db db.note", here);
        assert_eq!(said.status, Some(5), "{said:?}");
        assert!(said.verdict.starts_with("s VERIFIED "), "{said:?}");
        assert!(said.verdict.contains(&format!(" db={level} ")), "{said:?}");
        assert!(said.verdict.contains(" db-note="), "{said:?}");
        assert!(!whole.verdict.contains(" db-note="));
    }
    // With a signature by a trusted key the status is that of an acceptance.
    let keygen = run(&path("check"), &["keygen", "alice", "--key", "key"], here);
    fs::write(here.join("trusted"), keygen.stdout).unwrap();
    assert_eq!(say("--game 4x4 --attest signed --key key", here).status, Some(0));
    let said = say("cert --trust-db signed --keys trusted", here);
    assert!(said.verdict.contains(" db-note-keys=1"), "{said:?}");
    assert_eq!(said.status, Some(0));
    let said = say("cert --trust-db db.note --keys trusted", here);
    assert!(said.verdict.starts_with("s DECLINED cover "), "{said:?}");
    // A check that took the word of a note does not cover the database itself.
    let said = say("cert --trust-db db.note --attest rest.note", here);
    assert_eq!(said.status, Some(5));
    assert!(merge("cert rest.note", here).verdict.starts_with("s DECLINED cover "));
    let said = merge("cert rest.note db.note", here);
    assert!(said.verdict.starts_with("s VERIFIED "), "{said:?}");
    assert_eq!(said.status, Some(5), "{said:?}");
    assert!(say("cert --trust-db rest.note", here).verdict.starts_with("s DECLINED cover "));
    let said = say("cert --trust-db db.note --shard 1/2 --attest half.note", here);
    assert!(said.verdict.contains(" slices=0-0/"), "{said:?}");
    // The files must still be those that the root stands for.
    let slice = here.join("egdb/4x4/0-1-0-1");
    let mut bytes = fs::read(&slice).unwrap();
    bytes[20] ^= 1;
    fs::write(&slice, bytes).unwrap();
    let said = say("cert --trust-db db.note", here);
    assert!(said.verdict.starts_with("s REFUTED slice-hash "), "{said:?}");
    // The note has the level consistent, and so has the verdict that rests on it.
    let said = merge("--game 4x4 db.note", here);
    assert!(said.verdict.starts_with("s CONSISTENT DATABASE 4x4 "), "{said:?}");
    assert_eq!(said.status, Some(5));
}

/// The Python reference implementation, which writes notes, too.
fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificate-spec/reference/check.py")
}

#[test]
#[ignore = "needs python3"]
fn parts_may_be_asked_of_different_checkers() {
    let root = certificate("--game 4x4 --pieces 2 --leaf-nodes 3");
    let here = root.path();
    let whole = say("cert", here);
    let theirs = check_with(&reference(), &words("cert --db egdb --attest theirs"), here).unwrap();
    assert_eq!(theirs, whole);
    assert_eq!(say("cert --attest ours", here), whole);
    let ours = shards(here, 2, "half", "").join(" ");
    let accepted = |notes: &str, ending: &str| {
        let said = merge(&format!("cert {notes}"), here);
        assert!(said.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{notes}: {said:?}");
        assert!(said.verdict.ends_with(ending), "{notes}: {said:?}");
        // The notes have no signatures.
        assert_eq!(said.status, Some(5));
    };
    let refused = |notes: &str, rule: &str| {
        let said = merge(&format!("cert {notes}"), here);
        assert!(said.verdict.starts_with(rule), "{notes}: {said:?}");
        assert_ne!(said.status, Some(0));
    };
    let (check, reference) = ("draughtproof-check", "draughtproof-reference");
    accepted("ours", &format!("by cover of 1 notes keys=none checkers={check}"));
    accepted("theirs", &format!(" checkers={reference}"));
    let both = format!(" checkers={check},{reference}");
    accepted("ours theirs", &both);
    accepted("theirs ours --distinct-checkers 2", &both);
    accepted(&format!("theirs {ours} --distinct-checkers 2"), &both);
    // A copy of a note does not count, and each part needs both checkers.
    fs::copy(here.join("ours"), here.join("again")).unwrap();
    refused("ours --distinct-checkers 2", "s DECLINED cover ");
    refused("ours again --distinct-checkers 2", "s DECLINED cover ");
    refused(&format!("ours {ours} --distinct-checkers 2"), "s DECLINED cover ");
    refused("theirs half-1.note --distinct-checkers 2", "s DECLINED cover ");
    refused("ours theirs --distinct-checkers 3", "s DECLINED cover ");
    refused("ours theirs --distinct-checkers 0", "s ERROR usage:");
    // Another version or digest of the program is not another checker.
    let text = fs::read_to_string(here.join("again")).unwrap();
    let line = text.lines().nth(2).unwrap();
    let other = |new: &str| fs::write(here.join("again"), text.replace(line, new)).unwrap();
    other(&format!("checker {check} 9.9.9 unknown"));
    refused("ours again --distinct-checkers 2", "s DECLINED cover ");
    // The names of checkers are plain words that cannot be mistaken for one another.
    for name in ["Draughtproof-check", "draughtproof_check", "a,b", "a=b", "", "x%20y", "\u{e9}"] {
        other(&format!("checker {name} 1 unknown"));
        refused("ours again --distinct-checkers 2", "s DECLINED cover ");
    }
    other("checker another 1 built by hand");
    accepted("again ours --distinct-checkers 2", &format!(" checkers=another,{check}"));

    // With keys only the checkers of signed notes are counted.
    let keygen = run(&path("check"), &["keygen", "alice", "--key", "key"], here);
    fs::write(here.join("trusted"), keygen.stdout).unwrap();
    assert_eq!(say("cert --attest signed --key key", here).status, Some(0));
    let said = merge("cert signed --keys trusted", here);
    assert!(said.verdict.ends_with(&format!(" keys=1 checkers={check}")), "{said:?}");
    assert_eq!(said.status, Some(0));
    refused("signed theirs --keys trusted --distinct-checkers 2", "s DECLINED cover ");
    refused("signed again --keys trusted --distinct-checkers 2", "s DECLINED cover ");
}

#[test]
fn a_database_alone_that_is_consistent_is_no_more_than_that() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let alone = say("--game 4x4 --level consistent --attest consistent", here);
    assert!(alone.verdict.starts_with("s CONSISTENT DATABASE 4x4 pieces=3 db-root="), "{alone:?}");
    assert!(
        alone.verdict.contains(" format=1 rules=english-checkers-1 db=consistent "),
        "{alone:?}"
    );
    assert_eq!(alone.status, Some(5));
    // A draw over a consistent database is verified, whichever checker checked the values.
    let over = say("cert --level consistent", here);
    assert!(over.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{over:?}");
    assert_eq!(over.status, Some(0));
    let said = say("cert --trust-db consistent --attest rest", here);
    assert!(said.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{said:?}");
    assert!(said.verdict.contains(" db=consistent "), "{said:?}");
    let said = merge("cert rest consistent", here);
    assert!(said.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{said:?}");
    assert!(said.verdict.contains(" db=consistent "), "{said:?}");
    // Notes of the database alone give no more than their own level, whatever their number and the
    // level of others: each part needs the required level.
    let _ = say("--game 4x4 --attest exact", here);
    for notes in ["consistent", "consistent consistent"] {
        let said = merge(&format!("--game 4x4 {notes}"), here);
        assert!(said.verdict.starts_with("s CONSISTENT DATABASE 4x4 "), "{notes}: {said:?}");
        assert_eq!(said.status, Some(5));
    }
    let said = merge("--game 4x4 consistent exact", here);
    assert!(said.verdict.starts_with("s VERIFIED DATABASE 4x4 "), "{said:?}");
    // A note that states a verdict it cannot have.
    let text = fs::read_to_string(here.join("consistent")).unwrap();
    fs::write(here.join("more"), text.replace("CONSISTENT DATABASE", "VERIFIED DATABASE")).unwrap();
    let said = merge("--game 4x4 more", here);
    assert!(!said.verdict.starts_with("s VERIFIED"), "{said:?}");
    // A win needs the exact values.
    let root = certificate("--game 6x4 --pieces 3 --leaf-nodes 40");
    let here = root.path();
    let _ = say("--game 6x4 --level consistent --attest consistent", here);
    let said = say("cert --trust-db consistent", here);
    assert!(said.verdict.starts_with("s DECLINED level "), "{said:?}");
    assert_eq!(said.status, Some(3));
    let said = say("--game 6x4 --attest exact", here);
    assert_eq!(said.status, Some(0));
    assert!(say("cert --trust-db exact --attest rest", here).verdict.starts_with("s VERIFIED "));
    let said = merge("cert rest consistent", here);
    assert!(said.verdict.starts_with("s DECLINED "), "{said:?}");
    assert!(merge("cert rest exact", here).verdict.starts_with("s VERIFIED WHITE-WINS "));
}
