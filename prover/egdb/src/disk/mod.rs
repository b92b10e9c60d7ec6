//! The files of a database, and the figures noted beside them.

pub mod atomic;
pub(crate) mod figures;
pub(crate) mod store;
pub(crate) mod version0;
