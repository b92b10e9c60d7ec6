//! Values in memory: the table of a slice, all tables of a database, the bounded cache of decoded
//! units, and counts of values.

pub(crate) mod files;
pub(crate) mod resident;
pub mod stats;
pub(crate) mod table;
