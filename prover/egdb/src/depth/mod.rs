//! The length of wins and losses: the *distance to conversion*.
//!
//! The depth of a win or a loss is the number of plies until the next capture, crowning or move of
//! a man that keeps the value, that move included, when the winner hurries and the loser delays. A
//! loss in which there is no move at all has depth 0; draws have none. Such moves are irreversible,
//! so a player that follows falling depths wins in the end, which the values alone do not ensure.
//!
//! Depths are kept beside the database and are no part of it (`DEPTH.md`). Those of a single block
//! can also be found from the values while a game is played ([`DepthFinder`]).

mod file;
mod rounds;

pub use file::Depths;
pub(crate) use file::{has_file, save};
pub use rounds::DepthFinder;
pub(crate) use rounds::{depths, memory};
