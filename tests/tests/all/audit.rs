//! Audits in parts: shards, notes, samples. Whatever a whole check refutes, no cover of shards
//! verifies.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use certificate_spec::cover::Cover;
use certificate_spec::provenance::{Mode, Request, Resources};
use tests::corpus::build;
use tests::draft::Draft;
use tests::programs::{Said, check, check_with, path, prove, run};

fn words(text: &str) -> Vec<&str> {
    text.split(' ').filter(|word| !word.is_empty()).collect()
}

/// Runs `check` with these words.
fn say(text: &str, here: &Path) -> Said {
    check(&words(&format!("{text} --quiet")), here)
}

/// Runs `check merge`, which has no progress.
fn merge(text: &str, here: &Path) -> Said {
    check(&words(&format!("merge {text}")), here)
}

/// A certificate to be audited: with nodes, leaves, and a database.
fn certificate(options: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    prove(&words(&format!("{options} --emit cert --quiet")), root.path());
    root
}

/// Checks all shards of so many, each with a note `NAME-I.note`; returns the names of the notes.
fn shards(here: &Path, of: u32, name: &str, more: &str) -> Vec<String> {
    let one = |i| {
        let note = format!("{name}-{i}.note");
        // A note that is there is never overwritten.
        let _ = fs::remove_file(here.join(&note));
        let said = say(&format!("cert --shard {i}/{of} --attest {note} {more}"), here);
        assert_eq!(said.status, Some(5), "{said:?}");
        assert!(said.verdict.starts_with(&format!("s VERIFIED SHARD {i}/{of} ")), "{said:?}");
        note
    };
    (1..=of).map(one).collect()
}

#[test]
fn shards_together_are_the_whole() {
    for options in [
        "--game 4x4 --pieces 3 --leaf-nodes 3",
        "--game 6x4 --pieces 3 --leaf-nodes 40",
        "--game 4x4 --pieces 0 --leaf-nodes 1",
    ] {
        let root = certificate(options);
        let here = root.path();
        let whole = say("cert", here);
        assert_eq!(whole.status, Some(0), "{whole:?}");
        for of in [1, 2, 3, 16, 100] {
            let notes = shards(here, of, "n", "");
            let said = merge(&format!("cert {}", notes.join(" ")), here);
            let by = format!(" by cover of {of} notes keys=none checkers=draughtproof-check");
            assert_eq!((said.verdict, said.status), (whole.verdict.clone() + &by, Some(5)));
            // Each shard with something in it is needed.
            let empty = |note: &String| {
                let text = fs::read_to_string(here.join(note)).unwrap();
                let mut fields =
                    text.split([' ', ',']).filter(|w| w.contains('/') && w.contains('-'));
                let is_empty = |range: &str| {
                    let (start, end) =
                        range.rsplit([':', '=']).next()?.split_once('/')?.0.split_once('-')?;
                    Some(start == end)
                };
                fields.all(|f| {
                    f.starts_with("given=")
                        || f.starts_with("start=")
                        || is_empty(f).unwrap_or(true)
                })
            };
            for left_out in notes.iter().filter(|note| !empty(note)).take(20) {
                let rest: Vec<&str> =
                    notes.iter().filter(|n| *n != left_out).map(String::as_str).collect();
                if rest.is_empty() {
                    continue;
                }
                let said = merge(&format!("cert {}", rest.join(" ")), here);
                assert!(said.verdict.starts_with("s DECLINED cover "), "{left_out}: {said:?}");
                assert_eq!(said.status, Some(3));
            }
        }
        // Shards of different numbers, at different levels where nothing is won.
        let (three, five) = (shards(here, 3, "three", ""), shards(here, 5, "five", "--threads 4"));
        let said = merge(&format!("cert {} {} {}", three[0], three[1], five[4]), here);
        assert!(said.verdict.starts_with("s DECLINED cover ") || said.status == Some(5));
        let said = merge(&format!("cert {} {} {} {}", three[0], three[1], five[3], five[4]), here);
        assert_eq!(said.status, Some(5), "{said:?}");
    }
}

