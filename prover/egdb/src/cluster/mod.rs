//! Builds a database on a cluster: divides slices into tasks, orders tasks in steps that may run in
//! parallel, and limits their memory and time.

mod scripts;
mod slurm;
mod steps;

pub use scripts::{Program, script_steps};
pub use slurm::{Limits, Step, require_new, write};
pub use steps::{BuildStep, BuildTask, build_steps};
