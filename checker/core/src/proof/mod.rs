//! Whether the start, the nodes and the leaves of a question hold, given the values of a database.

mod leaf;
mod positions;
mod question;
mod tree;

pub use leaf::replay;
pub use positions::Positions;
pub(crate) use question::{check, note};
pub use tree::{Lookup, Tree};
