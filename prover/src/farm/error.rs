//! What can go wrong with a farm before it runs. Once it runs, trouble is said and waited out.

use std::path::PathBuf;

use thiserror::Error;

use crate::object_place::PlaceError;

/// Why a farm cannot be used.
#[derive(Debug, Error)]
pub enum FarmError {
    /// The address is none.
    #[error("--farm: expected an address such as nats://host:4222, found {found}: {why}")]
    Address {
        /// The address, without secrets.
        found: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file with credentials or certificates.
    #[error("{option} {path}: {why}")]
    File {
        /// The option that names it.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The broker does not let us in.
    #[error("{address}: the broker refuses this login ({why}); see --farm-creds")]
    Refused {
        /// The address of the broker.
        address: String,
        /// What it says.
        why: String,
    },
    /// There is no secure connection.
    #[error("{address}: no secure connection: {why}; see --farm-ca, --farm-cert and --farm-key")]
    Tls {
        /// The address of the broker.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// The broker is none that can be used.
    #[error("{address}: {why}")]
    Broker {
        /// The address of the broker.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// A name that cannot be a part of a subject.
    #[error(
        "--name: expected 1 to 64 letters, digits, `-` and `_`, found {0:?}: subjects and permissions \
         contain it"
    )]
    Name(String),
    /// Where large results go.
    #[error("--objects {0}")]
    Objects(PlaceError),
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    Threads(std::io::Error),
}
