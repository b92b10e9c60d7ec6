//! The messages between a manager and the broker: results, announcements, answers, heartbeats.

use super::state::{Arrival, Receipt, Shared};
use crate::objects::ObjectError;
use crate::status::{JobStatus, QuestionStatus, WorkerStatus};
use crate::stream::{
    self, HELLO, JOBS, MANAGER, PREFIX, STATUS, WORKERS, is_name, item_subject, items_stream,
    results_stream, worker_of,
};
use crate::wire::{FoundMessage, Heartbeat, JobContext, ResultMessage, decode, encode};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, AckKind, ErrorCode};
use certificate_spec::Digest;
use draughtproof_proof::search::ProofNumbers;
use futures_util::StreamExt;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of results that one request asks for.
const BATCH: usize = 256;
/// Time after which a request for results expires and is made anew.
const EXPIRES: Duration = Duration::from_secs(2);
/// Delay before the next attempt after a failure.
const PAUSE: Duration = Duration::from_millis(200);
/// Interval at which the inbox is polled for room while it is full.
const FULL: Duration = Duration::from_millis(5);

/// Receives results until the task is aborted.
pub(super) async fn receive_results(shared: Arc<Shared>) {
    let stream = results_stream(&shared.job.name);
    loop {
        let consumer = shared.link.context.get_consumer_from_stream(MANAGER, &stream).await;
        if let Ok(consumer) = consumer {
            receive_from(&shared, &consumer).await;
        }
        shared.is_doubtful.notify_one();
        tokio::time::sleep(PAUSE).await;
    }
}

/// Receives results until the consumer fails or the connection is made anew.
async fn receive_from(shared: &Arc<Shared>, consumer: &PullConsumer) {
    let mut epoch = shared.link.epoch.clone();
    epoch.mark_unchanged();
    loop {
        while !shared.lock().has_room() {
            tokio::time::sleep(FULL).await;
        }
        let batch = consumer.batch().max_messages(BATCH).expires(EXPIRES).messages();
        let Ok(mut batch) = batch.await else { return };
        loop {
            let message = tokio::select! {
                message = batch.next() => message,
                // The answer to a request over an earlier connection never comes.
                _ = epoch.changed() => return,
            };
            match message {
                Some(Ok(message)) => receive(shared, message).await,
                Some(Err(_)) => return,
                None => break,
            }
        }
    }
}

/// Reads one result and hands it to the queue that waits for it.
async fn receive(shared: &Arc<Shared>, message: jetstream::Message) {
    let (message, receipt) = message.split();
    let receipt = Receipt { message: receipt, object: None };
    let worker = worker_of(&message.subject).to_owned();
    let read = decode::<ResultMessage>(&message.payload);
    let is_refused = shared.lock().wrong_results.is_refused(&worker);
    let ResultMessage { context, item, found } = match read {
        Ok(read) => read,
        Err(bad) => {
            if !is_refused {
                shared.report_wrong(&worker, &bad.to_string());
            }
            return drop_message(&receipt).await;
        }
    };
    if is_refused {
        shared.lock().send_unread_again(item);
        shared.to_send.notify_one();
        return drop_message(&receipt).await;
    }
    if context != shared.job.context {
        shared.report_wrong(&worker, &describe_difference(shared, &context));
        shared.lock().send_unread_again(item);
        shared.to_send.notify_one();
        return drop_message(&receipt).await;
    }
    match found {
        FoundMessage::Here(result) => hand_over(shared, item, Ok(result), worker, receipt).await,
        FoundMessage::Nothing(why) => {
            let why = why.chars().filter(|c| !c.is_control()).take(300).collect();
            hand_over(shared, item, Err(why), worker, receipt).await;
        }
        FoundMessage::Object(digest, bytes) => {
            let shared = Arc::clone(shared);
            let receipt = Receipt { object: Some(digest), ..receipt };
            tokio::spawn(async move {
                fetch(&shared, item, (digest, bytes), worker, receipt).await;
            });
        }
    }
}

