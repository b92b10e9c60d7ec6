//! Trust in notes: for the values of a database, and in the notes of other checkers.

use std::os::unix::fs::PermissionsExt;

use super::*;
use certificate_spec::claim::Value;
use tests::draft::{database_manifest, write_objects};
use tests::notes;
use tests::v1::folder;

/// Expects the verdict on notes without keys to begin with these words, with status 5.
fn joined(text: &str, words: &str, here: &Path) {
    let said = merge(text, here);
    assert!(said.verdict.starts_with(&format!("s {words} ")), "{text}: {said:?}");
    assert_eq!(said.status, Some(5), "{text}: {said:?}");
}

/// A check of the database writes this note.
fn attest_database(options: &str, here: &Path) {
    let said = say(&format!("--game 4x4 {options}"), here);
    assert!(matches!(said.status, Some(0 | 5)), "{said:?}");
}

#[test]
fn the_database_and_the_rest_may_be_in_notes_of_their_own() {
    let here = draw();
    attest_database("--attest db", &here);
    assert_eq!(say("cert --trust-db db --attest rest", &here).status, Some(5));
    for i in 1..=2 {
        attest_database(&format!("--shard {i}/2 --attest db-{i}"), &here);
    }
    let parts = shards(&here, 4, "rest", "--trust-db db");
    let (most, all) = (parts[..3].join(" "), parts.join(" "));
    for notes in ["db rest", "db-2 db-1 rest", &format!("db {all}"), &format!("db-1 db-2 {all}")] {
        joined(&format!("cert {notes}"), "VERIFIED", &here);
    }
    joined("--game 4x4 db-1 db-2", "VERIFIED", &here);
    for missing in ["db-1 rest", "db-2 rest", "db", &format!("db {most}"), &format!("db-1 {all}")] {
        refused(&format!("cert {missing}"), "DECLINED cover", &here);
    }
}

#[test]
fn each_shard_without_the_database_has_nodes_or_leaves() {
    let here = draw();
    attest_database("--attest db", &here);
    for note in shards(&here, 4, "rest", "--trust-db db") {
        let ranges = format!("{},{}", field(&here, &note, "nodes"), field(&here, &note, "leaves"));
        let ranges = ranges.split(',').map(|r| r[2..].split('/').next().unwrap());
        assert!(ranges.map(|r| r.split_once('-').unwrap()).any(|(a, b)| a != b), "{note}");
        assert!(field(&here, &note, "slices").starts_with("0-0/"), "{note}");
    }
}

#[test]
fn a_note_of_the_whole_says_nothing_of_tables() {
    let here = draw();
    attest_database("--attest db", &here);
    assert_eq!(say("cert --trust-db db --attest rest", &here).status, Some(5));
    let shard = &shards(&here, 2, "n", "")[1];
    let said = refused(&format!("cert db rest {shard}"), "DECLINED cover", &here);
    assert!(said.contains("which%20shards%20rest%20on"), "{said}");
}

#[test]
fn a_note_takes_the_place_of_no_file() {
    let here = place();
    let files = ["cert/CLAIM", "cert/MANIFEST", "egdb/4x4/MANIFEST", "alice"];
    let before = files.map(|file| fs::read(here.join(file)).unwrap());
    let entries = fs::read_dir(&*here).unwrap().count();
    let new =
        ["cert/new", "cert/objects/new", "egdb/new", "egdb/4x4/new", "nowhere/new", "cert", "."];
    for file in files.iter().chain(&new) {
        let said = say(&format!("cert --attest {file} --key alice"), &here);
        assert!(said.verdict.starts_with("s ERROR ") && said.status == Some(4), "{file}: {said:?}");
    }
    assert_eq!(before, files.map(|file| fs::read(here.join(file)).unwrap()));
    // No temporary file is left.
    assert_eq!(fs::read_dir(&*here).unwrap().count(), entries);
    assert_eq!(say("cert", &here).status, Some(0));
}

