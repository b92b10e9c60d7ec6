//! The files of a database, and the figures of its build.

pub mod atomic;
pub(crate) mod figures;
pub(crate) mod mapped;
pub(crate) mod read_at;
pub(crate) mod shared;
pub(crate) mod store;
pub(crate) mod table_files;
