//! The permanent corpus of format 1: every checker gives the verdicts that were given when it was
//! made.

use tests::prelude::*;
use tests::v1::{folder, judge, read};

fn says_what_was_said(checker: &Path) {
    let wrong = judge(&read(&folder()), &folder(), checker);
    assert!(wrong.is_empty(), "{}: {}", checker.display(), wrong.join("\n"));
}

#[test]
fn the_checker_repeats_its_verdicts() {
    says_what_was_said(&path("check"));
}

#[test]
#[ignore = "needs python3"]
fn the_reference_repeats_its_verdicts() {
    let reference = "../certificate-spec/reference/check.py";
    says_what_was_said(&Path::new(env!("CARGO_MANIFEST_DIR")).join(reference));
}

#[test]
fn kept_files_stay() {
    let kept = read(&folder());
    let is_folder = |entry: &fs::DirEntry| entry.file_type().unwrap().is_dir();
    let folders: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(is_folder)
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let names: BTreeSet<String> = kept.iter().map(|kept| kept.name.clone()).collect();
    assert_eq!(names, folders);
    assert!(folders.len() >= 25, "{}", folders.len());
    for status in [0, 1, 2, 3, 5] {
        let with = kept.iter().filter(|kept| kept.said.status == Some(status)).count();
        assert!(with > 0, "none with status {status}");
    }
    let bytes: usize = read_all(&folder()).values().map(Vec::len).sum();
    assert!(bytes < 500_000, "{bytes}");
}