#[test]
fn a_note_is_never_overwritten() {
    let here = place();
    assert_eq!(say("cert --attest note --key alice", &here).status, Some(0));
    let signed = fs::read(here.join("note")).unwrap();
    for again in ["cert --attest note", "cert --attest note --key alice"] {
        let said = say(again, &here);
        assert!(said.verdict.starts_with("s ERROR note: there is something already"), "{said:?}");
        assert_eq!(said.status, Some(4));
    }
    assert_eq!(fs::read(here.join("note")).unwrap(), signed);
}

#[test]
fn options_without_an_effect_are_refused() {
    let here = draw();
    for wrong in ["cert --pieces 2", "cert --keys key", "--game 4x4 --trust-db note"] {
        assert!(say(wrong, &here).verdict.starts_with("s ERROR usage:"), "{wrong}");
    }
}

#[test]
fn a_journal_is_not_among_what_is_checked() {
    let here = draw();
    for journal in ["cert/j", "cert/objects/j", "egdb/j", "egdb/4x4/j", "cert/../cert/j"] {
        let said = say(&format!("cert --journal {journal}"), &here);
        let error = format!("s ERROR {journal}: tables cannot be among what is checked");
        assert_eq!((said.verdict, said.status), (error, Some(4)));
        assert!(!here.join(journal).exists());
    }
}

#[test]
fn a_note_is_no_file_that_the_check_uses() {
    let here = draw();
    let error = |note: &str| {
        format!("s ERROR {note}: the check uses this; the note needs a file of its own")
    };
    // The journal may exist already or not.
    for _ in 0..2 {
        for note in ["journal", "./journal", "cert/../journal"] {
            let said = say(&format!("cert --journal journal --attest {note}"), &here);
            assert_eq!((said.verdict, said.status), (error(note), Some(4)));
        }
        assert_eq!(say("cert --journal journal", &here).status, Some(0));
    }
    assert_eq!(say("cert --journal journal --attest note", &here).status, Some(0));
    assert_eq!(say("cert --trust-db note --attest note", &here).verdict, error("note"));
}

/// A note is meant to be handed out.
#[test]
fn a_note_has_ordinary_permissions() {
    let here = draw();
    say("cert --attest note", &here);
    fs::write(here.join("file"), "").unwrap();
    let mode = |name: &str| fs::metadata(here.join(name)).unwrap().permissions().mode();
    assert_eq!(mode("note"), mode("file"));
}

