//! What `check` needs and need not trust. A mistake in this crate can refute what is right, or end
//! a check with an error; it cannot make `s VERIFIED` of what is wrong. Each file says why at its
//! head.
//!
//! * [`decode`]: the values in slice files. The core holds every value against the rules
//!   afterwards.
//! * [`Plan`]: what of the tables of values is in memory when. The core sees to it that the batches
//!   are all slices, whole pairs of one group each; where a move leads to a value that is not in
//!   memory nothing is verified; and what comes back must have the digest of what was verified.
//! * [`Progress`]: how far a check has come. Nothing that is decided depends on it.
#![forbid(unsafe_code)]

pub mod decode;
mod plan;
mod progress;

pub use plan::{Layer, Plan, Step, needs};
pub use progress::Progress;