async fn hand_over(
    shared: &Shared,
    item: Digest,
    result: Result<Vec<u8>, String>,
    worker: String,
    receipt: Receipt,
) {
    let arrival = shared.lock().add_result(item, result, worker, receipt);
    match arrival {
        Arrival::Queued => shared.arrived.notify_all(),
        Arrival::Early(None) => {}
        Arrival::Early(Some(receipt)) | Arrival::Refused(receipt) => drop_message(&receipt).await,
    }
}

/// Reads a result from the object store.
async fn fetch(
    shared: &Shared,
    item: Digest,
    (digest, bytes): (Digest, u64),
    worker: String,
    receipt: Receipt,
) {
    let trouble = match &shared.objects {
        None => ObjectError::NoStore,
        Some(objects) => match objects.get(digest, bytes).await {
            Ok(result) => return hand_over(shared, item, Ok(result), worker, receipt).await,
            Err(trouble) => trouble,
        },
    };
    match trouble {
        ObjectError::Wrong { .. } => {
            shared.report_wrong(&worker, &trouble.to_string());
            shared.lock().send_unread_again(item);
            shared.to_send.notify_one();
            drop_message(&receipt).await;
        }
        // A failing store is no fault of the worker. The item is not sent again at once.
        _ => hand_over(shared, item, Err(trouble.to_string()), worker, receipt).await,
    }
}

/// Describes how the context of a result differs from that of the job.
fn describe_difference(shared: &Shared, found: &JobContext) -> String {
    let want = &shared.job.context;
    if found.rules != want.rules {
        let rules: String = found.rules.chars().filter(|c| !c.is_control()).take(60).collect();
        return format!("a result for the rules {rules:?}, expected {:?}", want.rules);
    }
    if (found.rows, found.columns) != (want.rows, want.columns) {
        let [a, b, c, d] = [found.rows, found.columns, want.rows, want.columns];
        return format!("a result for the board {a}x{b}, expected {c}x{d}");
    }
    if found.cover != want.cover {
        return format!("a result over {} pieces, expected {}", found.cover, want.cover);
    }
    let name = |root: &Option<Digest>| root.map_or("none".into(), |root| root.to_string());
    let found = name(&found.database);
    let want = name(&want.database);
    format!("a result over the database {found}, expected {want}")
}

/// Acknowledges a message whose result is dropped.
async fn drop_message(receipt: &Receipt) {
    let _ = receipt.message.ack_with(AckKind::Term).await;
}

/// The number of items that are sent before the broker's answers are awaited.
const SENT_BATCH: usize = 512;
/// Interval at which items without a result are checked for sending again.
const LOOK: Duration = Duration::from_millis(500);
/// Delay before the next attempt after a failure.
const SENT_PAUSE: Duration = Duration::from_millis(300);
/// Interval at which the streams are checked when no trouble is reported.
const CHECK: Duration = Duration::from_secs(10);

/// Sends items when they are submitted, and again when they are due.
pub(super) async fn send_items(shared: Arc<Shared>) {
    loop {
        let batch = {
            let mut state = shared.lock();
            state.send_again(Instant::now(), false);
            state.next_items(SENT_BATCH, Instant::now())
        };
        if batch.is_empty() {
            let _ = tokio::time::timeout(LOOK, shared.to_send.notified()).await;
            continue;
        }
        if let Err(trouble) = send(&shared, batch).await {
            shared.link.log.warn(&trouble);
            tokio::time::sleep(SENT_PAUSE).await;
        }
    }
}

