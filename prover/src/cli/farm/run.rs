//! The farm's part of the commands, for a program that has it.

use std::time::{Duration, Instant};

use certificate_spec::Digest;
use certificate_spec::provenance::Mode;
use draughtproof_farm::wire::JobContext;
use draughtproof_farm::{
    Connection, Databases, Farm, FarmError, JobSettings, Login, Objects, WorkDone, WorkerSettings,
    prometheus, to_name,
};
use draughtproof_proof::certificate::provenance;
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{ProofSettings, Request, SearchContext};

use super::{
    Command, LoginOptions, ManagerOptions, ObjectsOption, Options, StatusFormat, StatusOptions,
    WorkerOptions,
};
use crate::board::Game;
use crate::cli::failure::Failure;
use crate::cli::stop::{is_stopped, stop_when_asked};
use crate::egdb::Cover;
use crate::egdb::numbers::counted;

impl LoginOptions {
    pub(crate) fn login(&self, url: &str) -> Login {
        Login {
            url: url.into(),
            credentials: self.farm_creds.clone(),
            authorities: self.farm_ca.clone(),
            identity: self.farm_cert.clone().zip(self.farm_key.clone()),
        }
    }
}

impl ObjectsOption {
    pub(crate) fn open(&self) -> Result<Option<Objects>, Failure> {
        Ok(self.objects.as_deref().map(Objects::open).transpose().map_err(FarmError::Objects)?)
    }
}

impl ManagerOptions {
    /// Checks the options, before there is anything to connect for.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let Some(url) = &self.farm else { return Ok(()) };
        self.objects.open()?;
        Ok(self.login.login(url).check()?)
    }

    /// Connects to the broker if `--farm` names one, and begins to serve the job.
    pub(crate) fn start(
        &self,
        request: &Request,
        context: &SearchContext<'_>,
        cover: &Cover,
        game: &Game,
        progress: &Progress,
    ) -> Result<Option<Farm>, Failure> {
        let Some(url) = &self.farm else { return Ok(None) };
        let objects = self.objects.open()?;
        let made = provenance(game, cover, request, Mode::Reproducible);
        let ProofSettings { round, lines, .. } = request.settings;
        let all =
            (made.program, made.request, round as u64, lines.is_some(), JobContext::of(context));
        let name = Digest::of(&draughtproof_proof::wire::encode(&all)).to_string()[..16].to_owned();
        let login = self.login.login(url);
        let connected =
            Connection::open(&login, &format!("manager-{name}"), progress, &is_stopped)?;
        let Some(connection) = connected else {
            return Err(Failure::Interrupted);
        };
        progress.say(format!("farm: job {name}; items wait for workers"));
        let job = JobSettings {
            name,
            context: JobContext::of(context),
            nodes: request.settings.leaf_nodes.max(1),
            table: request.settings.leaf_table,
            lease: Duration::from_secs(self.lease.into()),
        };
        Ok(Some(Farm::start(connection, job, objects)?))
    }
}

/// A broker that is reachable answers well within this time.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn run_farm(options: &Options) -> Result<(), Failure> {
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

pub(crate) fn run_worker(options: &WorkerOptions) -> Result<(), Failure> {
    options.machine.start()?;
    stop_when_asked()?;
    let progress = options.machine.progress();
    let name = options.name.clone().unwrap_or_else(usual_name);
    let objects = options.objects.open()?;
    let login = options.login.login(&options.farm);
    let Some(connection) = Connection::open(&login, &name, &progress, &is_stopped)? else {
        return Ok(());
    };
    let room = options.values.room(&options.machine);
    let settings = WorkerSettings {
        name,
        threads: options.machine.workers(),
        memory: room.memory,
        databases: Databases { folder: options.db.db.clone(), room },
        objects,
        progress,
    };
    let WorkDone { items, nodes } =
        draughtproof_farm::run_worker(&connection, settings, &is_stopped)?;
    progress.say(format!("{} done, {} searched", counted(items, "item"), counted(nodes, "node")));
    Ok(())
}

/// The default name of a worker: the host's name and the process's number.
fn usual_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let host = to_name(host.as_deref().unwrap_or("worker").trim());
    let host: String = host.chars().take(40).collect();
    format!("{host}-{}", std::process::id())
}
