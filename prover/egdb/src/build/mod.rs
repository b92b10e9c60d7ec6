//! Building a whole database within bounds on memory and disk: which slices are solved in which
//! order, which stay in memory, and forecasts of what a larger database will take.

pub(crate) mod convert;
pub(crate) mod error;
pub(crate) mod extend;
pub(crate) mod forecast;
pub(crate) mod pairs;
pub(crate) mod residency;
pub(crate) mod session;
