//! Proofs whose searches are done by workers, through a real broker.

mod faults;
mod liars;
mod queue;
mod safety;
mod status;

use tests::prelude::*;

/// A proof of half a second, in 459 items.
const SMALL: Job<'_> = Job { game: "8x4", pieces: "4", leaf_nodes: "1000" };

/// A proof that is long enough to be killed in the middle.
const LONG: Job<'_> = Job { game: "6x6", pieces: "4", leaf_nodes: "300" };
