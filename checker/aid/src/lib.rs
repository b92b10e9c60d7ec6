//! Parts that `check` needs and need not trust. A mistake in this crate can refute a right
//! certificate, or end a check with an error; it cannot make `s VERIFIED` of a wrong one. The head
//! of each file says why.
//!
//! * [`decode`]: the values in slice files. The core holds every value against the rules
//!   afterwards.
//! * [`numbers`]: numbers as text. No decision depends on it.
//! * [`Progress`]: how far a check has come. No decision depends on it.
#![forbid(unsafe_code)]

pub mod decode;
pub mod numbers;
mod progress;

pub use progress::Progress;