#[test]
fn whatever_is_refuted_is_refuted_in_one_of_the_shards() {
    let root = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for case in build(root.path()) {
        let arguments: Vec<&str> = case.arguments.iter().map(String::as_str).collect();
        let whole = check(&arguments, &case.directory);
        let parts: Vec<Said> = ["1/3", "2/3", "3/3"]
            .iter()
            .map(|shard| check(&[&arguments[..], &["--shard", shard]].concat(), &case.directory))
            .collect();
        let sample = check(&[&arguments[..], &["--sample", "100%"]].concat(), &case.directory);
        let accepts = |said: &Said| said.status == Some(5);
        match whole.status {
            _ if whole.status == Some(0)
                || whole.status == Some(2)
                || whole.verdict.starts_with("s CONSISTENT ") =>
            {
                assert!(parts.iter().chain([&sample]).all(accepts), "{}", case.name);
            }
            status => {
                assert!(!parts.iter().all(accepts), "{}: {whole:?} {parts:?}", case.name);
                assert_eq!(sample.status, status, "{}: {whole:?} {sample:?}", case.name);
                // The same rule is found, or one about the files that lead to it.
                if status == Some(1) {
                    assert!(parts.iter().any(|p| p.status == Some(1)), "{}: {parts:?}", case.name);
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 100);
}

#[test]
fn notes_are_worth_what_their_signers_are() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let keygen = |name: &str| {
        let output = run(&path("check"), &["keygen", name, "--key", name], here);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let (alice, bob) = (keygen("alice"), keygen("bob"));
    keygen("mallory");
    fs::write(here.join("trusted"), format!("# those who count\n{alice}{bob}")).unwrap();
    // A key is never written over.
    let key = fs::read(here.join("alice")).unwrap();
    assert_eq!(check(&["keygen", "alice", "--key", "alice"], here).status, Some(4));
    assert_eq!(fs::read(here.join("alice")).unwrap(), key);

    let a = shards(here, 2, "a", "--key alice");
    let b = shards(here, 3, "b", "--key bob");
    let m = shards(here, 2, "m", "--key mallory");
    let unsigned = shards(here, 2, "u", "");
    let all = |notes: &[&Vec<String>]| {
        notes.iter().flat_map(|n| n.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    };
    let accepted = |text: &str, ending: &str| {
        let said = merge(text, here);
        assert_eq!(said.status, Some(0), "{text}: {said:?}");
        assert!(said.verdict.ends_with(ending), "{said:?}");
    };
    let refused = |text: &str, rule: &str| {
        let said = merge(text, here);
        assert!(said.verdict.starts_with(rule), "{text}: {said:?}");
    };
    accepted(
        &format!("cert {} --keys trusted", all(&[&a])),
        "cover of 2 notes keys=1 checkers=draughtproof-check",
    );
    accepted(
        &format!("cert {} --keys trusted --require 2", all(&[&a, &b])),
        "of 5 notes keys=2 checkers=draughtproof-check",
    );
    // One who is trusted does not count twice, and others do not count.
    for notes in [vec![&a, &a], vec![&a, &m], vec![&a, &unsigned]] {
        refused(&format!("cert {} --keys trusted --require 2", all(&notes)), "s DECLINED cover ");
    }
    for notes in [&m, &unsigned] {
        refused(&format!("cert {} --keys trusted", all(&[notes])), "s DECLINED cover ");
        // Without keys it is told what they come to, and not with the status of an acceptance.
        let said = merge(&format!("cert {}", all(&[notes])), here);
        assert!(
            said.verdict.ends_with("cover of 2 notes keys=none checkers=draughtproof-check"),
            "{said:?}"
        );
        assert_eq!(said.status, Some(5));
    }
    // Mallory's signature under alice's name and id is a bad one.
    let text = fs::read_to_string(here.join(&a[0])).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let other = fs::read_to_string(here.join(&a[1])).unwrap();
    lines[4] = other.lines().nth(4).unwrap();
    fs::write(here.join("forged"), lines.join("\n") + "\n").unwrap();
    refused(
        &format!("cert forged {} --keys trusted", all(&[&a])),
        "s REFUTED note-signature file=forged ",
    );
    // So is hers under text that was changed; but host and time may be anything.
    for (from, to, is_fine) in [
        ("1/2", "1/3", false),
        ("checker ", "checker x", false),
        ("# host ", "# host of somebody else ", true),
    ] {
        assert!(text.contains(from));
        fs::write(here.join("changed"), text.replace(from, to)).unwrap();
        let line = format!("cert changed {} --keys trusted", a[1]);
        if is_fine {
            accepted(&line, "keys=1 checkers=draughtproof-check")
        } else {
            refused(&line, "s REFUTED note-signature")
        }
    }
    // Two honest runs agree in every byte that is signed.
    let again = shards(here, 2, "again", "--key alice");
    let signed = |name: &str| {
        let text = fs::read_to_string(here.join(name)).unwrap();
        text.lines().take(5).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(signed(&a[0]), signed(&again[0]));

    // Notes that say something else are reported, whoever wrote them.
    let edited = |from: &str, to: &str| {
        let text = fs::read_to_string(here.join(&unsigned[1])).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(here.join("edited"), text.replace(from, to)).unwrap();
        format!("cert edited {}", all(&[&unsigned]))
    };
    for (from, to) in [
        ("DRAW", "BLACK-WINS"),
        (" root=", " root=0"),
        ("db-root=", "db-root=0"),
        ("pieces=3", "pieces=2"),
        ("4x4", "4x6"),
        ("pieces=3", "pieces=4:2"),
        ("format=1", "format=2"),
        ("english-checkers-1", "russian-1"),
        (" format=1 rules=english-checkers-1", ""),
        ("VERIFIED SHARD", "REFUTED"),
        ("VERIFIED SHARD", "CONSISTENT SHARD"),
        ("VERIFIED SHARD", "SAMPLED"),
        ("slices=", "slices=9"),
        ("db=exact", "db=hearsay"),
    ] {
        refused(&edited(from, to), "s DECLINED disagreement file=edited ");
    }
    // Values that rest on themselves, by way of somebody else's shard.
    let text = fs::read_to_string(here.join(&unsigned[0])).unwrap();
    let given = text.split(' ').find(|word| word.starts_with("given=")).unwrap();
    let all_pairs = given.rsplit('/').next().unwrap();
    let circle = text.replace(given, &format!("given=0-{all_pairs}/{all_pairs}"));
    fs::write(here.join("circle"), circle).unwrap();
    refused(&format!("cert circle {}", unsigned[1]), "s DECLINED disagreement file=circle ");
    // No notes, or what is none.
    for (name, bytes) in [("empty", ""), ("binary", "\u{0}"), ("text", "draughtproof note 1\n\n\n")]
    {
        fs::write(here.join(name), bytes).unwrap();
        refused(&format!("cert {name}"), "s ERROR ");
    }
    refused("cert", "s ERROR ");
    refused("cert missing", "s ERROR missing");
    assert!(Command::new("mkfifo").arg("pipe").current_dir(here).status().unwrap().success());
    refused("cert pipe", "s ERROR pipe");
    // One key under two names is one key.
    fs::write(here.join("copied"), format!("{alice}# {bob}{alice}")).unwrap();
    refused(&format!("cert {} --keys copied", all(&[&a])), "s ERROR copied");
    // What somebody has merged is hearsay.
    let text = fs::read_to_string(here.join(&unsigned[0])).unwrap();
    let words = text.lines().nth(1).unwrap();
    let hearsay = merge(&format!("cert {}", all(&[&unsigned])), here).verdict;
    fs::write(here.join("hearsay"), text.replace(words, &hearsay[2..])).unwrap();
    refused("cert hearsay", "s DECLINED disagreement file=hearsay ");
}

/// What a note says after `NAME=`.
fn field(here: &Path, note: &str, name: &str) -> String {
    let text = fs::read_to_string(here.join(note)).unwrap();
    let found = text.split([' ', '\n']).find_map(|word| word.strip_prefix(&format!("{name}=")));
    found.unwrap().to_string()
}

/// A note that says something else there.
fn with_field(here: &Path, note: &str, name: &str, value: &str) -> String {
    let text = fs::read_to_string(here.join(note)).unwrap();
    let old = format!(" {name}={}", field(here, note, name));
    text.replacen(&old, &format!(" {name}={value}"), 1)
}

#[test]
fn what_shards_say_of_tables_must_agree() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let notes = shards(here, 16, "n", "");
    let wrong = "0123456789abcdef".repeat(4);
    let refused = |note: &str, text: String, expected: &str| {
        fs::write(here.join("edited"), text).unwrap();
        let all = notes.iter().map(|n| if n == note { "edited" } else { n });
        let said = merge(&format!("cert {}", all.collect::<Vec<_>>().join(" ")), here);
        assert!(said.verdict.starts_with("s DECLINED disagreement "), "{note}: {said:?}");
        assert!(said.verdict.contains(expected), "{note}: {said:?}");
    };
    // Two who have verified a slice, and say something else of its table.
    let tables = field(here, &notes[0], "tables");
    let tables = format!("{wrong}{}", &tables[wrong.len()..]);
    let text = with_field(here, &notes[0], "tables", &tables);
    fs::write(here.join("other"), text).unwrap();
    let said = merge(&format!("cert other {}", notes.join(" ")), here);
    assert!(said.verdict.starts_with("s DECLINED disagreement "), "{said:?}");
    assert!(said.verdict.contains("as%20the%20digest%20of"), "{said:?}");
    // Those that take tables for granted with slices of their own, with none, and those that take
    // none.
    let mut seen = [0; 3];
    for note in &notes {
        let slices = field(here, note, "slices");
        let (range, of) = slices.split_once('/').unwrap();
        let (start, end) = range.split_once('-').unwrap();
        if field(here, note, "given-tables") == "none" {
            let text = with_field(here, note, "given-tables", &wrong);
            refused(note, text, "given-tables=%20of%200%20slices");
            seen[2] += 1;
        } else {
            refused(note, with_field(here, note, "given-tables", &wrong), "given-tables=");
            refused(note, with_field(here, note, "given-tables", "none"), "given-tables=");
            seen[usize::from(start == end)] += 1;
        }
        // No such ranges.
        let expected = format!("slices=A-B/{of}");
        for range in ["3-2", "0-99", "1", "-"] {
            refused(note, with_field(here, note, "slices", &format!("{range}/{of}")), &expected);
        }
    }
    assert!(seen.iter().all(|&n| n > 0), "{seen:?}");
}

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
    let parts = shards(here, 8, "rest", "--trust-db db");
    // The database is no part of this work, so each of them has something.
    for note in &parts {
        let ranges = format!("{},{}", field(here, note, "nodes"), field(here, note, "leaves"));
        let ranges = ranges.split(',').map(|r| r[2..].split('/').next().unwrap());
        assert!(ranges.map(|r| r.split_once('-').unwrap()).any(|(a, b)| a != b), "{note}");
    }
    let (most, all) = (parts[..7].join(" "), parts.join(" "));
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
    // A note for the whole database says nothing of the tables that a shard had.
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
    // Nothing is left behind, and a note that somebody has signed stays as it is.
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
    // Options that would be passed over are refused.
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
    // Whether the journal is there already or not.
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
    // A note is to be handed out, as any other file is.
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
    // With the status of an acceptance where somebody who is trusted has signed it.
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
    // The note is one of the level consistent, and so is what it comes to.
    let said = merge("--game 4x4 db.note", here);
    assert!(said.verdict.starts_with("s CONSISTENT DATABASE 4x4 "), "{said:?}");
    assert_eq!(said.status, Some(5));
}

/// The Python reference, which writes notes, too.
fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificate-spec/reference/check.py")
}

#[test]
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
        // Nobody has signed anything.
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
    // One that is there twice is one, and each part needs both.
    fs::copy(here.join("ours"), here.join("again")).unwrap();
    refused("ours --distinct-checkers 2", "s DECLINED cover ");
    refused("ours again --distinct-checkers 2", "s DECLINED cover ");
    refused(&format!("ours {ours} --distinct-checkers 2"), "s DECLINED cover ");
    refused("theirs half-1.note --distinct-checkers 2", "s DECLINED cover ");
    refused("ours theirs --distinct-checkers 3", "s DECLINED cover ");
    refused("ours theirs --distinct-checkers 0", "s ERROR usage:");
    // A version or another program does not make another checker of it.
    let text = fs::read_to_string(here.join("again")).unwrap();
    let line = text.lines().nth(2).unwrap();
    let other = |new: &str| fs::write(here.join("again"), text.replace(line, new)).unwrap();
    other(&format!("checker {check} 9.9.9 unknown"));
    refused("ours again --distinct-checkers 2", "s DECLINED cover ");
    // The names are words that cannot be taken for one another.
    for name in ["Draughtproof-check", "draughtproof_check", "a,b", "a=b", "", "x%20y", "\u{e9}"] {
        other(&format!("checker {name} 1 unknown"));
        refused("ours again --distinct-checkers 2", "s ERROR again: not a note: ");
    }
    other("checker another 1 built by hand");
    accepted("again ours --distinct-checkers 2", &format!(" checkers=another,{check}"));

    // With keys it is the signed notes whose checkers are counted.
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
    // A draw over it is a draw, by whoever's word.
    let over = say("cert --level consistent", here);
    assert!(over.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{over:?}");
    assert_eq!(over.status, Some(0));
    let said = say("cert --trust-db consistent --attest rest", here);
    assert!(said.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{said:?}");
    assert!(said.verdict.contains(" db=consistent "), "{said:?}");
    let said = merge("cert rest consistent", here);
    assert!(said.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{said:?}");
    assert!(said.verdict.contains(" db=consistent "), "{said:?}");
    // Notes on the database alone come to no more than they say, however many there are and of
    // whatever level the others: each part needs what is asked for.
    let _ = say("--game 4x4 --attest exact", here);
    for notes in ["consistent", "consistent consistent"] {
        let said = merge(&format!("--game 4x4 {notes}"), here);
        assert!(said.verdict.starts_with("s CONSISTENT DATABASE 4x4 "), "{notes}: {said:?}");
        assert_eq!(said.status, Some(5));
    }
    let said = merge("--game 4x4 consistent exact", here);
    assert!(said.verdict.starts_with("s VERIFIED DATABASE 4x4 "), "{said:?}");
    // A note that calls itself more than it can be.
    let text = fs::read_to_string(here.join("consistent")).unwrap();
    fs::write(here.join("more"), text.replace("CONSISTENT DATABASE", "VERIFIED DATABASE")).unwrap();
    let said = merge("--game 4x4 more", here);
    assert!(!said.verdict.starts_with("s VERIFIED"), "{said:?}");
    // Who wins needs the exact values.
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

/// Three lines that anybody can write, without having checked anything.
#[test]
fn a_made_up_note_is_no_acceptance() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let honest = say("cert --attest honest", here);
    assert_eq!(honest.status, Some(0), "{honest:?}");
    let keygen = run(&path("check"), &["keygen", "alice", "--key", "key"], here);
    fs::write(here.join("trusted"), keygen.stdout).unwrap();
    // One that only a replay can refute.
    let mut draft = Draft::read(&here.join("cert"));
    draft.parts[0].leaves[0].positions += 1;
    draft.write(&here.join("cert"));
    assert_eq!(say("cert", here).status, Some(1));
    // What a note would have to say is in what is said of one that says something else.
    let expected = merge("cert honest", here).verdict.replace("%20", " ");
    let digest = |text: &str| text[text.find("root=").unwrap()..][..69].to_string();
    let note = fs::read_to_string(here.join("honest")).unwrap();
    let made_up = note.replace(&digest(&note), &digest(&expected));
    assert_ne!(note, made_up);
    fs::write(here.join("made-up"), made_up).unwrap();
    let said = merge("cert made-up", here);
    assert!(
        said.verdict.ends_with(" by cover of 1 notes keys=none checkers=draughtproof-check"),
        "{said:?}"
    );
    assert_eq!(said.status, Some(5));
    let said = merge("cert made-up --keys trusted", here);
    assert!(said.verdict.starts_with("s DECLINED cover "), "{said:?}");
}

#[test]
fn what_is_no_note_is_said() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    run(&path("check"), &["keygen", "alice", "--key", "key"], here);
    say("cert --attest note --key key", here);
    let note = fs::read_to_string(here.join("note")).unwrap();
    let read = |bytes: &[u8]| {
        fs::write(here.join("other"), bytes).unwrap();
        merge("cert other", here).verdict
    };
    let fine = |text: &str| {
        let said = read(text.as_bytes());
        assert!(
            said.ends_with(" by cover of 1 notes keys=none checkers=draughtproof-check"),
            "{text}: {said}"
        );
    };
    fine(&note);
    let (words, signature) = note.split_once("\n\n").unwrap();
    let (signature, aside) = signature.split_once('\n').unwrap();
    assert!(signature.starts_with("— alice ") && aside.starts_with("# host "), "{note}");
    // Without a signature, without anything beside it, or with others' signatures.
    fine(&format!("{words}\n"));
    fine(&format!("{words}\n\n{signature}\n"));
    fine(&format!("{words}\n\n{signature}\n— somebody AAAA\n{aside}"));
    // No note is longer than a MiB.
    let least = note.len() + "# \n".len();
    fine(&format!("{note}# {}\n", "x".repeat((1 << 20) - least)));
    let long = read(format!("{note}# {}\n", "x".repeat((1 << 20) - least + 1)).as_bytes());
    assert_eq!(long, "s ERROR other: not a note: too long");

    let lines: Vec<&str> = words.lines().collect();
    let program = certificate_spec::Digest::of(&fs::read(path("check")).unwrap());
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(lines[2], format!("checker draughtproof-check {version} {program}"));
    let three = "expected three lines, the first of them: draughtproof note 1";
    for (text, why) in [
        (note.replacen("note 1", "note 0", 1), three),
        (note.replacen("note 1", "note 2", 1), three),
        (format!("{}\n{}\n", lines[0], lines[1]), three),
        (format!("{words}\n{}\n", lines[2]), three),
        (words.to_string(), three),
        (note.replacen("\nchecker ", "\nprover ", 1), three),
        (note.replacen("DRAW", "DR\tAW", 1), "not printable ASCII"),
        (note.replacen("DRAW", "DR\u{c4}W", 1), "not printable ASCII"),
        (note.replacen("— alice ", "- alice ", 1), "a line that is no signature"),
        (note.replacen("— alice ", "— alice", 1), "a line that is no signature"),
        (note.replacen("— alice ", "— alice !", 1), "a line that is no signature"),
        (format!("{note}more\n"), "a line that is no signature"),
    ] {
        assert_ne!(text, note);
        assert_eq!(read(text.as_bytes()), format!("s ERROR other: not a note: {why}"), "{text}");
    }
    assert_eq!(read(b"\xff"), "s ERROR other: not a note: not UTF-8");
    fs::create_dir(here.join("folder")).unwrap();
    let said = merge("cert folder", here).verdict;
    assert_eq!(said, "s ERROR folder: not a note: not an ordinary file");
}

#[test]
fn keys_are_known_by_name_and_id() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let keygen = |name: &str, file: &str| {
        let output = run(&path("check"), &["keygen", name, "--key", file], here);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for name in ["", "a b", "a+b", "#a", "\u{e4}", "a\tb"] {
        let (status, said) = keygen(name, "no");
        assert_eq!(status, Some(4), "{name}: {said}");
        assert!(said.starts_with("s ERROR ") && !here.join("no").exists(), "{name}: {said}");
    }
    let (status, alice) = keygen("alice", "key");
    assert_eq!(status, Some(0));
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(here.join("key")).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    say("cert --attest note --key key", here);
    let merged = |note: &str, keys: &str| {
        fs::write(here.join("trusted"), keys).unwrap();
        merge(&format!("cert {note} --keys trusted"), here).verdict
    };
    for keys in [alice.clone(), format!("# those who count\n\n{alice}\n"), alice.trim().into()] {
        let said = merged("note", &keys);
        assert!(
            said.ends_with(" by cover of 1 notes keys=1 checkers=draughtproof-check"),
            "{keys}: {said}"
        );
    }
    // Somebody of the same name is somebody else, and so is whoever has the same id by another
    // name.
    let (_, namesake) = keygen("alice", "namesake");
    assert!(merged("note", &namesake).starts_with("s DECLINED cover "));
    let note = fs::read_to_string(here.join("note")).unwrap();
    fs::write(here.join("renamed"), note.replace("— alice ", "— alicia ")).unwrap();
    assert!(merged("renamed", &alice).starts_with("s DECLINED cover "));
    // A signature too short to be one is bad, and one too short to have an id is nobody's.
    let line = note.lines().find(|line| line.starts_with("— ")).unwrap();
    let cut = |to: usize| {
        fs::write(here.join("cut"), note.replace(line, &line[..to])).unwrap();
        merged("cut", &alice)
    };
    assert!(cut(line.len() - 4).starts_with("s REFUTED note-signature file=cut "));
    assert!(cut("— alice AAAA".len()).starts_with("s DECLINED cover "));

    // The first byte in base64 names the algorithm; 2 instead of 1 is another.
    let [name, id, code] = alice.trim().splitn(3, '+').collect::<Vec<_>>()[..] else { panic!() };
    let letters = ('A'..='Z').chain('a'..='z').collect::<String>();
    let second = letters.find(&code[1..2]).unwrap() + 16;
    let algorithm = format!("{name}+{id}+A{}{}", &letters[second..=second], &code[2..]);
    let key = fs::read_to_string(here.join("key")).unwrap();
    let wrong_line = "s ERROR trusted: line 2: expected a public key, name+id+base64";
    for line in [
        key.trim().to_string(),
        alice.trim().replace("alice+", "bob+"),
        alice.trim().replace('+', "-"),
        algorithm,
        "alice+00000000+AQ==".into(),
        format!("{} ", alice.trim()),
    ] {
        assert_eq!(merged("note", &format!("# keys\n{line}\n")), wrong_line, "{line}");
    }
    for text in [alice.clone(), key.replace("alice", "bob"), key.replace("PRIVATE", "SECRET")] {
        fs::write(here.join("bad"), &text).unwrap();
        let said = say("cert --attest another --key bad", here).verdict;
        assert_eq!(said, "s ERROR bad: expected a private key as `check keygen` writes it");
    }
}

#[test]
fn a_sample_is_the_same_each_time() {
    let root = certificate("--game 6x4 --pieces 3 --leaf-nodes 40");
    let here = root.path();
    let sample = |options: &str| {
        let said = say(&format!("cert {options}"), here);
        assert_eq!(said.status, Some(5), "{said:?}");
        assert!(said.verdict.starts_with("s SAMPLED WHITE-WINS 6x4 "), "{said:?}");
        said.verdict
    };
    let ten = sample("--sample 10% --seed 5");
    assert_eq!(ten, sample("--sample 10.0% --seed 5 --threads 3"));
    assert_ne!(ten, sample("--sample 10% --seed 6"));
    assert!(ten.ends_with(" share=0.1 seed=5 missed=1:0.9000,10:0.3487,100:2.7e-5,1000:1.7e-46"));
    for (field, all) in [("blocks", true), ("nodes", true), ("leaves", true)] {
        let everything = sample("--sample 100%");
        let value = everything.split(' ').find_map(|w| w.strip_prefix(&format!("{field}=")));
        let (seen, of) = value.unwrap().split_once('/').unwrap();
        assert_eq!(seen == of, all, "{everything}");
    }
    // Whoever made the certificate must not know the seed beforehand.
    let seeds: Vec<String> = [(); 2]
        .map(|()| sample("--sample 50%"))
        .iter()
        .filter_map(|line| {
            line.split(' ').find(|word| word.starts_with("seed=")).map(str::to_string)
        })
        .collect();
    assert_ne!(seeds[0], seeds[1]);
    for wrong in ["0%", "1", "101%", "-1%", "1.00001%", "%", "1.%", "+1%"] {
        let said = say(&format!("cert --sample={wrong}"), here);
        assert!(said.verdict.starts_with("s ERROR usage:"), "{wrong}: {said:?}");
    }
    for wrong in ["0/3", "4/3", "1", "a/b", "01/3", "1/1000001", "+1/3"] {
        let said = say(&format!("cert --shard {wrong}"), here);
        assert!(said.verdict.starts_with("s ERROR usage:"), "{wrong}: {said:?}");
    }
}

#[test]
fn a_certificate_is_made_again_from_what_it_says() {
    let prove_path = path("prove");
    let again = |here: &Path| {
        let prove = prove_path.to_str().unwrap();
        let output = run(&path("check"), &["reproduce", "cert", "--prove", prove], here);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for options in [
        "--game 4x4 --pieces 3 --leaf-nodes 3",
        "--game 6x4 --pieces 3 --leaf-nodes 40 --threshold 50 --increment 30",
        "--game 4x4 --pieces 2 --moves 1-3",
    ] {
        let root = certificate(options);
        let (status, said) = again(root.path());
        assert_eq!(
            (status, &*said),
            (Some(0), "The prover makes the same certificate.\n"),
            "{options}"
        );
    }
    // By something that makes nothing, or is not there.
    let root = certificate("--game 4x4 --pieces 2");
    for (program, why) in
        [("false", "s ERROR false: exit status: 1"), ("/nowhere", "s ERROR /nowhere: ")]
    {
        let said = check(&["reproduce", "cert", "--prove", program], root.path());
        assert!(said.verdict.starts_with(why) && said.status == Some(4), "{said:?}");
    }
    // What was not decided in time is not decided the next time.
    let root = tempfile::tempdir().unwrap();
    let few =
        "--game 6x4 --pieces 2 --leaf-nodes 20 --threshold 50 --max-nodes 200 --emit cert --quiet";
    let output = run(&prove_path, &words(few), root.path());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(again(root.path()).0, Some(0));
    // From a seed line, whatever has become of the file.
    let root = tempfile::tempdir().unwrap();
    let here = root.path();
    fs::write(here.join("seed.pdn"), "1. 1-3 7-5 *\n").unwrap();
    prove(
        &words("--game 4x4 --pieces 2 --leaf-nodes 3 --seed-line seed.pdn --emit cert --quiet"),
        here,
    );
    fs::remove_file(here.join("seed.pdn")).unwrap();
    assert_eq!(again(here).0, Some(0));

    // One that says that it was made with something else.
    let mut draft = Draft::read(&here.join("cert"));
    let right = draft.clone();
    let asked = |draft: &Draft, edit: &dyn Fn(&mut Request)| {
        let mut draft = draft.clone();
        let provenances = draft.parts.iter_mut().flat_map(|part| &mut part.provenance);
        provenances.for_each(|provenance| edit(&mut provenance.request));
        draft.write(&here.join("cert"));
        again(here)
    };
    let (status, said) = asked(&draft, &|request| request.leaf_nodes = 4);
    assert_eq!(status, Some(1));
    assert!(said.starts_with("The prover makes another one: "), "{said}");
    // Nor is more done than it claims, nor what the prover does if nobody says what,
    type Change = dyn Fn(&mut Request);
    let refused: [(&str, &Change); 8] = [
        ("another game", &|request| request.game = "6x6".into()),
        ("no game", &|request| request.game.clear()),
        ("another start", &|request| request.start = "B:W7,8:B1,3".into()),
        ("no start", &|request| request.start.clear()),
        ("more pieces", &|request| request.cover = Cover::up_to(4)),
        ("another clause", &|request| request.cover = Cover::parse("4:2").unwrap()),
        ("no database", &|request| request.cover = Cover::none()),
        // or a file written because a certificate asks for it.
        ("an option", &|request| request.game = "--emit=elsewhere".into()),
    ];
    for (what, edit) in refused {
        assert_eq!(asked(&draft, edit).0, Some(4), "{what}");
    }
    for (what, moves) in [("an option", vec!["--emit", "elsewhere"]), ("no move", vec!["1-8"])] {
        let moves: Vec<String> = moves.into_iter().map(String::from).collect();
        let (status, said) = asked(&draft, &|request| request.seed_line = moves.clone());
        assert_eq!(status, Some(4), "{what}: {said}");
    }
    assert!(!here.join("elsewhere").exists());
    // The prover says the same of both questions.
    draft.parts[1].provenance.as_mut().unwrap().request.leaf_nodes = 5;
    draft.write(&here.join("cert"));
    let (status, said) = again(here);
    assert_eq!(status, Some(1));
    assert!(said.contains("Provenance of WhiteNotLost"), "{said}");
    // What depends on timing is not made again.
    let mut free = right.clone();
    let resources = Resources { threads: 2, workers: 1, seconds: 60 };
    for provenance in free.parts.iter_mut().flat_map(|part| &mut part.provenance) {
        provenance.mode = Mode::FreeRunning(resources);
    }
    free.write(&here.join("cert"));
    assert_eq!(again(here).0, Some(4));
    // What is not there is not the same.
    right.write(&here.join("cert"));
    for object in fs::read_dir(here.join("cert/objects")).unwrap() {
        fs::write(object.unwrap().path(), "garbage").unwrap();
    }
    let (status, said) = again(here);
    assert!(status == Some(1) && said.starts_with("s REFUTED object-hash "), "{said}");
    let mut silent = right.clone();
    silent.parts.iter_mut().for_each(|part| part.provenance = None);
    silent.write(&here.join("cert"));
    assert_eq!(again(here).0, Some(4));
}
