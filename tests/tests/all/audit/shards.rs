//! All shards together are a whole check.
//!
//! A check that looks at a part, or takes something for granted, never has status 0. (`agree`,
//! beside `check-verified`, tries the same for that checker.)
//!
//! The number of pairs that a journal has spoken for is in the verdict, in notes, and in the
//! verdict on joined notes.

use super::*;
use tests::v1::folder;

#[test]
fn shards_together_are_the_whole() {
    for options in [
        "--game 4x4 --pieces 3 --leaf-nodes 3",
        "--game 6x4 --pieces 3 --leaf-nodes 40",
        "--game 4x4 --pieces 0 --leaf-nodes 1",
    ] {
        let here = certificate(options);
        let whole = say("cert", &here);
        assert_eq!(whole.status, Some(0), "{whole:?}");
        for of in [1, 2, 3, 16, 100] {
            let notes = shards(&here, of, "n", "");
            let said = merge(&format!("cert {}", notes.join(" ")), &here);
            let by = format!(" by cover of {of} notes keys=none checkers=draughtproof-check");
            assert_eq!((said.verdict, said.status), (whole.verdict.clone() + &by, Some(5)));
            // Each shard that has items is needed.
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
                let said = merge(&format!("cert {}", rest.join(" ")), &here);
                assert!(said.verdict.starts_with("s DECLINED cover "), "{left_out}: {said:?}");
                assert_eq!(said.status, Some(3));
            }
        }
        // Shards of different numbers of shards, at different levels where no win is claimed.
        let (three, five) =
            (shards(&here, 3, "three", ""), shards(&here, 5, "five", "--threads 4"));
        let said = merge(&format!("cert {} {} {}", three[0], three[1], five[4]), &here);
        assert!(said.verdict.starts_with("s DECLINED cover ") || said.status == Some(5));
        let said = merge(&format!("cert {} {} {} {}", three[0], three[1], five[3], five[4]), &here);
        assert_eq!(said.status, Some(5), "{said:?}");
    }
}

/// Changes a field of a note.
fn with_field(here: &Path, note: &str, name: &str, value: &str) -> String {
    let text = fs::read_to_string(here.join(note)).unwrap();
    let old = format!(" {name}={}", field(here, note, name));
    text.replacen(&old, &format!(" {name}={value}"), 1)
}

#[test]
fn what_shards_say_of_tables_must_agree() {
    let here = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let notes = shards(&here, 16, "n", "");
    let wrong = "0123456789abcdef".repeat(4);
    let refused = |note: &str, text: String, expected: &str| {
        fs::write(here.join("edited"), text).unwrap();
        let all = notes.iter().map(|n| if n == note { "edited" } else { n });
        let said = merge(&format!("cert {}", all.collect::<Vec<_>>().join(" ")), &here);
        assert!(said.verdict.starts_with("s DECLINED disagreement "), "{note}: {said:?}");
        assert!(said.verdict.contains(expected), "{note}: {said:?}");
    };
    // Two notes that verify the same slice, with different digests of its table.
    let tables = field(&here, &notes[0], "tables");
    let tables = format!("{wrong}{}", &tables[wrong.len()..]);
    let text = with_field(&here, &notes[0], "tables", &tables);
    fs::write(here.join("other"), text).unwrap();
    let said = merge(&format!("cert other {}", notes.join(" ")), &here);
    assert!(said.verdict.starts_with("s DECLINED disagreement "), "{said:?}");
    assert!(said.verdict.contains("as%20the%20digest%20of"), "{said:?}");
    // The notes that take tables for granted and have slices, those that take some and have none,
    // and those that take none.
    let mut seen = [0; 3];
    for note in &notes {
        let slices = field(&here, note, "slices");
        let (range, of) = slices.split_once('/').unwrap();
        let (start, end) = range.split_once('-').unwrap();
        if field(&here, note, "given-tables") == "none" {
            let text = with_field(&here, note, "given-tables", &wrong);
            refused(note, text, "given-tables=%20of%200%20slices");
            seen[2] += 1;
        } else {
            refused(note, with_field(&here, note, "given-tables", &wrong), "given-tables=");
            refused(note, with_field(&here, note, "given-tables", "none"), "given-tables=");
            seen[usize::from(start == end)] += 1;
        }
        // A range of another number of slices.
        let fewer = format!("{range}/{of}0");
        let text = with_field(&here, note, "slices", &fewer);
        let text =
            text.replacen(&format!("/{of} given-tables"), &format!("/{of}0 given-tables"), 1);
        refused(note, text, &format!("slices=%20of%20{of}"));
    }
    assert!(seen.iter().all(|&n| n > 0), "{seen:?}");
}

/// Runs a checker in a folder of `corpus/v1`, and compares the status and the first words.
fn expect(checker: &Path, name: &str, arguments: &str, status: i32, words: &str) {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let said = check_with(checker, &arguments, &folder().join(name)).unwrap();
    let right = said.status == Some(status) && said.verdict.starts_with(&format!("s {words} "));
    assert!(right, "{name}, {arguments:?}: expected {status} and {words}, found {said:?}");
}

/// Cases that both checkers know: an Assumed node, and a database whose values may be consistent
/// and wrong.
fn expect_of_both(checker: &Path) {
    expect(checker, "conditional", "cert", 2, "CONDITIONAL");
    let alone = "--game 4x4 --level consistent";
    expect(checker, "database", alone, 5, "CONSISTENT DATABASE 4x4");
}

#[test]
fn no_part_of_a_check_has_status_0() {
    let check = path("check");
    expect_of_both(&check);
    for whole in ["draw-over-a-database", "draw-of-leaves", "win-with-ranks"] {
        for shard in ["1/1", "1/3", "3/3", "50/50"] {
            let words = format!("VERIFIED SHARD {shard}");
            expect(&check, whole, &format!("cert --shard {shard}"), 5, &words);
        }
        for share in ["100%", "10%", "0.001%"] {
            expect(&check, whole, &format!("cert --sample {share}"), 5, "SAMPLED");
        }
    }
    for shard in ["1/1", "2/3"] {
        let words = format!("VERIFIED SHARD {shard} DATABASE");
        expect(&check, "database", &format!("--game 4x4 --shard {shard}"), 5, &words);
    }
    expect(&check, "database", "--game 4x4 --sample 100%", 5, "SAMPLED DATABASE");
}

#[test]
#[ignore = "needs python3"]
fn no_part_of_a_check_by_the_reference_has_status_0() {
    let reference: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificate-spec/reference/check.py");
    expect_of_both(&reference);
}

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
