//! Names of subjects and streams, to which the broker's permissions refer.

use certificate_spec::Digest;

/// The prefix of all subjects that are not the broker's own.
pub(super) const PREFIX: &str = "draughtproof";
/// The subject on which managers announce their jobs.
pub(super) const JOBS: &str = "draughtproof.jobs";
/// The subject on which workers announce that they have connected.
pub(super) const HELLO: &str = "draughtproof.hello";
/// The subject on which managers are asked for their status.
pub(super) const STATUS: &str = "draughtproof.status";
/// The consumer by which workers take items.
pub(super) const WORKERS: &str = "workers";
/// The consumer by which the manager takes results.
pub(super) const MANAGER: &str = "manager";

/// Whether this may be the name of a worker, a manager or a job: one token of a subject.
pub(super) fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Turns a text into a name: other characters become `-`.
pub fn to_name(text: &str) -> String {
    let fine = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    text.chars().take(64).map(fine).collect()
}

/// The subject of an item. The stream holds at most one message of a subject, so it never holds an
/// item twice.
pub(super) fn item_subject(job: &str, item: &Digest) -> String {
    format!("{PREFIX}.{job}.item.{item}")
}

/// The subject of the results of a worker. Permissions can reserve it for that worker.
pub fn result_subject(job: &str, worker: &str) -> String {
    format!("{PREFIX}.{job}.result.{worker}")
}

pub(super) fn heartbeat_subject(job: &str, worker: &str) -> String {
    format!("{PREFIX}.{job}.worker.{worker}")
}

/// The last part of a subject: the name of the worker.
pub(super) fn worker_of(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
}

/// The name of the stream of a job's items.
pub fn items_stream(job: &str) -> String {
    format!("{PREFIX}-{job}-items")
}

/// The name of the stream of a job's results.
pub(super) fn results_stream(job: &str) -> String {
    format!("{PREFIX}-{job}-results")
}
