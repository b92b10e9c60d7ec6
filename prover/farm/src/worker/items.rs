//! Takes items from the broker for threads that wait, renews their leases until their results are
//! sent, and gives them back when the worker ends.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::shared::{OpenJob, Shared, WaitingItem};
use crate::egdb::numbers::{size_down, size_up};
use crate::objects::MOST_INLINE;
use crate::stream::{WORKERS, items_stream, result_subject};
use crate::wire::{FoundMessage, ResultMessage, encode};
use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use certificate_spec::Digest;
use draughtproof_proof::proof::{Answer, Item, Lease, Work, WorkerQueue};
use draughtproof_proof::search::SearchProgress;
use futures_util::StreamExt;

/// Time after which a request for items expires and is made anew.
const EXPIRES: Duration = Duration::from_secs(3);
/// Like [`EXPIRES`], but if there is more than one job, since jobs are asked in turn.
const EXPIRES_IN_TURN: Duration = Duration::from_millis(300);
/// Delay before the next attempt after a failure.
const PAUSE: Duration = Duration::from_millis(300);
/// Interval at which the worker checks which leases to renew.
const LOOK: Duration = Duration::from_millis(100);

/// An item that a thread has taken.
pub(super) struct FarmLease {
    shared: Arc<Shared>,
    held: Option<WaitingItem>,
    start: Instant,
}

/// The queue of a worker's threads.
pub(super) struct LeaseQueue(pub(super) Arc<Shared>);

impl WorkerQueue for LeaseQueue {
    type Lease<'a> = FarmLease;

    fn lease(&self) -> Option<FarmLease> {
        let shared = &self.0;
        let mut leases = shared.leases();
        leases.idle += 1;
        shared.demand.notify_one();
        loop {
            if leases.is_closed {
                leases.idle -= 1;
                return None;
            }
            if let Some(held) = leases.ready.pop_front() {
                leases.idle -= 1;
                let start = Instant::now();
                return Some(FarmLease { shared: Arc::clone(shared), held: Some(held), start });
            }
            leases = shared.ready.wait(leases).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl FarmLease {
    pub(super) fn job(&self) -> &Arc<OpenJob> {
        match &self.held {
            Some(held) => &held.job,
            None => unreachable!("a lease that is over"),
        }
    }

    /// Sends a result; waits if too many results are under way.
    fn finish(mut self, found: Result<Vec<u8>, String>) {
        let Some(WaitingItem { job, item, number }) = self.held.take() else { return };
        let shared = Arc::clone(&self.shared);
        shared.leases().record_time(self.start.elapsed());
        if job.is_over() {
            shared.leases().release(number);
            return;
        }
        let permit = shared.runtime.block_on(Arc::clone(&shared.results).acquire_owned());
        let finished = Finished { job, item, number, found };
        shared.clone().runtime.spawn(async move {
            send_result(&shared, finished).await;
            drop(permit);
        });
    }
}

impl Lease for FarmLease {
    fn item(&self) -> &[u8] {
        self.held.as_ref().map_or(&[], |held| &held.item)
    }

    fn complete(self, result: Vec<u8>) {
        self.finish(Ok(result));
    }

    fn give_up(self, why: String) {
        self.finish(Err(why));
    }
}

impl Drop for FarmLease {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            let shared = Arc::clone(&self.shared);
            self.shared.runtime.spawn(async move { give_back(&shared, held.number).await });
        }
    }
}

/// Gives an item back, so that the broker hands it to another worker at once.
async fn give_back(shared: &Shared, number: u64) {
    let receipt = shared.leases().held.get(&number).map(|keep| Arc::clone(&keep.receipt));
    if let Some(receipt) = receipt {
        // If this message is lost, the lease expires and the item goes to another worker later.
        let _ = receipt.ack_with(AckKind::Nak(None)).await;
    }
    shared.leases().release(number);
}

/// Takes items for threads that wait until the worker ends, and then gives back those that no
/// thread has begun.
pub(super) async fn take_items(shared: Arc<Shared>) {
    let mut consumers: HashMap<String, PullConsumer> = HashMap::new();
    let mut ending = shared.ending.subscribe();
    for turn in 0usize.. {
        if *ending.borrow() {
            break;
        }
        let jobs: Vec<Arc<OpenJob>> = shared.jobs().open().collect();
        consumers.retain(|name, _| jobs.iter().any(|job| job.name == *name));
        let wanted = shared.leases().wanted();
        if wanted == 0 || jobs.is_empty() {
            tokio::select! {
                () = shared.demand.notified() => {}
                _ = ending.changed() => {}
            }
            continue;
        }
        let job = &jobs[turn % jobs.len()];
        let expires = if jobs.len() == 1 { EXPIRES } else { EXPIRES_IN_TURN };
        let taken = tokio::select! {
            taken = take(&shared, job, &mut consumers, wanted, expires) => taken,
            _ = ending.changed() => continue,
        };
        if let Err(why) = taken {
            consumers.remove(&job.name);
            // The consumer of a job that is done is removed right after the announcement of its
            // end, which may come later here.
            tokio::time::sleep(PAUSE).await;
            if !job.is_over() {
                shared.link.log.warn(&format!("job {}: no items come: {why}", job.name));
            }
        }
    }
    let unbegun: Vec<WaitingItem> = shared.leases().ready.drain(..).collect();
    for held in unbegun {
        give_back(&shared, held.number).await;
    }
}

/// Takes `wanted` items of a job, or those that come until the request expires.
async fn take(
    shared: &Shared,
    job: &Arc<OpenJob>,
    consumers: &mut HashMap<String, PullConsumer>,
    wanted: usize,
    expires: Duration,
) -> Result<(), String> {
    if !consumers.contains_key(&job.name) {
        let stream = items_stream(&job.name);
        let found = shared.link.context.get_consumer_from_stream(WORKERS, stream).await;
        consumers.insert(job.name.clone(), found.map_err(|e| e.to_string())?);
    }
    let Some(consumer) = consumers.get(&job.name) else { return Ok(()) };
    let mut epoch = shared.link.epoch.clone();
    epoch.mark_unchanged();
    let batch = consumer.batch().max_messages(wanted).expires(expires).messages();
    let mut batch = batch.await.map_err(|e| e.to_string())?;
    loop {
        let message = tokio::select! {
            message = batch.next() => message,
            // The answer to a request over an earlier connection never comes.
            _ = epoch.changed() => return Ok(()),
        };
        let Some(message) = message else { return Ok(()) };
        let (message, receipt) = message.map_err(|e| e.to_string())?.split();
        shared.leases().add(Arc::clone(job), message.payload.into(), receipt);
        shared.ready.notify_one();
    }
}

/// Renews the leases of all held items until the task is aborted.
pub(super) async fn keep_alive(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let due = shared.leases().due();
        for receipt in due {
            // If this renewal is lost, the next one does as well.
            let _ = receipt.ack_with(AckKind::Progress).await;
        }
    }
}

