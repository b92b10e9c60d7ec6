//! Items to the broker, and streams for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, ErrorCode};
use certificate_spec::Digest;
use futures_util::future::join_all;

use super::Shared;
use crate::farm::names::item_subject;
use crate::farm::stream;

/// So many items are sent before the broker's answers are waited for.
const BATCH: usize = 512;
/// What was not heard of is looked for so often.
const LOOK: Duration = Duration::from_millis(500);
/// After a failure it is tried again after so long.
const PAUSE: Duration = Duration::from_millis(300);
/// Streams are looked for so often if nothing seems to be wrong.
const CHECK: Duration = Duration::from_secs(10);

/// Sends items as they are submitted, and again when that is due.
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
            shared.link.voice.trouble(&trouble);
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Sends a batch, in order; what the broker does not take is to be sent again.
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
    // All at a time: an answer that does not come, as the connection was lost, takes seconds, and
    // there may be hundreds of them.
    let answered = waiting.into_iter().map(async |(key, answer)| (key, answer.await));
    for (key, answer) in join_all(answered).await {
        let Err(error) = answer else { continue };
        let refusal = std::error::Error::source(&error)
            .and_then(|source| source.downcast_ref::<jetstream::Error>());
        match refusal {
            // The item is there, waits, and is not yet done.
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
    // The first of them is to be the first again.
    not_sent.into_iter().rev().for_each(|key| state.not_sent(key));
    trouble.map_or(Ok(()), Err)
}

/// Whether the broker refuses an item because it has it.
fn is_there(refusal: &jetstream::Error) -> bool {
    refusal.error_code() == ErrorCode::STREAM_STORE_FAILED
        && refusal.to_string().contains("per subject")
}

/// Makes streams again that the broker has lost, and has everything sent again then.
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
                shared.link.voice.say(&format!(
                    "the broker had lost the job, or a part of it; it has it again, and {pending} \
                     items are sent again"
                ));
                shared.to_send.notify_one();
            }
            Err(trouble) => {
                shared.link.voice.trouble(&format!("the broker has no streams: {trouble}"));
                tokio::time::sleep(PAUSE).await;
                shared.is_doubtful.notify_one();
            }
        }
    }
}
