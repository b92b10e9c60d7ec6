//! What `check` needs and need not trust. A mistake in this crate can refute a right certificate,
//! or end a check with an error; it cannot make `s VERIFIED` of a wrong one. The head of each file
//! says why.
//!
//! * [`decode`]: the values in slice files. The core holds every value against the rules
//!   afterwards.
//! * [`Plan`]: which of the tables of values are in memory when. The core enforces that the batches
//!   are all slices, whole pairs of one group each; that nothing is verified where a move leads to
//!   a value that is not in memory; and that what comes back has the digest of what was verified.
//! * [`numbers`]: numbers as text. No decision depends on it.
//! * [`Progress`]: how far a check has come. No decision depends on it.
#![forbid(unsafe_code)]

pub mod decode;
pub mod numbers;
mod plan;
mod progress;

pub use plan::{Layer, Plan, Step};
pub use progress::Progress;
