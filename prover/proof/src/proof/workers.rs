//! The workers that do the searches: a bounded number of threads of this process, or a farm.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::queue::QueueSource;

/// The workers that do the searches.
#[derive(Debug)]
pub enum Workers {
    /// Threads of this process.
    Threads(Threads),
    /// Workers outside of this process.
    Farm(Arc<dyn QueueSource>),
}

impl Workers {
    /// Threads of this process, at least one.
    pub fn threads(number: usize) -> Self {
        let number = number.max(1);
        Workers::Threads(Threads { number, free: Mutex::new(number), changed: Condvar::new() })
    }

    /// Whether there is a single worker, so that questions are asked one after the other.
    pub(super) fn is_single(&self) -> bool {
        matches!(self, Workers::Threads(Threads { number: 1, .. }))
    }
}

/// A number of threads that the questions of a start share.
#[derive(Debug)]
pub struct Threads {
    number: usize,
    free: Mutex<usize>,
    changed: Condvar,
}

/// A thread that is busy; it is free again when this is dropped.
pub(super) struct BusyThread<'a>(&'a Threads);

impl Threads {
    /// The number of threads.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Waits until a thread is free, and takes it.
    pub(super) fn take(&self) -> BusyThread<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.changed.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        BusyThread(self)
    }
}

impl Drop for BusyThread<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.changed.notify_one();
    }
}
