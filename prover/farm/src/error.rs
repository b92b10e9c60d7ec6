//! The errors of a farm before it runs. A running farm reports trouble and waits until it is over.

use std::path::PathBuf;

use crate::egdb::StoreError;
use crate::objects::PlaceError;
use thiserror::Error;

/// An error of using a farm.
#[derive(Debug, Error)]
pub enum FarmError {
    #[error("--farm: expected an address such as nats://host:4222, found {found}: {why}")]
    Address { found: String, why: String },
    #[error("{option} {path}: {why}")]
    File { option: &'static str, path: PathBuf, why: String },
    #[error("{address}: the broker refuses this login ({why}); see --farm-creds")]
    Refused { address: String, why: String },
    #[error("{address}: no secure connection: {why}; see --farm-ca, --farm-cert and --farm-key")]
    Tls { address: String, why: String },
    #[error("{address}: {why}")]
    Broker { address: String, why: String },
    #[error(
        "--name: expected 1 to 64 letters, digits, `-` and `_`, found {0:?}: subjects and permissions \
         contain it"
    )]
    Name(String),
    #[error(
        "{address}: --name {name} does not fit the login ({why}): the broker lets each login work under one name"
    )]
    NotOfLogin { address: String, name: String, why: String },
    #[error("--objects {0}")]
    Objects(#[from] PlaceError),
    #[error(transparent)]
    Database(StoreError),
    #[error("cannot start threads: {0}")]
    Threads(std::io::Error),
}