pub(super) fn search(shared: &Shared, lease: &FarmLease) -> Work {
    let job = lease.job();
    let context = job.context();
    let Some(item) = Item::decode(lease.item(), &context) else {
        return Work::Impossible("bytes that are no item of this job".into());
    };
    if item.nodes > job.most_nodes || item.table > job.most_table {
        return Work::Impossible("an item that is larger than the job says".into());
    }
    let reported = AtomicU64::new(0);
    let count = |nodes: u64| {
        for counter in [&shared.nodes, &job.nodes, &reported] {
            counter.fetch_add(nodes, Ordering::Relaxed);
        }
    };
    let report = |SearchProgress { nodes, .. }| {
        count(nodes);
        let is_needless = shared.is_ending() || job.is_over();
        if is_needless { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let answer = Answer::of(&item, &context, &report, None);
    if let Err(error) = context.database.failure() {
        shared.fault().get_or_insert(error);
    }
    match answer {
        Some(answer) => {
            count(answer.nodes.saturating_sub(reported.load(Ordering::Relaxed)));
            shared.items.fetch_add(1, Ordering::Relaxed);
            job.items.fetch_add(1, Ordering::Relaxed);
            Work::Done(answer.encode())
        }
        None if shared.is_ending() || context.database.has_failed() => Work::Stopped,
        None => Work::Impossible("the job is over".into()),
    }
}

/// The first delay before a result that the broker did not take is sent again. The delay doubles
/// after each attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
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
    let mut pause = FIRST_PAUSE;
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
    let mut pause = FIRST_PAUSE;
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
