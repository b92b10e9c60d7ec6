//! The corpora: every case gets its verdict for its reason, whatever the threads, the place of the
//! tables and the part that is checked. All checks are in this process, with an allocator that
//! counts: a wrong file costs hardly more memory than a right one, though files are read once more
//! to find the error that comes first. (`checker/tests/allocations.rs` has the inputs that are made
//! to cost much.) The program judges one case in ten.

#[path = "../fuzz/src/counting.rs"]
mod counting;

use tests::corpus::{Case, build};
use tests::prelude::*;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// There is one test, because the allocations of another would count.
#[test]
fn every_case_gets_its_verdict_for_its_reason() {
    let root = Scratch::empty();
    let cases = build(&root);
    let (mut right, mut wrong, mut with_a_database) = ((0, ""), (0, ""), 0);
    for (n, case) in cases.iter().enumerate() {
        let Some(check) = case.in_process(&["--threads", "1"]) else {
            case.judge(&path("check")).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            continue;
        };
        let (said, most) = counting::peak(check);
        case.expected.compare(&said).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let greatest = if said.status == Some(0) { &mut right } else { &mut wrong };
        *greatest = (most, &*case.name).max(*greatest);
        let with = |more: [&str; 2]| case.in_process(&more).expect("options")();
        for more in [["--threads", "2"], ["--threads", "16"], ["--memory", "0"]] {
            assert_eq!(with(more), said, "{} {more:?}", case.name);
        }
        if said.status == Some(1) && !case.arguments.iter().any(|word| word == "--level") {
            consistent(case, &said, &with(["--level", "consistent"]));
        }
        with_a_database += usize::from(said.verdict.contains(" db=exact "));
        parts(case, &said, with);
        if n % 10 == 0 || said.status == Some(4) {
            let program =
                case.judge(&path("check")).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            assert!(program == said || said.status == Some(4), "{}: {program:?}", case.name);
        }
    }
    assert!(
        wrong.0 <= right.0 + right.0 / 10 && right.0 < 4 << 20,
        "wrong: {wrong:?}, right: {right:?}"
    );
    // The corpora must not become empty by accident.
    let accepted = cases.iter().filter(|c| c.expected.status() == 0).count();
    assert!(accepted >= 10 && cases.len() - accepted >= 300, "{accepted} of {}", cases.len());
    assert!(with_a_database > 10, "{with_a_database}");
    lazy_checkers_are_detected(&cases, accepted);
}

/// The level consistent refutes by the same rule, but declines claims of wins over a database.
fn consistent(case: &Case, exact: &Said, said: &Said) {
    let rule = |said: &Said| said.verdict.split(' ').take(3).map(String::from).collect::<Vec<_>>();
    let is_declined = said.verdict.starts_with("s DECLINED level ");
    assert!(is_declined || rule(said) == rule(exact), "{}: {exact:?} {said:?}", case.name);
}

/// Shards and a sample of everything accept what a whole check accepts, and nothing else.
fn parts(case: &Case, whole: &Said, with: impl Fn([&str; 2]) -> Said) {
    let shards = ["1/3", "2/3", "3/3"].map(|shard| with(["--shard", shard]));
    let sample = with(["--sample", "100%"]);
    let (name, accepts) = (&case.name, |said: &Said| said.status == Some(5));
    if matches!(whole.status, Some(0 | 2 | 5)) {
        assert!(shards.iter().chain([&sample]).all(accepts), "{name}: {shards:?} {sample:?}");
        return;
    }
    assert!(!shards.iter().all(accepts), "{name}: {shards:?}");
    assert_eq!(sample.status, whole.status, "{name}: {sample:?}");
    // A shard finds the same rule, or one about the files that lead to it.
    let refutes = |said: &Said| said.status == Some(1);
    assert!(!refutes(whole) || shards.iter().any(refutes), "{name}: {shards:?}");
}

/// A test of the test: checkers that always accept or always reject, or do so without reasons, fail
/// it.
fn lazy_checkers_are_detected(cases: &[Case], accepted: usize) {
    let found_out = |verdict: &str, status| {
        let said = Said { verdict: verdict.into(), status: Some(status) };
        cases.iter().filter(|case| case.expected.compare(&said).is_err()).count()
    };
    assert!(found_out("s VERIFIED DRAW 4x4 start=initial", 0) >= cases.len() - accepted);
    assert!(found_out("s REFUTED object-hash file=MANIFEST", 1) > cases.len() - 5);
    assert_eq!(found_out("s VERIFIED", 0), cases.len());
    let silent = check_with(Path::new("echo"), &["verified"], Path::new("."));
    assert!(silent.is_err(), "{silent:?}");
}
