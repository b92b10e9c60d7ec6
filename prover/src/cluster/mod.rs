//! Building a database on a cluster: which slices are a task, which tasks may run side by side,
//! what each of them may use, and how slices get from one machine to the next.

mod scripts;
mod slice_store;
mod steps;

pub use scripts::{Program, script_steps};
pub use slice_store::{SliceStore, SliceStoreError};
pub use steps::{BuildStep, BuildTask, build_steps};
