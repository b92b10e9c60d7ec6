//! Builds a database on a cluster: divides slices into tasks, orders tasks in steps that may run in
//! parallel, and limits their memory and time.

mod scripts;
mod steps;

pub use scripts::{Program, script_steps};
pub use steps::{BuildStep, BuildTask, build_steps};
