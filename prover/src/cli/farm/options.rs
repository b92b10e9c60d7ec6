//! Options for the broker of a farm.

#[cfg(feature = "farm")]
mod connect;

use std::path::PathBuf;

use clap::Args;

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
