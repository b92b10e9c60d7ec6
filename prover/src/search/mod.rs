//! Forward search: proofs of single positions.

mod dfpn;
mod strategy;

pub use dfpn::{INFINITE, KeyMap, Outcome, Search, estimate, known};
pub use strategy::{Replay, Strategy, StrategyError, pack, suits};
