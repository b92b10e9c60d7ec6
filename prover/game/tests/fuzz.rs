//! The target of `tests/fuzz/` for files of games, run without a fuzzer: on the inputs that are
//! kept there, and on parts of the seeds of fuzzing. The allocator counts, so the bound on memory
//! is tested, too.

#[path = "../../../tests/fuzz/src/counting.rs"]
mod counting;
#[path = "../../../tests/fuzz/src/games.rs"]
mod games;

use std::path::PathBuf;
use std::{env, fs};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// The directory of the kept inputs.
fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus/games")
}

/// There is only one test, because allocations of another one at the same time would be counted.
#[test]
fn nothing_is_found_again() {
    if env::var_os("WRITE_SEEDS").is_some() {
        write_seeds();
    }
    let kept = fs::read_dir(corpus()).unwrap();
    let kept: Vec<Vec<u8>> = kept.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    // The corpus itself must not be lost.
    assert!(kept.len() >= 20);
    kept.iter().chain(&games::seeds()).for_each(|input| games::run(input));
    for seed in games::seeds() {
        (0..seed.len()).for_each(|at| {
            games::run(&seed[at..]);
            games::run(&seed[..at]);
        });
    }
}

/// Writes inputs to begin with, for `tests/fuzz/run seeds`.
fn write_seeds() {
    fs::create_dir_all(corpus()).unwrap();
    for (i, seed) in games::seeds().into_iter().enumerate() {
        fs::write(corpus().join(format!("seed-{i}")), seed).unwrap();
    }
}
