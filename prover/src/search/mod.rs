//! Forward search: proofs of single positions.

mod dfpn;
mod strategy;

pub use dfpn::{KeyMap, Outcome, Search, estimate, known};
pub use strategy::{Replay, Strategy, StrategyError, suits};
