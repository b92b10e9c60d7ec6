//! Forward search: proofs of single positions.

mod checkpoint;
mod closed;
mod dfpn;
mod lessons;
mod strategy;
mod table;

pub use checkpoint::Checkpoint;
pub use dfpn::{KeyMap, Outcome, Search, Watch, estimate, known};
pub use strategy::{Replay, Strategy, StrategyError, pack, suits};
pub use table::INFINITE;