/// Sends a batch, in order; items that the broker does not take are put back to be sent again.
async fn send(shared: &Shared, batch: Vec<(Digest, Vec<u8>)>) -> Result<(), String> {
    let mut waiting = Vec::new();
    let mut trouble = None;
    let mut not_sent = Vec::new();
    for (key, item) in batch {
        let message = PublishMessage::build().payload(item.into());
        let subject = item_subject(&shared.job.name, &key);
        match shared.link.context.send_publish(subject, message).await {
            Ok(answer) => waiting.push((key, answer)),
            Err(error) => {
                not_sent.push(key);
                trouble = Some(format!("an item cannot be sent: {error}"));
            }
        }
    }
    // All answers are awaited together: an answer that is lost with the connection takes seconds,
    // and there may be hundreds of them.
    let answered = waiting.into_iter().map(async |(key, answer)| (key, answer.await));
    for (key, answer) in join_all(answered).await {
        let Err(error) = answer else { continue };
        let refusal = std::error::Error::source(&error)
            .and_then(|source| source.downcast_ref::<jetstream::Error>());
        match refusal {
            // The item is in the stream already and not done yet.
            Some(refusal) if is_there(refusal) => continue,
            Some(refusal) if refusal.error_code() == ErrorCode::STREAM_STORE_FAILED => {
                trouble = Some(format!("the broker has no room for more items: {refusal}"));
            }
            _ => {
                if error.kind() == PublishErrorKind::StreamNotFound {
                    shared.is_doubtful.notify_one();
                }
                trouble = Some(format!("an item cannot be sent: {error}"));
            }
        }
        not_sent.push(key);
    }
    let mut state = shared.lock();
    // The items are put back at the front in reverse, so that they keep their order.
    not_sent.into_iter().rev().for_each(|key| state.put_back(key));
    trouble.map_or(Ok(()), Err)
}

/// Whether the broker refuses an item because the stream already has it.
fn is_there(refusal: &jetstream::Error) -> bool {
    refusal.error_code() == ErrorCode::STREAM_STORE_FAILED
        && refusal.to_string().contains("per subject")
}

/// Makes streams again that the broker has lost, and then has all items sent again.
pub(super) async fn keep_streams(shared: Arc<Shared>) {
    let mut epoch = shared.link.epoch.clone();
    epoch.mark_unchanged();
    loop {
        tokio::select! {
            () = shared.is_doubtful.notified() => {}
            _ = epoch.changed() => {}
            () = tokio::time::sleep(CHECK) => {}
        }
        match stream::ensure(&shared.link.context, &shared.job.name, shared.job.lease).await {
            Ok(false) => {}
            Ok(true) => {
                let mut state = shared.lock();
                state.send_again(Instant::now(), true);
                let pending = state.pending();
                drop(state);
                shared.link.log.say(&format!(
                    "the broker had lost the job, or a part of it; it has it again, and {pending} \
                     items are sent again"
                ));
                shared.to_send.notify_one();
            }
            Err(trouble) => {
                shared.link.log.warn(&format!("the broker has no streams: {trouble}"));
                tokio::time::sleep(SENT_PAUSE).await;
                shared.is_doubtful.notify_one();
            }
        }
    }
}

/// Interval between announcements of the job.
const INTERVAL: Duration = Duration::from_secs(1);
/// Delay before the next attempt after a failure.
const CHECK_PAUSE: Duration = Duration::from_secs(1);

/// Announces the job until the task is aborted.
pub(super) async fn announce(shared: Arc<Shared>) {
    loop {
        let message = encode(&shared.announcement(false));
        // A worker that misses this announcement gets the next one.
        let _ = shared.link.client.publish(JOBS, message.into()).await;
        let _ = tokio::time::timeout(INTERVAL, shared.announce.notified()).await;
    }
}

/// Announces that the job is done.
pub(super) async fn announce_end(shared: &Shared) {
    let message = encode(&shared.announcement(true));
    let _ = shared.link.client.publish(JOBS, message.into()).await;
}

