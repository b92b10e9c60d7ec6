//! Fuzzing of all that `check` reads. `docs/hardening.md` tells what was tried, and how.
//!
//! `targets` are also run by an ordinary test, `checker/tests/fuzz.rs`, on the inputs that are kept.

pub mod counting;
pub mod targets;

#[path = "../../../checker/tests/common/mod.rs"]
mod common;
#[path = "../../../checker/cli/describe.rs"]
#[expect(dead_code)]
mod describe;
#[path = "../../../checker/cli/keys.rs"]
#[expect(dead_code)]
mod keys;
#[path = "../../../checker/cli/merge.rs"]
mod merge;
#[path = "../../../checker/cli/notes.rs"]
#[expect(dead_code)]
mod notes;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;
