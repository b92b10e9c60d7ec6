//! Fuzzes the target that the environment variable `FUZZ_TARGET` names.
#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<String> = LazyLock::new(|| {
    std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET: expected the name of a target, found none")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::run(&TARGET, bytes));