/// Receives the heartbeats of workers.
pub(super) async fn receive_heartbeats(shared: Arc<Shared>) {
    let client = &shared.link.client;
    let beats = format!("{PREFIX}.{}.worker.*", shared.job.name);
    loop {
        let beats = client.subscribe(beats.clone()).await;
        let hellos = client.subscribe(HELLO).await;
        let (Ok(mut beats), Ok(mut hellos)) = (beats, hellos) else {
            tokio::time::sleep(CHECK_PAUSE).await;
            continue;
        };
        loop {
            tokio::select! {
                beat = beats.next() => {
                    let Some(message) = beat else { break };
                    let name = worker_of(&message.subject);
                    // A heartbeat that cannot be read is ignored, since nothing depends on it.
                    if let Ok(beat) = decode::<Heartbeat>(&message.payload)
                        && is_name(name)
                    {
                        shared.lock().record_heartbeat(name, beat, Instant::now());
                    }
                }
                hello = hellos.next() => {
                    if hello.is_none() {
                        break;
                    }
                    shared.announce.notify_one();
                }
            }
        }
        tokio::time::sleep(CHECK_PAUSE).await;
    }
}

/// Answers requests for the status of the job.
pub(super) async fn answer_status(shared: Arc<Shared>) {
    let client = &shared.link.client;
    loop {
        if let Ok(mut asked) = client.subscribe(STATUS).await {
            while let Some(message) = asked.next().await {
                let Some(reply) = message.reply else { continue };
                let status = status(&shared).await;
                if let Ok(text) = serde_json::to_vec(&status) {
                    let _ = client.publish(reply, text.into()).await;
                }
            }
        }
        tokio::time::sleep(CHECK_PAUSE).await;
    }
}

async fn status(shared: &Shared) -> JobStatus {
    let stream = items_stream(&shared.job.name);
    let consumer: Result<PullConsumer, _> =
        shared.link.context.get_consumer_from_stream(WORKERS, stream).await;
    let info = consumer.ok().map(|consumer| consumer.cached_info().clone());
    let now = Instant::now();
    let state = shared.lock();
    let workers = state.workers(now).into_iter().map(|(name, worker)| WorkerStatus {
        name: name.clone(),
        threads: worker.beat.threads,
        held: worker.beat.held,
        items: worker.beat.items,
        accepted: worker.accepted,
        nodes: worker.beat.nodes,
        nodes_per_second: worker.rate,
        oldest_lease_seconds: seconds(worker.beat.oldest, now - worker.heard),
        wrong: state.wrong_results.wrong(name),
    });
    let workers: Vec<WorkerStatus> = workers.collect();
    let questions = state.questions.iter().map(|question| QuestionStatus {
        attacker: format!("{:?}", question.attacker),
        proof: question.root.map(|ProofNumbers { proof, .. }| proof),
        disproof: question.root.map(|ProofNumbers { disproof, .. }| disproof),
        tree: question.tree,
        searches: question.searches,
        nodes: question.nodes,
    });
    let context = &shared.job.context;
    JobStatus {
        job: shared.job.name.clone(),
        board: format!("{}x{}", context.rows, context.columns),
        pieces: context.cover.to_string(),
        database: context.database.map(|root| root.to_string()),
        seconds: shared.start.elapsed().as_secs_f64(),
        waiting: info.as_ref().map(|info| info.num_pending),
        leased: info.as_ref().map(|info| info.num_ack_pending as u64),
        wanted: state.pending() as u64,
        done: state.counts.done,
        wasted: state.counts.wasted,
        again: state.counts.again,
        wrong: state.wrong_results.total(),
        refused: state.wrong_results.refused(usize::MAX),
        oldest_lease_seconds: workers.iter().map(|w| w.oldest_lease_seconds).fold(0.0, f64::max),
        questions: questions.collect(),
        workers,
    }
}

fn seconds(milliseconds: u64, since: Duration) -> f64 {
    if milliseconds == 0 { 0.0 } else { (milliseconds as f64) / 1000.0 + since.as_secs_f64() }
}
