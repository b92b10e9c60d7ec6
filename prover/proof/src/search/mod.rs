//! Forward search: proofs of single positions by df-pn⁺.
//!
//! [`Search`] decides whether a side wins a position; what it has decided it can show by a
//! [`PackedStrategy`], which can be replayed without the search ([`Replay`]).

mod backup;
mod checkpoint;
mod closed_set;
mod descent;
mod dfpn;
mod estimate;
mod extract;
mod key;
mod key_map;
mod learned_estimate;
mod lemmas;
mod logarithm;
mod numbers;
mod path;
mod position_set;
mod positions;
mod progress;
mod run;
mod shared_table;
mod slot;
mod strategy;
mod table;
mod threads;

pub use checkpoint::Checkpoint;
pub use dfpn::Search;
pub use estimate::{Goal, Oracle};
pub use key_map::KeyMap;
pub use lemmas::{Lemmas, StrategyPosition};
pub use numbers::{INFINITE, Outcome, ProofNumbers};
pub use position_set::{PositionMap, PositionSet};
pub use progress::{Probes, ProgressCallback, SearchProgress};
pub use strategy::{PackedStrategy, Replay, Strategy, StrategyError, suits};