#[test]
fn a_check_over_a_note_has_the_level_of_the_note() {
    let here = draw();
    assert!(!say("cert", &here).verdict.contains(" db-note="));
    for (level, options) in [("exact", ""), ("consistent", "--level consistent")] {
        attest_database(&format!("--attest {level} {options}"), &here);
        let said = say(&format!("cert --trust-db {level} --attest over-{level}"), &here);
        assert!(said.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{said:?}");
        assert!(said.verdict.contains(&format!(" db={level} ")), "{said:?}");
        assert!(said.verdict.contains(" db-note=") && said.status == Some(5), "{said:?}");
    }
    let said = merge("cert over-consistent consistent", &here);
    assert!(said.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{said:?}");
    assert!(said.verdict.contains(" db=consistent "), "{said:?}");
}

#[test]
fn a_check_over_a_signed_note_is_an_acceptance() {
    let here = place();
    attest_database("--attest signed --key alice", &here);
    attest_database("--attest unsigned", &here);
    let said = say("cert --trust-db signed --keys trusted", &here);
    assert!(said.verdict.contains(" db-note-keys=1") && said.status == Some(0), "{said:?}");
    let said = say("cert --trust-db unsigned --keys trusted", &here);
    assert!(said.verdict.starts_with("s DECLINED cover "), "{said:?}");
}

#[test]
fn a_check_over_a_note_does_not_cover_the_database() {
    let here = draw();
    attest_database("--attest db", &here);
    assert_eq!(say("cert --trust-db db --attest rest", &here).status, Some(5));
    refused("cert rest", "DECLINED cover", &here);
    assert!(say("cert --trust-db rest", &here).verdict.starts_with("s DECLINED cover "));
}

#[test]
fn a_check_over_a_note_still_needs_the_files_of_the_root() {
    let here = draw();
    attest_database("--attest db", &here);
    let slice = here.join("egdb/4x4/0-1-0-1");
    let mut bytes = fs::read(&slice).unwrap();
    bytes[20] ^= 1;
    fs::write(&slice, bytes).unwrap();
    let said = say("cert --trust-db db", &here);
    assert!(said.verdict.starts_with("s REFUTED slice-hash "), "{said:?}");
}

#[test]
fn a_consistent_database_alone_is_no_more_than_that() {
    let here = draw();
    let alone = say("--game 4x4 --level consistent --attest consistent", &here);
    let beginning = "s CONSISTENT DATABASE 4x4 pieces=3 db-root=";
    assert!(alone.verdict.starts_with(beginning) && alone.status == Some(5), "{alone:?}");
    let form = " format=1 rules=english-checkers-1 db=consistent ";
    assert!(alone.verdict.contains(form), "{alone:?}");
    // More notes of the same level do not raise it.
    for notes in ["consistent", "consistent consistent"] {
        joined(&format!("--game 4x4 {notes}"), "CONSISTENT DATABASE 4x4", &here);
    }
    attest_database("--attest exact", &here);
    joined("--game 4x4 consistent exact", "VERIFIED DATABASE 4x4", &here);
}

#[test]
fn a_draw_over_a_consistent_database_is_verified() {
    let here = draw();
    let over = say("cert --level consistent", &here);
    assert!(over.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{over:?}");
    assert_eq!(over.status, Some(0));
}

#[test]
fn a_win_needs_exact_values() {
    let here = certificate("--game 6x4 --pieces 3 --leaf-nodes 40");
    say("--game 6x4 --level consistent --attest consistent", &here);
    let said = say("cert --trust-db consistent", &here);
    assert!(said.verdict.starts_with("s DECLINED level ") && said.status == Some(3), "{said:?}");
    assert_eq!(say("--game 6x4 --attest exact", &here).status, Some(0));
    assert!(say("cert --trust-db exact --attest rest", &here).verdict.starts_with("s VERIFIED "));
    refused("cert rest consistent", "DECLINED", &here);
    joined("cert rest exact", "VERIFIED WHITE-WINS", &here);
}

/// A database with wrong values, a claim that only such a value makes hold, and a note about the
/// database that was written by hand: the verdict says who vouches, and is no acceptance.
#[test]
fn a_false_database_over_a_note_by_hand_is_no_acceptance() {
    let here = Place::empty();
    copy(&folder().join("database-consistent-and-wrong/egdb"), &here.join("egdb"));
    let root = database_manifest(&here.join("egdb/4x4")).root();
    let claim = Claim {
        game: "4x4".into(),
        start: "B:WK7,K8:BK1".into(),
        value: Value::WhiteWins,
        cover: Cover::up_to(3),
        database: Some(root),
    };
    write_objects(&here.join("cert"), claim.encode().as_bytes(), &[]);
    assert_eq!(say("cert", &here).status, Some(1));
    let form = format!("pieces=3 db-root={root} format=1 rules=english-checkers-1");
    let exact = format!("VERIFIED DATABASE 4x4 {form} db=exact slices=16 indices=2744");
    notes::write(&here.join("note"), &exact, None);
    for (more, words) in [("", "VERIFIED WHITE-WINS 4x4 "), (" --shard 1/1", "VERIFIED SHARD 1/1 ")]
    {
        let said = say(&format!("cert --trust-db note{more} --attest rest{}", more.len()), &here);
        assert!(said.verdict.starts_with(&format!("s {words}")), "{said:?}");
        assert!(said.verdict.contains(" db-note-keys=none "), "{said:?}");
        assert_eq!(said.status, Some(5), "{said:?}");
    }
    for notes in ["note rest0", "note rest12"] {
        let said = merge(&format!("cert {notes}"), &here);
        assert!(said.verdict.contains(" keys=none "), "{said:?}");
        assert_eq!(said.status, Some(5), "{said:?}");
    }
    // Such a note does not count where keys are asked for.
    fs::write(here.join("trusted"), keygen("alice", &here)).unwrap();
    let said = say("cert --trust-db note --keys trusted", &here);
    assert!(said.verdict.starts_with("s DECLINED cover "), "{said:?}");
}

/// A certificate with a note by `check`, `ours`, and one by the Python reference implementation,
/// `theirs`.
fn both_checkers() -> Place {
    let here = certificate("--game 4x4 --pieces 2 --leaf-nodes 3");
    let reference =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificate-spec/reference/check.py");
    let theirs = check_with(&reference, &words("cert --db egdb --attest theirs"), &here).unwrap();
    assert_eq!(say("cert --attest ours", &here), theirs);
    here
}

/// Expects notes to be enough, without keys, with these names of checkers at the end.
fn enough(notes: &str, checkers: &str, here: &Path) {
    let said = merge(&format!("cert {notes}"), here);
    assert!(said.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{notes}: {said:?}");
    assert!(said.verdict.ends_with(&format!(" checkers={checkers}")), "{notes}: {said:?}");
    assert_eq!(said.status, Some(5));
}

const CHECK: &str = "draughtproof-check";
const BOTH: &str = "draughtproof-check,draughtproof-reference";

#[test]
#[ignore = "needs python3"]
fn notes_of_different_checkers_are_merged() {
    let here = both_checkers();
    let ours = shards(&here, 2, "half", "").join(" ");
    enough("ours", CHECK, &here);
    enough("theirs", "draughtproof-reference", &here);
    enough("ours theirs", BOTH, &here);
    enough(&format!("theirs {ours}"), BOTH, &here);
    refused("cert half-1.note", "DECLINED cover", &here);
}

#[test]
fn a_checker_is_known_by_its_name_alone() {
    let here = draw();
    say("cert --attest ours", &here);
    let text = fs::read_to_string(here.join("ours")).unwrap();
    let line = text.lines().nth(2).unwrap();
    let write = |new: &str| fs::write(here.join("again"), text.replace(line, new)).unwrap();
    // A copy, another version or digest of the program, and names that are no plain words.
    for other in [
        line,
        "checker draughtproof-check 9.9.9 unknown",
        "checker Draughtproof-check 1 unknown",
        "checker draughtproof_check 1 unknown",
        "checker a,b 1 unknown",
        "checker a=b 1 unknown",
        "checker  1 unknown",
        "checker x%20y 1 unknown",
        "checker \u{e9} 1 unknown",
    ] {
        write(other);
        enough("ours again", CHECK, &here);
    }
    write("checker another 1 built by hand");
    enough("again ours", &format!("another,{CHECK}"), &here);
}

#[test]
fn only_checkers_of_signed_notes_are_named() {
    let here = place();
    assert_eq!(say("cert --attest signed --key alice", &here).status, Some(0));
    let said = merge("cert signed --keys trusted", &here);
    assert!(said.verdict.ends_with(&format!(" keys=1 checkers={CHECK}")), "{said:?}");
    assert_eq!(said.status, Some(0));
    let text = fs::read_to_string(here.join("signed")).unwrap();
    let text =
        text.split_once("\n\n").unwrap().0.replace("checker draughtproof-check", "checker x");
    fs::write(here.join("unsigned"), text + "\n").unwrap();
    assert_eq!(merge("cert signed unsigned --keys trusted", &here).verdict, said.verdict);
}
