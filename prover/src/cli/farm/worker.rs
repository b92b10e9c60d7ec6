//! `prove worker`.

#[cfg(feature = "farm")]
mod run;

use clap::Args;

use super::options::{LoginOptions, ObjectsOption};
use crate::cli::options::{DatabaseOption, MachineOptions, ValuesOptions};

#[cfg(not(feature = "farm"))]
pub(crate) use crate::cli::left_out::run_worker as run;
#[cfg(feature = "farm")]
pub(crate) use run::run;

#[derive(Args, Debug)]
#[command(after_help = "Example:
  nats-server -js -a 127.0.0.1                                the broker
  prove --farm nats://127.0.0.1:4222 --emit cert              the manager, of any proof
  prove worker --farm nats://127.0.0.1:4222 --threads 1       a worker, and another

Takes items of all jobs whose database is in --db, with the same root; of the others it says what is missing. \
A broker or a manager may come later, and go and come again. Ctrl-C and SIGTERM give back what is not done; \
exit status 0. docs/proving.md says which permissions a worker needs.")]
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
