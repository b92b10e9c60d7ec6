//! Checks in parts: shards, samples, journals, and notes of what others have checked.
//!
//! The core says what it has looked at ([`checker_core::PartReport`]); this crate chooses what is
//! looked at and words the result ([`Statement`]). A user who goes by shards, samples, journals or
//! notes has to trust this crate; a whole check without any of them does not depend on it, and is a
//! verdict of the core.
//!
//! * [`Shard`], [`Sample`] and the selections: which part of the work is done.
//! * [`TableFolder`]: how shards hand tables to one another, which is not trusted; and a journal of
//!   what has been verified before, which is.
//! * [`Note`], [`Notes`], [`keys`]: signed statements of what a check has said, and joining them.
#![forbid(unsafe_code)]

mod cover;
mod describe;
mod merge;
mod notes;
mod program;
mod sample;
mod selection;
mod statement;
mod store;
mod tables;
mod trusted;

pub use certificate_notes::{Note, Shard, keys, one_line, without_lists};
pub use describe::Description;
pub use merge::{Joined, Notes};
pub use notes::{Draft, is_among};
pub use sample::Sample;
pub use selection::{Everything, SampleSelection, ShardSelection, Unseen, Work, below};
pub use statement::{Extent, Statement, Values, check, check_database};
pub use store::TableFolder;
pub use tables::{TableDigest, both, of_list};
pub use trusted::TrustedDatabase;
