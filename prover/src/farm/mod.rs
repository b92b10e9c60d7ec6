//! A farm: the searches of a proof on many machines, through NATS JetStream.
//!
//! The manager ([`Farm`]) sends items to a stream of the broker and takes results from another;
//! workers ([`run_worker`]) do what `crate::proof` does with threads. The broker may be killed,
//! wiped, deliver twice, late or never, and a worker may say what it likes: the ledger asks for
//! what is missing, takes each result once, and each strategy is replayed before. So only time
//! depends on them. (What a worker says of a position that was too hard is no claim, so it cannot
//! be checked; it steers the proof, and a worker that lies about that costs more time than one that
//! lies about strategies.)
//!
//! 1. [`wire`]: messages; `names`: subjects and streams; [`Login`], [`Connection`].
//! 2. `stream`: the streams of a job, made again when they are lost; [`Objects`]: large results.
//! 3. `manager`: queues of questions; [`Suspicion`]: whose results are read.
//! 4. `worker`: jobs, leases, lemmas, results. [`JobStatus`]: how far it all is.

mod connection;
mod error;
mod manager;
mod names;
mod objects;
mod status;
mod stream;
mod suspicion;
pub mod wire;
mod worker;

pub use connection::{Connection, Login};
pub use error::FarmError;
pub use manager::{Farm, JobSettings};
pub use names::{PREFIX, as_name, items_stream, result_subject, results_stream};
pub use objects::{MOST_INLINE, ObjectError, Objects};
pub use status::{JobStatus, QuestionStatus, WorkerStatus, prometheus};
pub use suspicion::{MOST_WRONG, Suspicion};
pub use worker::{Databases, WorkDone, WorkerSettings, run_worker};
