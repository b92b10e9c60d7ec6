//! Builds a whole database within bounds on memory and disk: the order in which slices are solved,
//! the choice of slices in memory, and forecasts for larger databases.

mod count;
pub(crate) mod error;
pub(crate) mod extend;
pub(crate) mod forecast;
pub(crate) mod map;
mod memory;
pub(crate) mod pairs;
mod placement;
pub(crate) mod residency;
pub(crate) mod session;
mod share;
mod solve;
mod spill;
mod stopwatch;
