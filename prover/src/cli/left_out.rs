//! The parts that this program was built without. Their options are understood, and the answer says
//! how to get a program that has them.

#[cfg(not(feature = "farm"))]
mod without_farm;

#[cfg(not(feature = "farm"))]
pub(crate) use without_farm::{SliceStore, run_farm, run_worker};

use crate::cli::failure::Failure;

/// The failure of a command that needs a feature which this program was built without.
fn left_out(what: &str, feature: &str) -> Failure {
    Failure::Input(format!(
        "{what}: expected a program with the feature {feature}, found one without it; `cargo build \
         --release --features full` builds one with all features"
    ))
}

#[cfg(not(feature = "serve"))]
pub(crate) fn run_server(_: super::serve::Options) -> Result<(), Failure> {
    Err(left_out("serve", "serve"))
}
