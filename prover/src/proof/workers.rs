//! The limit on how many searches run at the same time.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// A number of workers. A clone stands for the same workers, so several proofs can share them.
#[derive(Debug, Clone)]
pub struct Workers {
    number: usize,
    free: Arc<(Mutex<usize>, Condvar)>,
}

/// A worker that is busy; it is free again when this is dropped.
pub struct Worker<'a>(&'a Workers);

impl Workers {
    /// A pool of `number` workers; one where the number is 0.
    pub fn new(number: usize) -> Self {
        let number = number.max(1);
        Workers { number, free: Arc::new((Mutex::new(number), Condvar::new())) }
    }

    /// The number of workers.
    pub fn number(&self) -> usize {
        self.number
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
