//! Large memory pages for large tables.

/// Asks the operating system to back memory by large pages: look-ups access all of a large table at
/// random, and would miss the translation look-aside buffer nearly every time. If the system
/// refuses, small pages are used. This must be called before anything is written there.
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
