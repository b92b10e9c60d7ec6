//! The manager's announcements and answers, and the heartbeats of its workers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::state::Shared;
use crate::status::{JobStatus, QuestionStatus, WorkerStatus};
use crate::stream::{HELLO, JOBS, PREFIX, STATUS, WORKERS, is_name, items_stream, worker_of};
use crate::wire::{Heartbeat, decode, encode};
use async_nats::jetstream::consumer::PullConsumer;
use draughtproof_proof::search::ProofNumbers;
use futures_util::StreamExt;

/// Interval between announcements of the job.
const INTERVAL: Duration = Duration::from_secs(1);
/// Delay before the next attempt after a failure.
const PAUSE: Duration = Duration::from_secs(1);

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
            tokio::time::sleep(PAUSE).await;
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
        tokio::time::sleep(PAUSE).await;
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
        tokio::time::sleep(PAUSE).await;
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
