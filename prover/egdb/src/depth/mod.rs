//! How long wins and losses take: the *distance to conversion*.
//!
//! The depth of a win or a loss is the number of plies until the next capture, crowning or move of a man
//! that keeps the value, that move included, when the winner hurries and the loser delays. A loss in
//! which there is no move at all has depth 0; draws have none. Such moves never lead back, so whoever
//! follows falling depths wins in the end, which the values alone do not see to.
//!
//! Depths are kept beside the database and are no part of it (`DEPTH.md`).

mod file;
mod reader;
mod rounds;

pub(crate) use file::{has_file, save};
pub use reader::Depths;
pub(crate) use rounds::{depths, memory};
