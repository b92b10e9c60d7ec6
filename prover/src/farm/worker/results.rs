//! Results to the broker.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::AckKind;
use certificate_spec::Digest;

use super::Shared;
use super::jobs::OpenJob;
use crate::farm::names::result_subject;
use crate::farm::objects::MOST_INLINE;
use crate::farm::wire::{FoundMessage, ResultMessage, encode};

/// A result that the broker does not take is sent again after so long, then twice as long, …
const PAUSE: Duration = Duration::from_millis(100);
/// … and so long at most.
const MOST_PAUSE: Duration = Duration::from_secs(2);
/// After so long the item is given back.
const GIVE_UP: Duration = Duration::from_secs(600);
/// Bytes of a message besides the result.
const ENVELOPE: usize = 4096;

/// What came of an item.
pub(super) struct Finished {
    pub(super) job: Arc<OpenJob>,
    pub(super) item: Vec<u8>,
    pub(super) number: u64,
    pub(super) found: Result<Vec<u8>, String>,
}

/// Sends a result until the broker has it, then acknowledges the item.
pub(super) async fn hand_in(shared: &Shared, finished: Finished) {
    let Finished { job, item, number, found } = finished;
    let start = Instant::now();
    let mut pause = PAUSE;
    let found = loop {
        match as_message(shared, &found).await {
            Ok(found) => break found,
            Err(why) => shared.link.voice.trouble(&format!("a result cannot be kept: {why}")),
        }
        if job.is_over() || shared.is_ending() || start.elapsed() > GIVE_UP {
            return acknowledge(shared, number, AckKind::Nak(None)).await;
        }
        wait(&mut pause).await;
    };
    let message = ResultMessage { context: job.wire.clone(), item: Digest::of(&item), found };
    let bytes = encode(&message);
    let subject = result_subject(&job.name, &shared.settings.name);
    let mut pause = PAUSE;
    loop {
        let sent = async {
            let sending =
                shared.link.context.publish(subject.clone(), bytes.clone().into()).await?;
            sending.await
        };
        match sent.await {
            Ok(_) => return acknowledge(shared, number, AckKind::Ack).await,
            Err(_) if job.is_over() => return acknowledge(shared, number, AckKind::Ack).await,
            Err(why) => shared.link.voice.trouble(&format!("a result cannot be sent: {why}")),
        }
        if start.elapsed() > GIVE_UP {
            return acknowledge(shared, number, AckKind::Nak(None)).await;
        }
        wait(&mut pause).await;
    }
}

async fn wait(pause: &mut Duration) {
    tokio::time::sleep(*pause).await;
    *pause = (*pause * 2).min(MOST_PAUSE);
}

async fn acknowledge(shared: &Shared, number: u64, how: AckKind) {
    let receipt = shared.leases().release(number);
    if let Some(receipt) = receipt {
        // One that is lost leads to the same result once more.
        let _ = receipt.ack_with(how).await;
    }
}

/// What was found as it is sent: as it is, by the object store, or not at all.
async fn as_message(
    shared: &Shared,
    found: &Result<Vec<u8>, String>,
) -> Result<FoundMessage, String> {
    let result = match found {
        Ok(result) => result,
        Err(why) => return Ok(FoundMessage::Nothing(why.clone())),
    };
    match &shared.settings.objects {
        Some(objects) if result.len() > MOST_INLINE => {
            let digest = objects.put(result.clone()).await.map_err(|e| e.to_string())?;
            Ok(FoundMessage::Object(digest, result.len() as u64))
        }
        _ => {
            let most = shared.link.client.max_payload();
            if result.len() + ENVELOPE <= most {
                return Ok(FoundMessage::Here(result.clone()));
            }
            Ok(FoundMessage::Nothing(format!(
                "the result has {} bytes, the broker takes {most}, and worker {} has no --objects",
                result.len(),
                shared.settings.name
            )))
        }
    }
}
