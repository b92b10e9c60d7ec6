//! The keys that have signed notes about the certificates that are served.
//!
//! Certificates that the program `check` verifies while the server runs.

use super::{Server, small_proof};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tests::notes;
use tests::programs::{self, fails, path, prove, run};

fn check(text: &str, here: &Path) -> std::process::Output {
    run(&path("check"), &text.split(' ').collect::<Vec<_>>(), here)
}

/// A certificate, notes about it and its database, and the public keys of alice.
fn place() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let here = root.path();
    small_proof(here);
    for name in ["alice", "bob"] {
        let key = check(&format!("keygen {name} --key {name}.key"), here);
        fs::write(here.join(format!("{name}.txt")), key.stdout).unwrap();
    }
    for (note, status) in [
        ("alice.note --key alice.key", 0),
        ("bob.note --key bob.key", 0),
        ("plain.note", 0),
        ("part.note --key alice.key --shard 1/3", 5),
    ] {
        let output = check(&format!("cert --quiet --attest {note}"), here);
        assert_eq!(output.status.code(), Some(status), "{note}: {output:?}");
    }
    let database = "--game 4x4 --pieces 3 --quiet --attest db.note --key alice.key";
    let output = check(database, here);
    assert!(output.status.success(), "{output:?}");
    root
}

