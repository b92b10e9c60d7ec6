//! Building a whole database within bounds on memory and disk: which slices are solved in which
//! order, which stay in memory, and forecasts of what a larger database will take.

pub(crate) mod extend;
pub(crate) mod forecast;
pub(crate) mod residency;
