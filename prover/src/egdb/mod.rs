//! Endgame databases: the value of every position with few pieces.

mod block;
mod build;
mod ensure;
mod kingless;
mod matrix;
mod resident;
mod sets;
mod slice;
mod solve;
pub mod stats;
mod store;
mod table;

pub use build::Builder;
pub use ensure::{default_pieces, ensure};
pub use resident::Database;
pub use slice::Slice;
pub use store::{Store, StoreError, UNFINISHED};
pub use table::{Table, Value};