fn refusal(options: &str, here: &Path) -> String {
    let options: Vec<&str> = options.split(' ').collect();
    let output = run(&path("prove"), &[&["serve", "cert", "--note"], &options[..]].concat(), here);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn trusted_notes_count() {
    let place = place();
    let here = place.path();
    let options = ["cert", "--note", "alice.note", "db.note", "--keys", "alice.txt"];
    let server = Server::start(&options, here);
    let said = server.said.join("\n");
    assert!(said.contains("checked, says who signed these notes:\n  note alice.note"), "{said}");
    let words = "note alice.note, signed by alice: draughtproof-check says VERIFIED DRAW 4x4";
    assert!(said.contains(words), "{said}");
    let database = "note db.note, signed by alice: draughtproof-check says VERIFIED DATABASE 4x4";
    assert!(said.contains(database), "{said}");
    let listed = &server.get("/api/certificates").json()[0];
    assert_eq!(
        (&listed["checked"], &listed["checks"][0]["signers"][0]),
        (&true.into(), &"alice".into())
    );
    assert!(listed["checks"][0]["verdict"].as_str().unwrap().starts_with("VERIFIED DRAW 4x4"));
    // The permanent address does not have the notes: the server may run with other keys another
    // day.
    let root = listed["root"].as_str().unwrap();
    let kept = server.get(&format!("/api/certificates/{root}")).json();
    assert!(kept.get("checked").is_none() && kept.get("checks").is_none(), "{kept}");
}

#[test]
fn other_notes_do_not_count() {
    let place = place();
    let here = place.path();
    let notes = ["--note", "bob.note", "plain.note", "part.note"];
    let served = |more: &[&str]| Server::start(&[&["cert"], &notes[..], more].concat(), here);
    for (more, reasons) in [
        (
            &["--keys", "alice.txt"][..],
            [
                "note bob.note: does not count, as no key of --keys has signed it",
                "note plain.note: does not count, as no key of --keys has signed it",
                "note part.note, signed by alice: does not count, as it is about a part",
            ],
        ),
        (&[], ["bob", "plain", "part"].map(|_| "anybody can write a note; --keys says whose")),
    ] {
        let server = served(more);
        let said = server.said.join("\n");
        assert!(said.contains("not checked by anybody you trust here"), "{said}");
        for reason in reasons {
            assert!(said.contains(reason), "{said}");
        }
        let listed = &server.get("/api/certificates").json()[0];
        assert_eq!(listed["checked"], false);
        assert_eq!(listed["checks"].as_array().unwrap().len(), 3);
        assert!(listed["checks"][0]["objection"].is_string());
    }
}

/// A list of digests hides no field of a verdict that stands after it.
#[test]
fn a_long_verdict_is_shown_with_all_its_fields() {
    let place = place();
    let here = place.path();
    let words = notes::words(&here.join("alice.note"));
    let list = vec!["0123456789abcdef".repeat(4); 20].join(",");
    let ends = "db-note-keys=1 db-note-journals=1 nodes=";
    let long = words.replace(" nodes=", &format!(" db-note={list} {ends}"));
    notes::write(&here.join("long.note"), &long, Some(&here.join("alice.key")));
    let options = ["cert", "--note", "long.note", "--keys", "alice.txt"];
    let server = Server::start(&options, here);
    let check = &server.get("/api/certificates").json()[0]["checks"][0];
    let verdict = check["verdict"].as_str().unwrap();
    assert!(
        verdict.contains(&format!(" db-note=20 {ends}")) && !verdict.contains('…'),
        "{verdict}"
    );
}

/// A note of another format or game says nothing about this one, even if its signer is trusted.
#[test]
fn every_field_of_a_note_is_judged() {
    let place = place();
    let here = place.path();
    for (name, subject) in [("alice.note", "certificate cert"), ("db.note", "board 4x4")] {
        let right = notes::words(&here.join(name));
        for (from, to) in [
            ("format=1", "format=7"),
            ("rules=english-checkers-1", "rules=chess-9"),
            ("db=exact", "db=none"),
            ("db=exact", "db=exact db=exact"),
            ("db=exact", "db=exact more=1"),
            ("pieces=3", "pieces=2"),
            (" format=1", ""),
        ] {
            let words = right.replacen(from, to, 1);
            assert_ne!(words, right);
            notes::write(&here.join("x"), &words, Some(&here.join("alice.key")));
            let arguments = ["serve", "cert", "--note", "x", "--keys", "alice.txt"];
            if to == "db=exact db=exact" {
                let said = refusal("x --keys alice.txt", here);
                assert!(said.contains("found one that says: "), "{said}");
                continue;
            }
            let server = Server::start(&arguments[1..], here);
            let said = server.said.join("\n");
            assert!(said.contains("not checked by anybody you trust here"), "{said}");
            let but = "note x, signed by alice: does not count, as no check says this of it: ";
            assert!(said.contains(subject) && said.contains(but), "{words}: {said}");
            assert_eq!(server.get("/api/certificates").json()[0]["checked"], false);
        }
    }
}

/// A claim of winning rests on exact values, whatever the words of a signed note are.
#[test]
fn a_note_of_a_win_over_consistent_values_does_not_count() {
    let place = place();
    let here = place.path();
    let win = "--game 6x4 --pieces 3 --leaf-nodes 40 --emit win -q";
    prove(&win.split(' ').collect::<Vec<_>>(), here);
    let output = check("win --quiet --attest win.note --key alice.key", here);
    assert!(output.status.success(), "{output:?}");
    let right = notes::words(&here.join("win.note"));
    assert!(right.starts_with("VERIFIED WHITE-WINS 6x4 "), "{right}");
    for (to, counts) in [("db=exact", true), ("db=consistent", false)] {
        let words = right.replacen("db=exact", to, 1);
        notes::write(&here.join("x"), &words, Some(&here.join("alice.key")));
        let server = Server::start(&["win", "--note", "x", "--keys", "alice.txt"], here);
        let said = server.said.join("\n");
        let but =
            "does not count, as no check says this of it: no check says db=consistent of a win";
        assert_eq!(said.contains(but), !counts, "{said}");
        assert_eq!(server.get("/api/certificates").json()[0]["checked"], counts);
    }
}

#[test]
fn bad_notes_stop_the_start() {
    let place = place();
    let here = place.path();
    let note = fs::read_to_string(here.join("alice.note")).unwrap();
    fs::write(here.join("changed.note"), note.replacen("nodes=", "nodes=1", 1)).unwrap();
    let said = refusal("changed.note --keys alice.txt", here);
    assert!(
        said.contains("--note changed.note: expected a signature by the key of alice"),
        "{said}"
    );
    fs::write(here.join("cut.note"), &note[..note.len() / 3]).unwrap();
    let said = refusal("cut.note", here);
    assert!(said.contains("--note cut.note: not a note"), "{said}");
    assert!(refusal("missing.note", here).contains("--note missing.note"));

    prove(&["--game", "4x4", "--pieces", "2", "--emit", "other", "-q"], here);
    let output = check("other --quiet --attest other.note --key alice.key", here);
    assert!(output.status.success(), "{output:?}");
    let said = refusal("other.note --keys alice.txt", here);
    assert!(said.contains("expected a note about certificate "), "{said}");
    assert!(said.contains("found one that says: VERIFIED DRAW 4x4"), "{said}");
    // The root alone is not enough, since people read the words of the verdict.
    fs::write(here.join("words.note"), note.replacen("DRAW", "BLACK-WINS", 1)).unwrap();
    assert!(refusal("words.note", here).contains("found one that says: VERIFIED BLACK-WINS"));
    let said = refusal("alice.note --keys alice.note", here);
    assert!(said.contains("--keys alice.note: line 1: expected a public key"), "{said}");
}

/// Returns the server's answer about its first certificate, once the check has ended.
fn verified(server: &Server) -> Value {
    loop {
        let verified = server.get("/api/certificates").json()[0]["verified"].take();
        if verified["state"] != "running" {
            return verified;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn check_verifies_what_is_served() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let found = verified(&server);
    assert_eq!(found["state"], "verified", "{found}");
    assert!(found["checker"].as_str().unwrap().starts_with("check "), "{found}");
    assert!(found["seconds"].as_f64().unwrap() > 0.0, "{found}");
    // The permanent address does not change with it.
    let root = server.get("/api/certificates").json()[0]["root"].take();
    let kept = server.get(&format!("/api/certificates/{}", root.as_str().unwrap())).json();
    assert!(kept.get("verified").is_none(), "{kept}");
    let server = Server::start(&["cert", "--no-check"], here.path());
    assert_eq!(verified(&server), Value::Null);
}

/// A server whose `check` is in PATH, and prints this text and ends with this status.
fn server_with(here: &Path, said: &str, status: i32) -> Server {
    fs::write(here.join("said"), said).unwrap();
    let script = format!("#!/bin/sh\ncat {}\nexit {status}\n", here.join("said").display());
    fs::create_dir_all(here.join("bin")).unwrap();
    fs::write(here.join("bin/check"), script).unwrap();
    fs::set_permissions(here.join("bin/check"), fs::Permissions::from_mode(0o755)).unwrap();
    let program = here.join("prove");
    if !program.exists() {
        fs::copy(path("prove"), &program).unwrap();
    }
    let mut command = Command::new(program);
    let bin = here.join("bin").display().to_string();
    command.env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap()));
    Server::start_by(command, &["cert"], here)
}

#[test]
fn other_words_do_not_count_as_verified() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    small_proof(here);
    let verdict = programs::check(&["cert", "--quiet"], here).verdict;
    let (before, root) = verdict.split_once(" root=").unwrap();
    let other = format!("{before} root={}{}", "0".repeat(64), &root[64..]);
    for (said, status, counts) in [
        (format!("{verdict}\n"), 0, true),
        (format!("{verdict}\n"), 1, false),
        (format!("{verdict}\n{verdict}\n"), 0, false),
        (format!("c it is right\n{verdict}\n"), 0, false),
        (verdict.clone(), 0, false),
        (format!("{other}\n"), 0, false),
        (format!("{}\n", verdict.replace(" DRAW ", " BLACK-WINS ")), 0, false),
        (format!("{}\n", verdict.replace(" db=exact ", " db=none ")), 0, false),
        (format!("{}\n", verdict.replace("VERIFIED", "CONDITIONAL")), 0, false),
        (String::new(), 0, false),
    ] {
        let found = verified(&server_with(here, &said, status));
        let expected = if counts { "verified" } else { "not-verified" };
        assert_eq!(found["state"], expected, "{said:?}, {status}: {found}");
    }
}

#[test]
fn a_folder_of_databases_that_is_not_there_is_an_error() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let options = ["serve", "cert", "--db", "egbd", "--listen", "127.0.0.1:0"];
    fails(here.path(), &options, 3, &["egbd", "--db must name a directory"]);
    // A folder without the database of a certificate is another mistake.
    fs::create_dir(here.path().join("other")).unwrap();
    let options = ["serve", "cert", "--db", "other", "--listen", "127.0.0.1:0"];
    fails(here.path(), &options, 3, &["other"]);
}

/// An address in use is said before a certificate is looked at.
#[test]
fn the_address_is_bound_first() {
    let here = tempfile::tempdir().unwrap();
    let server = Server::start(&[], here.path());
    let options = ["serve", "nothing", "--listen", &server.address];
    let said = fails(here.path(), &options, 3, &["--listen"]);
    assert!(!said.contains("nothing"), "{said}");
}
