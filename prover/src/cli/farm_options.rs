//! Options for the broker of a farm.

use std::path::PathBuf;
use std::time::Duration;

use certificate_spec::Digest;
use certificate_spec::provenance::Mode;
use clap::Args;
use draughtproof_farm::wire::JobContext;
use draughtproof_farm::{Connection, Farm, JobSettings, Login, Objects};
use draughtproof_proof::certificate::provenance;
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{Manager, Request, SearchContext};

use super::failure::Failure;
use super::stop::is_stopped;
use crate::board::Game;
use crate::egdb::Cover;

/// The options for the login at a broker.
#[derive(Args, Debug)]
pub(super) struct LoginOptions {
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

impl LoginOptions {
    pub(super) fn login(&self, url: &str) -> Login {
        Login {
            url: url.into(),
            credentials: self.farm_creds.clone(),
            authorities: self.farm_ca.clone(),
            identity: self.farm_cert.clone().zip(self.farm_key.clone()),
        }
    }
}

/// The option for the place of large results.
#[derive(Args, Debug)]
pub(super) struct ObjectsOption {
    /// Results of more than 512 kB go through this object store, a directory that the manager and
    /// all workers share, or s3://bucket/prefix
    #[arg(long, value_name = "PLACE")]
    objects: Option<String>,
}

impl ObjectsOption {
    pub(super) fn open(&self) -> Result<Option<Objects>, Failure> {
        Ok(self.objects.as_deref().map(Objects::open).transpose()?)
    }
}

/// The options of a manager.
#[derive(Args, Debug)]
pub(super) struct ManagerOptions {
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
    pub(super) fn is_used(&self) -> bool {
        self.farm.is_some()
    }

    /// Checks the options, before there is anything to connect for.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let Some(url) = &self.farm else { return Ok(()) };
        self.objects.open()?;
        Ok(self.login.login(url).check()?)
    }

    /// Connects to the broker if `--farm` names one, and begins to serve the job.
    pub(super) fn start(
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
        let Manager { round, lemmas, .. } = request.manager;
        let all = (made.program, made.request, round as u64, lemmas, JobContext::of(context));
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
            nodes: request.manager.leaf_nodes.max(1),
            table: request.manager.leaf_table,
            lease: Duration::from_secs(self.lease.into()),
        };
        Ok(Some(Farm::start(connection, job, objects)?))
    }
}
