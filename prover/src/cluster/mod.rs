//! Builds a database on a cluster: divides slices into tasks, orders tasks in steps that may run in
//! parallel, limits their memory and time, and moves slices between machines.

mod scripts;
mod slice_store;
mod steps;

pub use scripts::{Program, script_steps};
pub use slice_store::{SliceStore, SliceStoreError};
pub use steps::{BuildStep, BuildTask, build_steps};
