//! `prove worker`.

#[cfg(feature = "farm")]
mod run;

#[cfg(not(feature = "farm"))]
pub(crate) use crate::cli::left_out::run_worker as run;
#[cfg(feature = "farm")]
pub(crate) use run::run;

use super::options::{LoginOptions, ObjectsOption};
use crate::cli::notes::notes;
use crate::cli::options::{DatabaseOption, MachineOptions, ValuesOptions};
use clap::Args;

#[derive(Args, Debug)]
#[command(after_help = notes("worker"))]
pub(crate) struct Options {
    /// The NATS broker, such as nats://host:4222; several with commas between
    #[arg(long, value_name = "URL")]
    farm: String,
    /// The name of this worker: letters, digits, `-` and `_` [default: host and process]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    login: LoginOptions,
    #[command(flatten)]
    objects: ObjectsOption,
    #[command(flatten)]
    db: DatabaseOption,
    #[command(flatten)]
    values: ValuesOptions,
    #[command(flatten)]
    machine: MachineOptions,
}
