//! Building a database on a cluster: which slices are a task, which tasks may run side by side, and
//! what each of them may use.

mod scripts;
mod steps;

pub use scripts::{Program, script_steps};
pub use steps::{BuildStep, BuildTask, build_steps};
