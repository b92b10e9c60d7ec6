//! The errors of a farm before it runs. A running farm reports trouble and waits until it is over.

use std::path::PathBuf;

use thiserror::Error;

use crate::egdb::StoreError;
use crate::object_place::PlaceError;

/// An error of using a farm.
#[derive(Debug, Error)]
pub enum FarmError {
    /// The address cannot be read.
    #[error("--farm: expected an address such as nats://host:4222, found {found}: {why}")]
    Address {
        /// The address, without secrets.
        found: String,
        /// The reason.
        why: String,
    },
    /// A file with credentials or certificates cannot be read.
    #[error("{option} {path}: {why}")]
    File {
        /// The option that names the file.
        option: &'static str,
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The broker refuses the login.
    #[error("{address}: the broker refuses this login ({why}); see --farm-creds")]
    Refused {
        /// The address of the broker.
        address: String,
        /// The broker's error message.
        why: String,
    },
    /// There is no secure connection.
    #[error("{address}: no secure connection: {why}; see --farm-ca, --farm-cert and --farm-key")]
    Tls {
        /// The address of the broker.
        address: String,
        /// The reason.
        why: String,
    },
    /// The broker cannot be used, such as one without JetStream.
    #[error("{address}: {why}")]
    Broker {
        /// The address of the broker.
        address: String,
        /// The reason.
        why: String,
    },
    /// A name that cannot be a part of a subject.
    #[error(
        "--name: expected 1 to 64 letters, digits, `-` and `_`, found {0:?}: subjects and permissions \
         contain it"
    )]
    Name(String),
    /// The login may not use the subjects of the name.
    #[error(
        "{address}: --name {name} does not fit the login ({why}): the broker lets each login work under one name"
    )]
    NotOfLogin {
        /// The address of the broker.
        address: String,
        name: String,
        /// The broker's message.
        why: String,
    },
    /// The place for large results cannot be opened.
    #[error("--objects {0}")]
    Objects(PlaceError),
    /// A file of a database cannot be read or is damaged.
    #[error(transparent)]
    Database(StoreError),
    /// The operating system creates no threads.
    #[error("cannot start threads: {0}")]
    Threads(std::io::Error),
}
