//! `prove farm`.

#[cfg(feature = "farm")]
mod status;

#[cfg(not(feature = "farm"))]
pub(crate) use super::left_out::run_farm as run;
#[cfg(feature = "farm")]
pub(crate) use status::run;

use crate::cli::notes::notes;
use crate::cli::output::ResultFile;
use clap::{Args, Subcommand, ValueEnum};
use options::LoginOptions;

pub(crate) mod options;
pub(crate) mod worker;

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
