//! The proof tree above the leaf searches.
//!
//! [`Manager`] decides a position by searching frontier positions of a growing [`Tree`] with df-pn,
//! each within a budget of nodes. What decides the tree is exact whatever the order of searches
//! is, and the order does not depend on the number of threads.

mod manager;
mod tree;

pub use manager::{Manager, Verdict};
pub use tree::{Link, NodeId, Reason, Tree};
