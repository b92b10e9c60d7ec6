//! Fuzzing of all that `check` reads, of files of games, of lines of Hub, and of requests.
//! `docs/hardening.md` tells what was tried, and how.
//!
//! `targets` are also run by an ordinary test, `checker/tests/fuzz.rs`, on the inputs that are
//! kept, `games` by `prover/game/tests/fuzz.rs`, and `hub` and `requests` by
//! `prover/tests/fuzz.rs`.

pub mod counting;
pub mod games;
pub mod hub;
pub mod requests;
pub mod targets;

#[path = "../../../checker/tests/common/mod.rs"]
mod common;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;
