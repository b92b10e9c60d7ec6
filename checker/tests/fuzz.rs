//! The targets of `tests/fuzz/` without any fuzzing: on the inputs that are kept there, and on some
//! whose fields are absurd. The allocator counts, so the bounds on memory that the targets look at
//! hold here, too.

mod common;
#[path = "../../tests/fuzz/src/counting.rs"]
mod counting;
#[path = "../../tests/fuzz/src/targets/mod.rs"]
mod targets;

use std::path::{Path, PathBuf};
use std::{env, fs};
use targets::{ALL, Target, run};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// There is one test, because the allocations of another would count.
#[test]
fn nothing_is_found_again() {
    if env::var_os("WRITE_SEEDS").is_some() {
        write_seeds();
    }
    kept_inputs();
    absurd_fields();
}

/// The folder of the inputs kept for a target.
fn corpus(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/corpus").join(target.name)
}

/// Writes inputs to begin with, for `tests/fuzz/run seeds`.
fn write_seeds() {
    for target in ALL {
        fs::create_dir_all(corpus(&target)).unwrap();
        for (i, seed) in (target.seeds)().into_iter().enumerate() {
            fs::write(corpus(&target).join(format!("seed-{i}")), seed).unwrap();
        }
    }
}

fn kept_inputs() {
    for target in ALL {
        let kept = fs::read_dir(corpus(&target)).unwrap();
        let kept = kept.map(|entry| fs::read(entry.unwrap().path()).unwrap());
        let kept: Vec<Vec<u8>> = kept.chain((target.seeds)()).collect();
        // The corpus itself must not get lost.
        assert!(kept.len() >= 20, "{}", target.name);
        kept.iter().for_each(|input| run(target.name, input));
    }
}

/// Counts and lengths in heads that no file can satisfy, and files cut short.
fn absurd_fields() {
    for target in
        ALL.iter().filter(|t| ["manifest", "object", "provenance", "slice"].contains(&t.name))
    {
        for seed in (target.seeds)() {
            for at in 0..seed.len().min(160) {
                (target.run)(&seed[..at]);
                for absurd in [u64::MAX, 1 << 63, 1 << 40, 1 << 32, 0xffff_ffff, 0x1000_0000] {
                    let mut bytes = seed.clone();
                    let field = bytes.iter_mut().skip(at).zip(absurd.to_le_bytes());
                    field.for_each(|(byte, new)| *byte = new);
                    (target.run)(&bytes);
                }
            }
        }
    }
}
