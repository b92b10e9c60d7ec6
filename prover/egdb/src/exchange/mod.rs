//! Exchanges databases with other machines and programs: directories with checksums and sizes, and
//! values of other programs.

mod compare;
mod error;
mod export;
mod import;
mod sums;

pub use compare::{Compared, Difference, compare_values};
pub use error::ExchangeError;
pub use export::{Exported, export};
pub use import::import;
