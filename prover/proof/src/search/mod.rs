//! Forward search: proofs of single positions by df-pn⁺.
//!
//! [`Search`] decides whether a side wins a position; what it has decided it can show by a
//! [`PackedStrategy`], which can be replayed without the search ([`Replay`]).

mod checkpoint;
mod closed_set;
mod descent;
mod dfpn;
mod estimate;
mod extract;
mod learned_estimate;
mod numbers;
mod path;
mod position_set;
mod slot;
mod strategy;
mod table;
mod threads;

pub use checkpoint::Checkpoint;
pub use descent::{Probes, ProgressCallback, SearchProgress};
pub use dfpn::Search;
pub use estimate::{Goal, Lemmas, Oracle, StrategyPosition};
pub use numbers::{INFINITE, Outcome, ProofNumbers};
pub use position_set::{PositionMap, PositionSet};
pub use slot::KeyMap;
pub use strategy::{PackedStrategy, Replay, Strategy, StrategyError, suits};
