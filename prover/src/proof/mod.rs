//! The proof tree above the leaf searches.
//!
//! [`Manager`] decides a position by searching frontier positions of a growing [`Tree`] with df-pn,
//! each within a budget of nodes. What decides the tree is exact whatever the order of searches
//! is, and the order does not depend on the number of threads.

mod item;
mod manager;
mod queue;
mod store;
mod tree;
mod workers;

pub use item::{Answer, BadAnswer, Found, Ground, Guess, Item, unpack};
pub use manager::{IsStopped, Iteration, Manager, ProofError, Stop, Thresholds, Verdict};
pub use queue::{Lease, Queue};
pub use store::{Results, ResultsError};
pub use tree::{Link, NodeId, Reason, Tree};
pub use workers::Workers;
