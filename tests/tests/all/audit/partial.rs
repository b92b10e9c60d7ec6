//! A check that looks at a part, or takes something for granted, never has status 0. (`agree`,
//! beside `check-verified`, tries the same for that checker.)

use super::*;
use tests::v1::folder;

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
