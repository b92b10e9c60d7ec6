//! Commands about endgame databases.

pub(crate) mod db;
pub(crate) mod plan;
pub(crate) mod probe;
pub(crate) mod stats;

mod build;
mod exchange;
mod slice;
mod tables;
