//! The target of `tests/fuzz/` for lines of Hub without any fuzzing: on the inputs that are kept
//! there, and on parts of those that fuzzing begins with. The allocator counts, so the bound on
//! memory holds here, too.

#[path = "../../tests/fuzz/src/counting.rs"]
mod counting;
#[path = "../../tests/fuzz/src/hub.rs"]
mod hub;

use std::fs;
use std::path::PathBuf;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// Where inputs are kept.
fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/corpus/hub")
}

/// One test, because what another allocates meanwhile would count.
#[test]
fn nothing_is_found_again() {
    let kept = fs::read_dir(corpus()).unwrap();
    let kept: Vec<Vec<u8>> = kept.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    // The corpus itself must not get lost.
    assert!(kept.len() >= 20);
    kept.iter().chain(&hub::seeds()).for_each(|input| hub::run(input));
    for seed in hub::seeds() {
        (0..seed.len()).for_each(|at| {
            hub::run(&seed[at..]);
            hub::run(&seed[..at]);
        });
    }
}

#[test]
#[ignore = "writes inputs to begin with, for `tests/fuzz/run`"]
fn seeds() {
    fs::create_dir_all(corpus()).unwrap();
    for (i, seed) in hub::seeds().into_iter().enumerate() {
        fs::write(corpus().join(format!("seed-{i}")), seed).unwrap();
    }
}
