//! How a check is cut into parts. This crate is *not* in the trusted base of a whole check.
//!
//! * [`Plan`] says which tables of values are in memory when. It is not trusted by anybody: `check` sees to it that
//!   its batches are all slices, whole pairs of one group each; where a move leads to a slice that has no table
//!   nothing is verified; and a table that comes back must have the digest of the one that was verified.
//! * [`Scope`], that is a [`Shard`] or a [`Sample`], says what of the work is done where only a part is wanted. A whole check
//!   has none. It is trusted by those who merge the notes of shards, or go by a sample: the verdict
//!   begins with `s VERIFIED SHARD` or `s SAMPLED`, has another exit status, and says what was looked at.
//! * [`Journal`] notes what has been verified. It is asked for with `--journal` alone, and as trusted as its file.
//! * [`agree()`] says which of these go together, and [`Progress`] is told how far a check has come.
//! * [`TableFolder`] is how shards hand tables to one another. Nobody trusts it.
#![forbid(unsafe_code)]

mod journal;
mod options;
mod plan;
mod progress;
mod tables;
mod work;

pub use journal::{GIVEN, Journal, Verified};
pub use options::{TrustedDatabase, agree};
pub use plan::Plan;
pub use progress::Progress;
pub use tables::{TableFolder, Words, both, of_list};
pub use work::{Sample, Scope, Shard, Size, Work, below};
