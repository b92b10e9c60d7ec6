//! Connects a manager or a worker to the broker that its options name.

use std::time::Duration;

use certificate_spec::Digest;
use certificate_spec::provenance::Mode;
use draughtproof_farm::wire::JobContext;
use draughtproof_farm::{Connection, Farm, FarmError, JobSettings, Login, Objects};
use draughtproof_proof::certificate::provenance;
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{ProofSettings, Request, SearchContext};

use super::{LoginOptions, ManagerOptions, ObjectsOption};
use crate::board::Game;
use crate::cli::failure::Failure;
use crate::cli::stop::is_stopped;
use crate::egdb::Cover;

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
