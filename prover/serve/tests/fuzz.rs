//! The targets of `tests/fuzz/` for lines of Hub and for requests, run without a fuzzer: on the
//! inputs that are kept there, and on parts of the seeds of fuzzing. The allocator counts, so the
//! bounds on memory are tested, too.

#[path = "../../../tests/fuzz/src/counting.rs"]
mod counting;
#[path = "../../../tests/fuzz/src/hub.rs"]
mod hub;
#[path = "../../../tests/fuzz/src/requests.rs"]
mod requests;

use std::path::PathBuf;
use std::{env, fs};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// A target: its name, the function that runs an input, and the seeds.
type Target = (&'static str, fn(&[u8]), fn() -> Vec<Vec<u8>>);

const TARGETS: [Target; 2] =
    [("hub", hub::run, hub::seeds), ("requests", requests::run, requests::seeds)];

/// The directory of the kept inputs.
fn corpus(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus").join(name)
}

/// There is only one test, because allocations of another one at the same time would be counted.
#[test]
fn nothing_is_found_again() {
    if env::var_os("WRITE_SEEDS").is_some() {
        write_seeds();
    }
    for (name, run, seeds) in TARGETS {
        let kept = fs::read_dir(corpus(name)).unwrap();
        let kept: Vec<Vec<u8>> =
            kept.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
        // The corpus itself must not be lost.
        assert!(kept.len() >= 20, "{name}");
        kept.iter().chain(&seeds()).for_each(|input| run(input));
        for seed in seeds() {
            (0..seed.len()).for_each(|at| {
                run(&seed[at..]);
                run(&seed[..at]);
            });
        }
    }
}

/// Writes inputs to begin with, for `tests/fuzz/run seeds`.
fn write_seeds() {
    for (name, _, seeds) in TARGETS {
        fs::create_dir_all(corpus(name)).unwrap();
        for (i, seed) in seeds().into_iter().enumerate() {
            fs::write(corpus(name).join(format!("seed-{i}")), seed).unwrap();
        }
    }
}
