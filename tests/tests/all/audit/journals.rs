//! The number of pairs that a journal has spoken for is in the verdict, in notes, and in the
//! verdict on joined notes.

use super::*;

/// Removes all but the first lines of a journal.
fn cut(journal: &Path, lines: usize) {
    let text = fs::read_to_string(journal).unwrap();
    fs::write(journal, text.split_inclusive('\n').take(lines).collect::<String>()).unwrap();
}

#[test]
fn a_verdict_counts_the_pairs_that_a_journal_has_spoken_for() {
    let here = draw();
    for subject in ["cert", "--game 4x4"] {
        let whole = say(subject, &here);
        let _ = fs::remove_dir_all(here.join("j"));
        // Everything is verified in the first run, so its verdict has no such field.
        let check = || say(&format!("{subject} --journal j"), &here);
        assert_eq!(check(), whole);
        let again = check();
        assert_eq!(again.verdict.replacen(" journal=9/9", "", 1), whole.verdict);
        assert!(again.verdict != whole.verdict && again.status == Some(0), "{again:?}");
        cut(&here.join("j/journal"), 4);
        assert!(check().verdict.contains(" journal=3/9 "));
        // A check that comes to nothing leaves the journal as it was.
        let all = || fs::read_to_string(here.join("j/journal")).unwrap();
        let before = all();
        assert_eq!(say("nowhere --journal j --fresh", &here).status, Some(4));
        assert_eq!(say(&format!("{subject} --journal j --fresh --db no"), &here).status, Some(4));
        assert_eq!(all(), before);
        assert_eq!(say(&format!("{subject} --journal j --fresh"), &here), whole);
    }
}

#[test]
fn a_shard_counts_the_pairs_that_its_journal_has_spoken_for() {
    let here = draw();
    let check = || say("cert --shard 1/2 --journal s", &here);
    let [shard, again] = [check(), check()];
    let pairs = again.verdict.split(' ').find_map(|w| w.strip_prefix("journal=")).unwrap();
    let (believed, of) = pairs.split_once('/').unwrap();
    assert!(believed == of && of != "0" && of != "9", "{again:?}");
    let without = again.verdict.replacen(&format!(" journal={pairs}"), "", 1);
    assert_eq!((without, again.status), (shard.verdict, shard.status));
}

/// A certificate with a note that rests on a journal, and one about the database that does not.
fn noted() -> Place {
    let here = place();
    for text in [
        "cert --journal j",
        "cert --journal j --attest note --key alice",
        "--game 4x4 --attest plain --key alice",
    ] {
        assert_eq!(say(text, &here).status, Some(0), "{text}");
    }
    here
}

#[test]
fn notes_that_rest_on_a_journal_count_and_are_counted() {
    let here = noted();
    assert_eq!(field(&here, "note", "journal"), "9/9");
    let end = " by cover of 2 notes keys=1 checkers=draughtproof-check journals=1";
    accepted("cert note plain --keys trusted", end, &here);
}

#[test]
fn a_check_over_such_a_note_counts_it() {
    let here = noted();
    let said = say("cert --trust-db note --keys trusted --attest rest --key alice", &here);
    assert!(said.verdict.contains(" db-note-keys=1 db-note-journals=1 nodes="), "{said:?}");
    assert_eq!(said.status, Some(0));
    let said = merge("cert rest plain --keys trusted", &here);
    assert!(said.verdict.ends_with(" checkers=draughtproof-check"), "{said:?}");
}

#[test]
fn each_shard_has_a_journal_of_its_own() {
    let here = place();
    for (number, name) in [("1/2", "1"), ("2/2", "2")] {
        for attest in ["", &format!(" --attest shard-{name} --key alice")] {
            say(&format!("cert --shard {number} --journal j-{name}{attest}"), &here);
        }
    }
    accepted("cert shard-1 shard-2 --keys trusted", " journals=", &here);
}
