//! Whether the start, the nodes and the leaves of a question hold, given the values of a database.

mod leaf;
mod question;
mod tree;

pub(crate) use question::check;
pub(crate) use tree::Tree;
