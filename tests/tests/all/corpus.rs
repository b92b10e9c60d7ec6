//! The corpora: every case gets its verdict for its reason. Two tests of this test: checkers that
//! always accept or always reject fail it.

use std::path::{Path, PathBuf};

use tests::corpus::{Case, build, judge};
use tests::programs;

fn cases() -> (tempfile::TempDir, Vec<Case>) {
    let root = tempfile::tempdir().unwrap();
    let cases = build(root.path());
    (root, cases)
}

#[test]
fn verdicts_and_reasons() {
    let (_root, cases) = cases();
    let wrong = judge(&cases, &programs::path("check"));
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    // The corpora must not become empty by accident.
    let accepted = cases.iter().filter(|c| c.expected.status() == 0).count();
    assert!(accepted >= 10 && cases.len() - accepted >= 100, "{accepted} of {}", cases.len());
}

#[test]
fn threads_do_not_change_verdicts() {
    let (_root, cases) = cases();
    let check = programs::path("check");
    for case in &cases {
        let verdict = |threads: &str| {
            let arguments = case.arguments.iter().map(String::as_str);
            let arguments: Vec<&str> = arguments.chain(["--threads", threads]).collect();
            programs::check_with(&check, &arguments, &case.directory)
        };
        let one = verdict("1");
        assert_eq!(one, verdict("2"), "{}", case.name);
        assert_eq!(one, verdict("16"), "{}", case.name);
    }
}

/// Tables may be in memory or in a file.
#[test]
fn memory_does_not_change_verdicts() {
    let (_root, cases) = cases();
    let check = programs::path("check");
    let mut with_a_database = 0;
    for case in &cases {
        let arguments: Vec<&str> = case.arguments.iter().map(String::as_str).collect();
        if arguments.contains(&"--memory") {
            continue;
        }
        let [all, none] = [&[][..], &["--memory", "0"]].map(|more| {
            programs::check_with(&check, &[&arguments[..], more].concat(), &case.directory)
        });
        assert_eq!(none, all, "{}", case.name);
        with_a_database += usize::from(all.is_ok_and(|said| said.verdict.contains(" db=exact ")));
    }
    assert!(with_a_database > 10, "{with_a_database}");
}

/// A checker that always prints the same verdict. These are files of the repository, because a
/// program that was just written cannot be started while a child of another thread holds it open.
fn parrot(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parrots").join(name)
}

#[test]
fn lazy_checkers_are_detected() {
    let (_root, cases) = cases();
    let good = cases.iter().filter(|c| c.expected.status() == 0).count();
    let accepts = parrot("accepts");
    let wrong = judge(&cases, &accepts);
    assert!(wrong.len() >= cases.len() - good, "an always-accepting checker gets through");
    let rejects = parrot("rejects");
    let wrong = judge(&cases, &rejects);
    assert!(wrong.len() >= good, "an always-rejecting checker gets through");
    assert!(wrong.len() > cases.len() - 5, "reasons and places are not compared");
    // Right statuses without reasons are not enough either.
    let silent = parrot("silent");
    assert_eq!(judge(&cases, &silent).len(), cases.len());
}
