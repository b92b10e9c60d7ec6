//! Large pages for large tables.

/// Asks the system to back memory by large pages: look-ups go everywhere in a large table, and would miss
/// the cache of address translations nearly every time. If it will not, nothing is lost. It must be asked
/// before anything is written there.
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
        // SAFETY: the range lies within memory that is ours, and the advice does not change what is in it.
        let _ =
            unsafe { rustix::mm::madvise(first, end - start, rustix::mm::Advice::LinuxHugepage) };
    }
}
