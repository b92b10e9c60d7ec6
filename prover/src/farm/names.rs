//! Names of subjects and streams, which permissions are given for.

use certificate_spec::Digest;

/// All subjects that are not the broker's own begin with it.
pub const PREFIX: &str = "draughtproof";
/// Managers say here which jobs there are.
pub(super) const JOBS: &str = "draughtproof.jobs";
/// Workers say here that they have just come.
pub(super) const HELLO: &str = "draughtproof.hello";
/// Managers are asked here how far they are.
pub(super) const STATUS: &str = "draughtproof.status";
/// The consumer by which workers take items.
pub(super) const WORKERS: &str = "workers";
/// The consumer by which the manager takes results.
pub(super) const MANAGER: &str = "manager";

/// Whether this may be the name of a worker, a manager or a job: one token of a subject.
pub(super) fn is_name(name: &str) -> bool {
    let is_fine = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(is_fine)
}

/// A text as a name: other characters become `-`.
pub fn as_name(text: &str) -> String {
    let fine = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    text.chars().take(64).map(fine).collect()
}

/// The subject of an item. There is at most one message of a subject in the stream, so an item is
/// never in it twice.
pub(super) fn item_subject(job: &str, item: &Digest) -> String {
    format!("{PREFIX}.{job}.item.{item}")
}

/// The subject of the results of a worker. Permissions can see to it that no other uses it.
pub fn result_subject(job: &str, worker: &str) -> String {
    format!("{PREFIX}.{job}.result.{worker}")
}

/// Where a worker says how it is.
pub(super) fn heartbeat_subject(job: &str, worker: &str) -> String {
    format!("{PREFIX}.{job}.worker.{worker}")
}

/// Where the manager is asked for the strategies that it has applied.
pub(super) fn lemmas_subject(job: &str) -> String {
    format!("{PREFIX}.{job}.lemmas")
}

/// The last part of a subject: the name of the worker.
pub(super) fn worker_of(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
}

/// The stream of the items of a job.
pub fn items_stream(job: &str) -> String {
    format!("{PREFIX}-{job}-items")
}

/// The stream of its results.
pub fn results_stream(job: &str) -> String {
    format!("{PREFIX}-{job}-results")
}
