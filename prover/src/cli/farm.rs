//! `prove farm`.

use std::time::{Duration, Instant};

use clap::{Args, Subcommand, ValueEnum};
use draughtproof_farm::{Connection, prometheus};
use draughtproof_proof::progress::Progress;

use super::failure::Failure;
use super::farm_options::LoginOptions;
use super::result::ResultFile;

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
  prove farm status --farm nats://host:4222 --format prometheus --out /var/lib/node_exporter/draughtproof.prom

Managers answer for their jobs. What workers say of themselves is not verified. The FILE of --out is replaced when \
all is known, and otherwise left as it is.

Exit status: as for prove. 1 if no manager answers within a second, 3 if no broker does within 5 seconds.")]
struct StatusOptions {
    /// The NATS broker, such as nats://host:4222
    #[arg(long, value_name = "URL")]
    farm: String,
    #[command(flatten)]
    login: LoginOptions,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    format: StatusFormat,
    #[command(flatten)]
    file: ResultFile,
}

/// A broker that is reachable answers well within this time.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    match &options.command {
        Command::Status(options) => status(options),
    }
}

fn status(options: &StatusOptions) -> Result<(), Failure> {
    let login = options.login.login(&options.farm);
    let mut out = options.file.begin()?;
    let progress = Progress::new(false);
    let end = Instant::now() + PATIENCE;
    let has_waited = || Instant::now() >= end;
    let Some(connection) = Connection::open(&login, "status", &progress, &has_waited)? else {
        return Err(Failure::NoBroker { address: login.address(), patience: PATIENCE });
    };
    let jobs = connection.status();
    if jobs.is_empty() {
        return Err(Failure::NoManager(connection.address()));
    }
    match options.format {
        StatusFormat::Text => jobs.iter().try_for_each(|job| out.text(&job.to_string()))?,
        StatusFormat::Json => jobs.iter().try_for_each(|job| out.json(job))?,
        StatusFormat::Prometheus => out.text(&prometheus(&jobs))?,
    }
    out.finish()
}
