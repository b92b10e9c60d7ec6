//! How much memory tables of values may take where nobody says.

/// Three quarters of the memory that the system says is free; no bound where it does not say.
pub fn default_bound() -> u64 {
    free().map_or(u64::MAX, |bytes| bytes / 4 * 3)
}

/// The bytes that can be had without swapping.
fn free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1024)
}
