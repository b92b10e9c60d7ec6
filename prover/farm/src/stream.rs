//! The two streams of a job, items and results, and the consumer of each. They are made when they
//! are needed, and again when the broker has lost them.

use std::time::Duration;

use async_nats::jetstream::consumer::{self, AckPolicy, pull};
use async_nats::jetstream::context::{CreateStreamError, GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, State, Stream};
use async_nats::jetstream::{Context, ErrorCode};
use certificate_spec::Digest;

/// The most bytes of items that wait in the stream: some hundred thousand items.
const ITEM_BYTES: i64 = 64 << 20;
/// The most bytes of results that wait in the stream.
const RESULT_BYTES: i64 = 256 << 20;
/// Items that may be leased at a time, and requests of workers that may wait at a time. With the
/// broker's default of 1,000 it would silently hand out no more.
const MOST_LEASED: i64 = 100_000;
/// Time after which a result that was delivered and not acknowledged is delivered again.
const RESULT_WAIT: Duration = Duration::from_secs(60);
/// A consumer that could hand out messages but hands out none for this time is made again.
const QUIET: Duration = Duration::from_millis(200);

/// Makes sure that a job has its streams and consumers. Returns whether any of them was missing.
pub(super) async fn ensure(
    context: &Context,
    job: &str,
    lease: Duration,
) -> Result<bool, StreamError> {
    let items = Config {
        name: items_stream(job),
        subjects: vec![format!("{PREFIX}.{job}.item.*")],
        max_messages_per_subject: 1,
        discard_new_per_subject: true,
        ..bounded(ITEM_BYTES)
    };
    let results = Config {
        name: results_stream(job),
        subjects: vec![format!("{PREFIX}.{job}.result.*")],
        ..bounded(RESULT_BYTES)
    };
    let (items, new_items) = stream(context, items).await?;
    let (results, new_results) = stream(context, results).await?;
    let new_workers = consumer(&items, WORKERS, lease).await?;
    let new_manager = consumer(&results, MANAGER, RESULT_WAIT).await?;
    Ok(new_items || new_results || new_workers || new_manager)
}

/// Makes the broker deliver again the results that an earlier manager did not acknowledge.
pub(super) async fn deliver_again(context: &Context, job: &str) -> Result<(), StreamError> {
    match context.get_stream(results_stream(job)).await {
        Err(error) if is_missing(&error) => Ok(()),
        Err(error) => Err(trouble(&error)),
        Ok(results) => {
            // If there is no such consumer, nothing has to be delivered again.
            let _ = results.delete_consumer(MANAGER).await;
            Ok(())
        }
    }
}

pub(super) async fn remove(context: &Context, job: &str) {
    for name in [items_stream(job), results_stream(job)] {
        // The streams are bounded, so streams that are left behind do no harm.
        let _ = context.delete_stream(name).await;
    }
}

/// An error about a stream or consumer, as the broker reports it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct StreamError(String);

fn trouble(error: &dyn std::error::Error) -> StreamError {
    let source = error.source().map(|source| format!(": {source}"));
    let text = error.to_string();
    let source = source.filter(|source| !text.ends_with(source.as_str()));
    StreamError(text + &source.unwrap_or_default())
}

fn bounded(bytes: i64) -> Config {
    Config {
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_bytes: bytes,
        num_replicas: 1,
        ..Config::default()
    }
}

fn is_missing(error: &GetStreamError) -> bool {
    matches!(error.kind(), GetStreamErrorKind::JetStream(e) if e.error_code() == ErrorCode::STREAM_NOT_FOUND)
}

/// Finds or makes a stream; returns whether it was made.
async fn stream(context: &Context, config: Config) -> Result<(Stream, bool), StreamError> {
    match context.get_stream(&config.name).await {
        Ok(stream) => Ok((stream, false)),
        Err(error) if is_missing(&error) => {
            let made: Result<Stream, CreateStreamError> = context.create_stream(config).await;
            Ok((made.map_err(|e| trouble(&e))?, true))
        }
        Err(error) => Err(trouble(&error)),
    }
}

/// Makes sure that a stream has a consumer that works; returns whether it was made.
async fn consumer(stream: &Stream, name: &str, wait: Duration) -> Result<bool, StreamError> {
    if let Ok(there) = stream.consumer_info(name).await
        && there.config.ack_wait == wait
    {
        if !withholds(&stream.cached_info().state, &there) {
            return Ok(false);
        }
        tokio::time::sleep(QUIET).await;
        let state = stream.get_info().await.map_err(|e| trouble(&e))?.state;
        let now = stream.consumer_info(name).await.map_err(|e| trouble(&e))?;
        if has_progressed(&there, &now) || !withholds(&state, &now) {
            return Ok(false);
        }
        stream.delete_consumer(name).await.map_err(|e| trouble(&e))?;
    }
    let config = pull::Config {
        durable_name: Some(name.into()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: wait,
        max_ack_pending: MOST_LEASED,
        max_waiting: MOST_LEASED,
        ..pull::Config::default()
    };
    let made: Result<consumer::Consumer<pull::Config>, _> = stream.create_consumer(config).await;
    made.map(|_| true).map_err(|e| trouble(&e))
}

/// Whether a consumer withholds messages: some are not handed out, and a request waits for one.
///
/// A broker that is killed may lose the removal of a message that it wrote to its disk and keep its
/// acknowledgement, or lose messages and keep that they were handed out. Such a consumer does not
/// hand out what has the number of a message that was acknowledged, and the stream takes no other
/// message of the same subject: an item whose result was lost as well could never be done. A new
/// consumer hands out all that is there.
fn withholds(stream: &State, consumer: &consumer::Info) -> bool {
    let leased = consumer.num_ack_pending as u64;
    stream.messages > leased && leased < MOST_LEASED as u64 && consumer.num_waiting > 0
}

/// Whether a consumer has handed out a message, or has heard of one, since an earlier look at it.
fn has_progressed(before: &consumer::Info, now: &consumer::Info) -> bool {
    let state = |info: &consumer::Info| {
        let [delivered, done] = [&info.delivered, &info.ack_floor].map(|at| at.consumer_sequence);
        (delivered, done, info.num_ack_pending)
    };
    state(before) != state(now)
}

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

pub fn items_stream(job: &str) -> String {
    format!("{PREFIX}-{job}-items")
}

pub(super) fn results_stream(job: &str) -> String {
    format!("{PREFIX}-{job}-results")
}
