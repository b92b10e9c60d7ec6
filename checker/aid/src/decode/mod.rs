//! The values in a slice file: `SPEC.md` §8.3. Nothing here is in the trusted base of `check`.
//!
//! Theorem: whatever comes out of here, `check` accepts no value that it would not accept
//! otherwise. What comes out goes into a table, and there `derive::settle` of the checker holds
//! every single position against the value that follows from the rules: at the level *exact* from
//! tables that nothing here has touched or that have been settled before, at *consistent* from the
//! values of the successors, which are held against theirs. It knows by itself which positions are
//! quiet, and looks at the others too. So wrong values are found wrong, and values that are not
//! handed out count as draws; and right values are right wherever they come from. Tables of which
//! the values are not verified again (those that had to go for lack of memory, or that a shard
//! takes for granted) are compared with the digest of the verified table, or rest on somebody's
//! having verified what comes out here from the same files: so all that is asked for is that it is
//! always the same. There is no state, and no `unsafe`; a panic or an error ends the check.
//!
//! What a mistake here could do is to refute a right database, or to take other files for a right
//! one than those that the prover or anybody else takes for it.
//!
//! Tests: in the checker `derive.rs` fills tables with nonsense, `tests/all/reject_databases.rs`
//! has every quiet value of a small database wrong, one at a time, and `tests/common` writes
//! databases with an encoder of its own, position by position.

mod board;
mod kingsets;
mod layout;
mod units;

pub use board::Board;
pub use units::{Slice, Tables};
