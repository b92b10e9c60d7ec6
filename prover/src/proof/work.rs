//! What a worker does, whatever queue its items come from.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::queue::{Lease, WorkerQueue};

/// What a worker makes of an item.
pub enum Work {
    /// A result.
    Done(Vec<u8>),
    /// Nothing, now or later, and why.
    Impossible(String),
    /// Nothing, as the worker is to end.
    Stopped,
}

/// Does items until there are no more, or the worker is to end. An item during which it is stopped
/// goes back; one that brings the search down has no result.
pub fn work<Q: WorkerQueue>(queue: &Q, answer: impl Fn(&Q::Lease<'_>) -> Work) {
    while let Some(lease) = queue.lease() {
        match catch_unwind(AssertUnwindSafe(|| answer(&lease))) {
            Ok(Work::Done(result)) => lease.complete(result),
            Ok(Work::Impossible(why)) => lease.give_up(why),
            Ok(Work::Stopped) => return,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                lease.give_up(format!("the search panicked: {}", text.unwrap_or_default()));
            }
        }
    }
}
