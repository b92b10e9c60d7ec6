//! Searches an item, once the lemmas that it rests on are here.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLockReadGuard};
use std::time::{Duration, Instant};

use certificate_spec::Digest;
use draughtproof_proof::proof::{Answer, Item, Lease, SearchContext, Work};
use draughtproof_proof::search::SearchProgress;

use super::items::FarmLease;
use super::jobs::OpenJob;
use super::lemmas::QuestionLemmas;
use super::shared::Shared;
use crate::board::Side;
use crate::names::lemmas_subject;
use crate::wire::{RoundsReply, RoundsRequest, decode, encode};

/// Interval at which missing rounds are requested again.
const PAUSE: Duration = Duration::from_millis(200);
/// Time after which an item is given back because its manager has not sent the rounds that it rests
/// on.
const PATIENCE: Duration = Duration::from_secs(30);

/// Searches an item.
pub(super) fn search(shared: &Shared, lease: &FarmLease) -> Work {
    let job = lease.job();
    let known = match Item::lemmas_of(lease.item()) {
        None => None,
        Some((attacker, digest)) => match wait_for_lemmas(shared, job, attacker, digest) {
            Ok(Some(known)) => Some(known),
            Ok(None) if shared.is_ending() => return Work::Stopped,
            Ok(None) => return Work::Impossible("the job is over".into()),
            Err(why) => return Work::Impossible(why),
        },
    };
    let context =
        SearchContext { lemmas: known.as_ref().map(|known| &known.lemmas), ..job.context() };
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

/// Waits until the lemmas have exactly the digest `wanted`; `None` if this worker is to end before
/// that.
///
/// # Errors
/// The reason why these lemmas do not come.
fn wait_for_lemmas<'a>(
    shared: &Shared,
    job: &'a OpenJob,
    attacker: Side,
    wanted: Digest,
) -> Result<Option<RwLockReadGuard<'a, QuestionLemmas>>, String> {
    let known = job.lemmas(attacker);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let there = known.read().unwrap_or_else(PoisonError::into_inner);
        if there.lemmas.digest() == wanted {
            return Ok(Some(there));
        }
        drop(there);
        let mut there = known.write().unwrap_or_else(PoisonError::into_inner);
        if there.earlier.contains(&wanted) {
            // An item of an earlier round was handed out again: its lemmas are learnt anew.
            there.clear(true);
        }
        while there.lemmas.digest() != wanted {
            match there.replay_next(attacker, &job.context()) {
                Ok(true) => {}
                Ok(false) => break,
                Err(why) => {
                    there.clear(false);
                    return Err(format!("strategies that do not hold: {why}"));
                }
            }
        }
        if there.lemmas.digest() == wanted {
            continue;
        }
        let from = there.rounds.len();
        let begin = Instant::now();
        drop(there);
        let more = request_rounds(shared, job, attacker, from as u64);
        let mut there = known.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have received these bytes first.
        if there.rounds.len() == from {
            there.rounds.extend_from_slice(&more);
        }
        drop(there);
        if shared.is_ending() || job.is_over() {
            return Ok(None);
        }
        if more.is_empty() {
            if Instant::now() > deadline {
                // The received rounds may differ from those of the manager.
                known.write().unwrap_or_else(PoisonError::into_inner).clear(false);
                return Err("its manager does not say what it rests on".into());
            }
            std::thread::sleep(PAUSE.saturating_sub(begin.elapsed()));
        }
    }
}

/// Asks the manager for the rounds from offset `from` on. The result is empty if there are no more
/// or no answer comes.
fn request_rounds(shared: &Shared, job: &OpenJob, attacker: Side, from: u64) -> Vec<u8> {
    let request = encode(&RoundsRequest { white_attacks: attacker == Side::White, from });
    let subject = lemmas_subject(&job.name);
    let answer = shared.runtime.block_on(shared.link.client.request(subject, request.into()));
    let reply = answer.ok().and_then(|answer| decode::<RoundsReply>(&answer.payload).ok());
    reply.map(|reply| reply.bytes).unwrap_or_default()
}
