//! The work of a worker, for any queue of items.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::queue::{Lease, WorkerQueue};
use crate::egdb::OutOfMemory;

/// The outcome of an item.
pub enum Work {
    /// The encoded result.
    Done(Vec<u8>),
    /// No result, now or later, for this reason.
    Impossible(String),
    /// No result, because the worker is to end.
    Stopped,
}

/// Does items until there are no more, or the worker is to end. An item during which it is stopped
/// goes back to the queue; an item whose search panics has no result.
pub fn work<Q: WorkerQueue>(queue: &Q, answer: impl Fn(&Q::Lease<'_>) -> Work) {
    while let Some(lease) = queue.lease() {
        match catch_unwind(AssertUnwindSafe(|| answer(&lease))) {
            Ok(Work::Done(result)) => lease.complete(result),
            Ok(Work::Impossible(why)) => lease.give_up(why),
            Ok(Work::Stopped) => return,
            Err(panic) => {
                if let Some(lack) = panic.downcast_ref::<OutOfMemory>() {
                    lease.give_up(lack.to_string());
                    continue;
                }
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                lease.give_up(format!("the search panicked: {}", text.unwrap_or_default()));
            }
        }
    }
}
