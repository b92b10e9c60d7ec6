//! The workers that do the searches: a bounded number of threads of this process, or a farm.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::queue::QueueSource;

/// A number of workers. A clone stands for the same workers, so several proofs can share them.
#[derive(Debug, Clone)]
pub struct Workers {
    number: usize,
    free: Arc<(Mutex<usize>, Condvar)>,
    farm: Option<Arc<dyn QueueSource>>,
}

/// A worker that is busy; it is free again when this is dropped.
pub struct Worker<'a>(&'a Workers);

impl Workers {
    /// A pool of `number` threads; of one thread if the number is 0.
    pub fn new(number: usize) -> Self {
        let number = number.max(1);
        Workers { number, free: Arc::new((Mutex::new(number), Condvar::new())), farm: None }
    }

    /// The workers outside of this process, of any number.
    pub fn farm(source: Arc<dyn QueueSource>) -> Self {
        Workers { farm: Some(source), ..Workers::new(usize::MAX) }
    }

    /// The number of workers; `usize::MAX` if they are outside of this process.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The source of queues to the workers, if they are outside of this process.
    pub(super) fn outside(&self) -> Option<&dyn QueueSource> {
        self.farm.as_deref()
    }

    /// Waits until a worker is free, and takes it.
    pub fn take(&self) -> Worker<'_> {
        let (free, changed) = &*self.free;
        let free = free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free =
            changed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Worker(self)
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let (free, changed) = &*self.0.free;
        *free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        changed.notify_one();
    }
}
