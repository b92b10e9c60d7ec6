//! Fuzzing of everything that `check` reads, of files of games, of lines of Hub, and of requests.
//! `docs/hardening.md` says what was tried, and how.
//!
//! Ordinary tests run all of it on the inputs that are kept: `checker/tests/fuzz.rs` runs
//! `targets`, `prover/game/tests/fuzz.rs` runs `games`, and `prover/serve/tests/fuzz.rs` runs `hub`
//! and `requests`.

pub mod counting;
pub mod games;
pub mod hub;
pub mod requests;
pub mod targets;

#[path = "../../../checker/tests/common/mod.rs"]
mod common;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// Runs the target with a name on an input.
pub fn run(name: &str, bytes: &[u8]) {
    match name {
        "games" => games::run(bytes),
        "hub" => hub::run(bytes),
        "requests" => requests::run(bytes),
        _ => targets::run(name, bytes),
    }
}
