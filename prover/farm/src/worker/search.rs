//! Searches an item.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use draughtproof_proof::proof::{Answer, Item, Lease, Work};
use draughtproof_proof::search::SearchProgress;

use super::items::FarmLease;
use super::shared::Shared;

/// Searches an item.
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
