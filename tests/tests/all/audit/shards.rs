//! All shards together are a whole check.

use super::*;

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
