//! Sends items to the broker, and makes the streams for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, ErrorCode};
use certificate_spec::Digest;
use futures_util::future::join_all;

use super::shared::Shared;
use crate::names::item_subject;
use crate::stream;

/// The number of items that are sent before the broker's answers are awaited.
const BATCH: usize = 512;
/// Interval at which items without a result are checked for sending again.
const LOOK: Duration = Duration::from_millis(500);
/// Delay before the next attempt after a failure.
const PAUSE: Duration = Duration::from_millis(300);
/// Interval at which the streams are checked when no trouble is reported.
const CHECK: Duration = Duration::from_secs(10);

/// Sends items when they are submitted, and again when they are due.
pub(super) async fn send_items(shared: Arc<Shared>) {
    loop {
        let batch = {
            let mut state = shared.lock();
            state.send_again(Instant::now(), false);
            state.next_items(BATCH, Instant::now())
        };
        if batch.is_empty() {
            let _ = tokio::time::timeout(LOOK, shared.to_send.notified()).await;
            continue;
        }
        if let Err(trouble) = send(&shared, batch).await {
            shared.link.log.warn(&trouble);
            tokio::time::sleep(PAUSE).await;
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
                tokio::time::sleep(PAUSE).await;
                shared.is_doubtful.notify_one();
            }
        }
    }
}
