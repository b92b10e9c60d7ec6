//! The format as a Python program, `certificate-spec/reference`, compared with the corpora and
//! `check`.

use std::sync::atomic::AtomicUsize;
use tests::prelude::*;

use tests::corpus::{Case, build};

/// Python takes a quarter of a minute for the values of this board's database, which eight cases
/// need.
const LARGE: &str = "6x6";
/// Of the cases in which it comes to values these suffice: one that is right and one that is not.
const KEPT: [&str; 2] = ["accept-units", "unit-1-win-called-a-loss"];

fn takes_long(case: &Case) -> bool {
    let words = &case.expected.words;
    let values = words.starts_with("VERIFIED") || words.starts_with("REFUTED slice-value");
    values && case.arguments.iter().any(|a| a == LARGE) && !KEPT.contains(&&*case.name)
}

#[test]
#[ignore = "needs python3"]
fn the_reference_agrees() {
    let python = Command::new("python3").arg("--version").output();
    assert!(python.is_ok_and(|output| output.status.success()), "python3 is needed here");
    let reference = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reference = reference.join("../certificate-spec/reference/check.py");

    let root = tempfile::tempdir().unwrap();
    let (left_out, cases): (Vec<_>, Vec<_>) = build(root.path()).into_iter().partition(takes_long);
    let names: Vec<_> = left_out.iter().map(|case| &*case.name).collect();
    println!("{} cases; {} left out: {}", cases.len(), names.len(), names.join(", "));
    assert!(cases.len() > 250 && names.len() <= 6, "{names:?} left out of {}", cases.len());

    let compare = |case: &Case| {
        let result = case.judge(&reference).and_then(|theirs| {
            // All counts and offsets are compared, also those that the corpora do not require.
            let Some(ours) = case.in_process(&[]).map(|check| check()) else { return Ok(()) };
            let same = ours.normative() == theirs.normative();
            if same { Ok(()) } else { Err(format!("{ours:?} and {theirs:?}")) }
        });
        result.err().map(|e| format!("{}: {e}", case.name))
    };
    // Nearly all of the time is Python's, which uses one core.
    let next = AtomicUsize::new(0);
    let work = || {
        let cases = std::iter::from_fn(|| cases.get(next.fetch_add(1, Relaxed)));
        cases.filter_map(compare).collect::<Vec<_>>()
    };
    let wrong = thread::scope(|scope| {
        let workers = [(); 2].map(|()| scope.spawn(work));
        workers.map(|worker| worker.join().expect("no panic")).concat()
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
