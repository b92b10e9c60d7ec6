//! Checks in parts: shards, samples, journals, and notes of what others have checked.
//!
//! The core says what it has looked at ([`checker_core::Looked`]); this crate chooses what is
//! looked at and words it ([`Statement`]). It is trusted by those who go by shards, samples,
//! journals and notes, and by nobody else: a whole check without any of them is a verdict of the
//! core.
//!
//! * [`Shard`], [`Sample`] and the selections: what of the work is done.
//! * [`TableFolder`]: how shards hand tables to one another. Nobody trusts it.
//! * [`Journal`]: what has been verified before, as trusted as its file.
//! * [`Note`], [`Notes`], [`keys`]: what somebody says that a check has said, and joining that.
#![forbid(unsafe_code)]

mod cover;
mod describe;
mod journal;
mod merge;
mod notes;
mod sample;
mod selection;
mod shard;
mod source;
mod statement;
mod tables;

pub use certificate_notes::{Note, keys, one_line};
pub use describe::Description;
pub use journal::Journal;
pub use merge::{Joined, Notes};
pub use notes::{Draft, is_among};
pub use sample::Sample;
pub use selection::{AllSlices, Everything, SampleSelection, ShardSelection, Work, below};
pub use shard::Shard;
pub use statement::{Extent, Statement, TrustedDatabase, Unseen, Values, check, check_database};
pub use tables::{TableDigest, TableFolder, both, of_list};
