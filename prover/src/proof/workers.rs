//! How many searches are under way at a time.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// So many workers. Proofs that have been given the same ones share them.
#[derive(Debug, Clone)]
pub struct Workers {
    number: usize,
    free: Arc<(Mutex<usize>, Condvar)>,
}

/// A worker at work, free again when this is dropped.
pub struct Worker<'a>(&'a Workers);

impl Workers {
    /// So many, one at least.
    pub fn new(number: usize) -> Self {
        let number = number.max(1);
        Workers { number, free: Arc::new((Mutex::new(number), Condvar::new())) }
    }

    /// How many there are.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Waits until one is free.
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
