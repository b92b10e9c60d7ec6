//! The values in a slice file: `SPEC.md` §8.3. This module is not in the trusted base of `check`.
//!
//! Theorem: whatever this module hands out, `check` accepts no value that it would not accept
//! otherwise. Its output goes into a table, and there `derive::settle` of the checker holds every
//! single position against the value that follows from the rules: at the level *exact* from tables
//! that this module has not touched or that have been settled before, at *consistent* from the
//! values of the successors, which are held against theirs. `derive::settle` knows by itself which
//! positions are quiet, and looks at the others too. So wrong values are found wrong, and values
//! that are not handed out count as draws; and right values are right wherever they come from.
//! Tables that a shard takes for granted rest on other shards, which verified what this module
//! hands out for the same files, and notes have their digests: so all that is required is that its
//! output is always the same. (A check that takes the word of notes for all values trusts it.)
//! There is no state, and no `unsafe`; a panic or an error ends the check.
//!
//! A mistake here could refute a right database, or accept as right other files than those that the
//! prover or another program decodes to the right values.
//!
//! Tests: in the core `derive/pairs.rs` fills tables with nonsense, `tests/all/reject_databases.rs`
//! has every quiet value of a small database wrong, one at a time, and `tests/common` writes
//! databases with an encoder of its own, position by position.

mod board;
mod kingsets;
mod layout;
mod units;

pub use board::Board;
pub use units::{Slice, Tables};
