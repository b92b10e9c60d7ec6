//! The number of pairs that a journal has spoken for is in the verdict, in notes, and in the
//! verdict on joined notes.

use std::fs;
use std::path::Path;

use tests::programs::{path, run};

use super::{certificate, field, merge, say};

/// A certificate with a database, and the key of alice, which is trusted.
fn place() -> tempfile::TempDir {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let keygen = run(&path("check"), &["keygen", "alice", "--key", "alice"], here);
    fs::write(here.join("trusted"), keygen.stdout).unwrap();
    root
}

/// Removes all but the first lines of a journal.
fn cut(journal: &Path, lines: usize) {
    let text = fs::read_to_string(journal).unwrap();
    fs::write(journal, text.split_inclusive('\n').take(lines).collect::<String>()).unwrap();
}

#[test]
fn what_a_journal_has_spoken_for_is_in_the_verdict() {
    let root = place();
    let here = root.path();
    for subject in ["cert", "--game 4x4"] {
        let whole = say(subject, here);
        let journal = here.join("j");
        let _ = fs::remove_file(&journal);
        // Everything was verified in this run, so the verdict has no such field.
        let check = || say(&format!("{subject} --journal j"), here);
        assert_eq!(check(), whole);
        let again = check();
        assert_eq!(again.status, Some(0));
        assert_eq!(again.verdict.replacen(" journal=9/9", "", 1), whole.verdict);
        assert_ne!(again.verdict, whole.verdict);
        cut(&journal, 4);
        assert!(check().verdict.contains(" journal=3/9 "));
        assert_eq!(say(&format!("{subject} --journal j --fresh"), here), whole);
    }
    // The verdict on a shard has the field, too, and keeps its status.
    let shard = say("cert --shard 1/2 --journal s", here);
    let again = say("cert --shard 1/2 --journal s", here);
    let pairs = again.verdict.split(' ').find_map(|w| w.strip_prefix("journal=")).unwrap();
    let (believed, of) = pairs.split_once('/').unwrap();
    assert!(believed == of && of != "0" && of != "9", "{again:?}");
    let without = again.verdict.replacen(&format!(" journal={pairs}"), "", 1);
    assert_eq!((without, again.status), (shard.verdict, shard.status));
}

#[test]
fn a_note_that_rests_on_a_journal_counts_and_is_counted() {
    let root = place();
    let here = root.path();
    assert_eq!(say("cert --journal j", here).status, Some(0));
    assert_eq!(say("cert --journal j --attest note --key alice", here).status, Some(0));
    assert_eq!(field(here, "note", "journal"), "9/9");
    assert_eq!(say("--game 4x4 --attest plain --key alice", here).status, Some(0));
    let said = merge("cert note plain --keys trusted", here);
    let end = " by cover of 2 notes keys=1 checkers=draughtproof-check journals=1";
    assert!(said.verdict.ends_with(end) && said.status == Some(0), "{said:?}");
    // The field is also there where such notes are trusted for a database.
    let said = say("cert --trust-db note --keys trusted --attest rest --key alice", here);
    assert!(said.verdict.contains(" db-note-keys=1 db-note-journals=1 nodes="), "{said:?}");
    assert_eq!(said.status, Some(0));
    let said = merge("cert rest plain --keys trusted", here);
    assert!(said.verdict.ends_with(" checkers=draughtproof-check"), "{said:?}");
    // Each shard has a journal of its own.
    for number in ["1/2", "2/2"] {
        let name = &number[..1];
        for attest in ["", &format!(" --attest shard-{name} --key alice")] {
            say(&format!("cert --shard {number} --journal j-{name}{attest}"), here);
        }
    }
    let said = merge("cert shard-1 shard-2 --keys trusted", here);
    assert!(said.verdict.contains(" journals="), "{said:?}");
    assert_eq!(said.status, Some(0), "{said:?}");
}
