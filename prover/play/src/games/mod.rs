//! Games that were played: lists of them, and annotations of their moves.
//!
//! [`annotate()`] searches every position of a game and writes better play beside each mistake. A
//! move is a *mistake* if a better one is found; it is a *proved* mistake if both values are
//! proved, by the database or by a search that ends in the database or in positions without moves,
//! so that the move gives half a point or a whole one away.

mod annotate;
mod judge;
mod replay;

pub use annotate::{Annotated, AnnotatedRow, MISTAKE_COLUMNS, Mistake, annotate, mistake_tsv};
pub use judge::{Judge, Source, Verdict};
pub use replay::{ReplayRow, Tally};
