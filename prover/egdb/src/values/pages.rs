//! Memory for large tables: pages, and what to do when there is none.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::AtomicU64;

use crate::numbers::size_up;

/// Memory that cannot be had. Where a function without an error needs it, the thread unwinds with
/// this as its payload, and the command ends with this as its error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory {
    /// The bytes that were wanted.
    pub bytes: u64,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of memory in one piece cannot be had", size_up(self.bytes))
    }
}

impl std::error::Error for OutOfMemory {}

/// A table of this length, in large pages if the system has them.
pub fn try_table<T>(length: usize, value: impl FnMut() -> T) -> Result<Vec<T>, OutOfMemory> {
    let bytes = (length as u64).saturating_mul(size_of::<T>() as u64);
    let mut table = Vec::new();
    table.try_reserve_exact(length).map_err(|_| OutOfMemory { bytes })?;
    ask_for_large_pages(table.spare_capacity_mut());
    table.resize_with(length, value);
    Ok(table)
}

/// Like [`try_table`]; unwinds with [`OutOfMemory`] if there is no memory.
pub fn table<T>(length: usize, value: impl FnMut() -> T) -> Vec<T> {
    try_table(length, value).unwrap_or_else(|lack| resume_unwind(Box::new(lack)))
}

/// Returns zeroed words. The system provides a page of them when it is first touched.
pub fn zeroed_words(length: usize) -> Result<Vec<AtomicU64>, OutOfMemory> {
    let bytes = (length as u64).saturating_mul(size_of::<AtomicU64>() as u64);
    bytemuck::try_zeroed_vec(length).map_err(|()| OutOfMemory { bytes })
}

/// Asks the operating system to back memory by large pages: look-ups access all of a large table at
/// random, and would miss the translation look-aside buffer nearly every time. If the system
/// refuses, small pages are used. Pages that were touched before stay as they are.
pub fn ask_for_large_pages<T>(memory: &[T]) {
    const PAGE: usize = 4096;
    let start = memory.as_ptr().addr().next_multiple_of(PAGE);
    let end = (memory.as_ptr().addr() + size_of_val(memory)) & !(PAGE - 1);
    if end.saturating_sub(start) < 4 << 20 {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        let first = memory.as_ptr().with_addr(start).cast_mut().cast();
        // SAFETY: the range lies within memory that is borrowed here, and the advice does not
        // change its content.
        let _ =
            unsafe { rustix::mm::madvise(first, end - start, rustix::mm::Advice::LinuxHugepage) };
    }
}
