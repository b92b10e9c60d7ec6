//! `prove farm`.

use std::io::{self, Write};

use clap::{Args, Subcommand, ValueEnum};

use super::failure::Failure;
use super::farm_options::LoginOptions;
use super::stop::is_stopped;
use crate::farm::{Connection, prometheus};
use crate::progress::Progress;

#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Say how far the jobs of a broker are: items, workers, numbers of the roots.
    Status(StatusOptions),
}

/// How counts are printed.
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
#[command(after_help = "Examples:
  prove farm status --farm nats://host:4222
  prove farm status --farm nats://host:4222 --format prometheus >/var/lib/node_exporter/draughtproof.prom

Managers answer for their jobs; exit status 1 if none does within a second. What workers say of themselves is \
not verified.")]
struct StatusOptions {
    /// The NATS broker, such as nats://host:4222
    #[arg(long, value_name = "URL")]
    farm: String,
    #[command(flatten)]
    login: LoginOptions,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    format: StatusFormat,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    match &options.command {
        Command::Status(options) => status(options),
    }
}

fn status(options: &StatusOptions) -> Result<(), Failure> {
    let login = options.login.login(&options.farm);
    let progress = Progress::new(false);
    let Some(connection) = Connection::open(&login, "status", &progress, &is_stopped)? else {
        return Ok(());
    };
    let jobs = connection.status();
    if jobs.is_empty() {
        return Err(Failure::NoManager(connection.address()));
    }
    let mut out = io::stdout().lock();
    match options.format {
        StatusFormat::Text => jobs.iter().try_for_each(|job| write!(out, "{job}"))?,
        StatusFormat::Json => {
            for job in &jobs {
                serde_json::to_writer(&mut out, job).map_err(io::Error::from)?;
                writeln!(out)?;
            }
        }
        StatusFormat::Prometheus => write!(out, "{}", prometheus(&jobs))?,
    }
    Ok(out.flush()?)
}
