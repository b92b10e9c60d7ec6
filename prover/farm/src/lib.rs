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
mod error;
mod manager;
mod objects;
mod slice_store;
mod status;
mod stream;
pub mod wire;
mod worker;

pub use connection::{Connection, Login};
pub use error::FarmError;
pub use manager::{Farm, JobSettings};
pub use objects::{ObjectError, Objects};
pub use slice_store::{SliceStore, SliceStoreError};
pub use status::{JobStatus, QuestionStatus, WorkerStatus, prometheus};
pub use stream::{items_stream, result_subject, to_name};
pub use worker::{Databases, WorkDone, WorkerSettings, run_worker};

use draughtproof_egdb as egdb;
use draughtproof_game as board;
