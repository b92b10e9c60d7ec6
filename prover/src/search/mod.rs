//! Forward search: proofs of single positions by df-pn⁺.
//!
//! [`Search`] decides whether a side wins a position; what it has decided it can show by a
//! [`PackedStrategy`], which can be replayed without the search ([`Replay`]).

mod backup;
mod checkpoint;
mod closed_set;
mod dfpn;
mod estimate;
mod extract;
mod keys;
mod learned_estimate;
mod numbers;
mod path;
mod strategy;
mod table;

pub use checkpoint::Checkpoint;
pub use dfpn::{Probes, ProgressCallback, Search, SearchProgress};
pub use estimate::Goal;
pub use keys::KeyMap;
pub use numbers::{INFINITE, Outcome, ProofNumbers};
pub use strategy::{PackedStrategy, Replay, Strategy, StrategyError, suits};
