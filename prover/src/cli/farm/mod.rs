//! `prove farm` and `prove worker`, and the options for the broker of a farm.

#[cfg(not(feature = "farm"))]
mod left_out;
#[cfg(feature = "farm")]
mod run;

#[cfg(feature = "farm")]
pub(crate) use draughtproof_farm::SliceStore;
#[cfg(not(feature = "farm"))]
pub(crate) use left_out::{SliceStore, run_farm, run_worker};
#[cfg(feature = "farm")]
pub(crate) use run::{run_farm, run_worker};

use std::path::PathBuf;

use crate::cli::options::notes;
use crate::cli::options::{DatabaseOption, MachineOptions, ValuesOptions};
use crate::cli::output::ResultFile;
use clap::{Args, Subcommand, ValueEnum};

#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Say how far the jobs of a broker are: items, workers, numbers of the roots.
    Status(StatusOptions),
}

/// The formats of counts.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum StatusFormat {
    /// Lines for people
    Text,
    /// One JSON object a job and line
    Json,
    /// Metrics as Prometheus reads them
    Prometheus,
}

#[derive(Args, Debug)]
#[command(after_help = notes("farm status"))]
struct StatusOptions {
    /// The NATS broker, such as nats://host:4222
    #[arg(long, value_name = "URL")]
    farm: String,
    #[command(flatten)]
    login: LoginOptions,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    format: StatusFormat,
    #[command(flatten)]
    file: ResultFile,
}

#[derive(Args, Debug)]
#[command(after_help = notes("worker"))]
pub(crate) struct WorkerOptions {
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

/// The options for the login at a broker.
#[derive(Args, Debug)]
pub(crate) struct LoginOptions {
    /// Credentials for the broker: a file as nsc writes it, with the seed of an nkey, or with a
    /// line user:password
    #[arg(long, value_name = "FILE")]
    farm_creds: Option<PathBuf>,
    /// Trust the broker if its certificate is by one of these authorities (PEM)
    #[arg(long, value_name = "FILE")]
    farm_ca: Option<PathBuf>,
    /// The certificate by which the broker knows this program (PEM)
    #[arg(long, value_name = "FILE", requires = "farm_key")]
    farm_cert: Option<PathBuf>,
    /// The key of that certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "farm_cert")]
    farm_key: Option<PathBuf>,
}

/// The option for the place of large results.
#[derive(Args, Debug)]
pub(crate) struct ObjectsOption {
    /// Results of more than 512 kB go through this object store, a directory that the manager and
    /// all workers share, or s3://bucket/prefix
    #[arg(long, value_name = "PLACE")]
    objects: Option<String>,
}

/// The options of a manager.
#[derive(Args, Debug)]
pub(crate) struct ManagerOptions {
    /// Have the searches done by `prove worker`, through the NATS broker at this address, such as
    /// nats://host:4222; several with commas between
    #[arg(long, value_name = "URL")]
    farm: Option<String>,
    #[command(flatten)]
    login: LoginOptions,
    #[command(flatten)]
    objects: ObjectsOption,
    /// Give an item to another worker when its worker has sent nothing about it for this time
    #[arg(long, value_name = "SECONDS", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..=3600))]
    lease: u32,
}

impl ManagerOptions {
    /// Whether the searches are done by workers of a farm.
    pub(crate) fn is_used(&self) -> bool {
        self.farm.is_some()
    }
}
