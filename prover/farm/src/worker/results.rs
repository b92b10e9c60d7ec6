//! Sends results to the broker.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::shared::{OpenJob, Shared};
use crate::egdb::numbers::{size_down, size_up};
use crate::objects::MOST_INLINE;
use crate::stream::result_subject;
use crate::wire::{FoundMessage, ResultMessage, encode};
use async_nats::jetstream::AckKind;
use certificate_spec::Digest;

/// The first delay before a result that the broker did not take is sent again. The delay doubles
/// after each attempt.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest delay between two attempts.
const MOST_PAUSE: Duration = Duration::from_secs(2);
/// Time after which a worker gives an item back whose result it could not send.
const GIVE_UP: Duration = Duration::from_secs(600);
/// An upper bound on the bytes of a message besides the result.
const ENVELOPE: usize = 4096;

/// The outcome of an item.
pub(super) struct Finished {
    pub(super) job: Arc<OpenJob>,
    pub(super) item: Vec<u8>,
    pub(super) number: u64,
    pub(super) found: Result<Vec<u8>, String>,
}

/// Sends a result until the broker has it, then acknowledges the item.
pub(super) async fn send_result(shared: &Shared, finished: Finished) {
    let Finished { job, item, number, found } = finished;
    let start = Instant::now();
    let mut pause = PAUSE;
    let found = loop {
        match as_message(shared, &found).await {
            Ok(found) => break found,
            Err(why) => shared.link.log.warn(&format!("a result cannot be kept: {why}")),
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
            Err(why) => shared.link.log.warn(&format!("a result cannot be sent: {why}")),
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
        // If the acknowledgement is lost, the item is searched again, with an equal result.
        let _ = receipt.ack_with(how).await;
    }
}

/// The message of a result: the result itself, a reference to the object store, or the reason why
/// there is none.
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
                "the result has {}, the broker takes {}, and worker {} has no --objects",
                size_up(result.len() as u64),
                size_down(most as u64),
                shared.settings.name
            )))
        }
    }
}
