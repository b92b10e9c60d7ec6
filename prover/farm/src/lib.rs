//! A farm: the searches of a proof on many machines, through NATS JetStream.
//!
//! The manager ([`Farm`]) sends items to a stream of the broker and takes results from another;
//! workers ([`run_worker`]) search as the threads of [`draughtproof_proof::proof`] do. The broker
//! may be killed or wiped, and may deliver twice, late or never; a worker may send any bytes. The
//! ledger requests what is missing, takes each result once, and only after its strategy was
//! replayed. So only the time that a proof takes depends on broker and workers. (A worker's report
//! that a position was too hard is no claim, so it cannot be checked; it steers the proof, and a
//! worker that lies about it costs more time than one that lies about strategies.)
//!
//! 1. [`wire`]: messages; [`Login`], [`Connection`].
//! 2. `stream`: names of subjects, and the streams of a job, made again when they are lost;
//!    [`Objects`]: large results.
//! 3. `manager`: queues of questions, and counts of wrong results.
//! 4. `worker`: jobs, leases, results. [`JobStatus`]: the progress of a job.
//! 5. [`SliceStore`]: slices of databases in an object store, for machines without a common disk.
#![allow(missing_docs)]
// Counts here are bounded by the messages that carry them, and what the prover gets wrong the
// checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

mod connection;
mod manager;
mod objects;
mod slice_store;
mod status;
mod stream;
pub mod wire;
mod worker;

use crate::egdb::StoreError;
use crate::objects::PlaceError;
pub use connection::{Connection, Login};
use draughtproof_egdb as egdb;
use draughtproof_game as board;
pub use manager::{Farm, JobSettings};
pub use objects::{ObjectError, Objects};
pub use slice_store::{SliceStore, SliceStoreError};
pub use status::{JobStatus, QuestionStatus, WorkerStatus, prometheus};
use std::path::PathBuf;
pub use stream::{items_stream, result_subject, to_name};
use thiserror::Error;
pub use worker::{Databases, WorkDone, WorkerSettings, run_worker};

/// An error of a farm before it runs. A running farm reports trouble and waits until it is over.
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
