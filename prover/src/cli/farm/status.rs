//! Asks the managers of a farm for their jobs.

use std::time::{Duration, Instant};

use draughtproof_farm::{Connection, prometheus};
use draughtproof_proof::progress::Progress;

use super::{Command, Options, StatusFormat, StatusOptions};
use crate::cli::failure::Failure;

/// A broker that is reachable answers well within this time.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
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
