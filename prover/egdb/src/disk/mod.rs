//! The files of a database, and the figures noted beside them.

pub(crate) mod figures;
pub(crate) mod store;
