//! The default bound on the memory of tables of values, for when the user sets none.

/// Three quarters of the memory that the system reports as free; no bound where it reports none.
pub fn default_bound() -> u64 {
    free().map_or(u64::MAX, |bytes| bytes / 4 * 3)
}

/// The bytes that are available without swapping.
fn free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1024)
}
