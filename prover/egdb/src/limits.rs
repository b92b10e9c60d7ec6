//! The memory and the open files that the system grants this process.

#[cfg(unix)]
use rustix::process::{Resource, getrlimit, setrlimit};

/// The bytes of memory that can still be had: the least of what the system has, what the control
/// groups of this process allow (containers), and what its own limits allow (`ulimit -v`). `None`
/// where the system reports nothing.
pub fn free_memory() -> Option<u64> {
    [available(), control_groups(), address_space()].into_iter().flatten().min()
}

/// The bytes that the system can hand out without swapping.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1024)
}

/// The bytes that the control groups of this process leave, version 1 or 2; `None` without a limit.
fn control_groups() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut least = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (root, limit, used) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
            all if all.split(',').any(|one| one == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        let inner = std::path::Path::new(root).join(path.trim_start_matches('/'));
        for group in inner.ancestors().take_while(|group| group.starts_with(root)) {
            let read = |name| std::fs::read_to_string(group.join(name)).ok();
            let number = |name| read(name)?.trim().parse::<u64>().ok();
            let Some(limit) = number(limit) else { continue };
            // Pages of files are given back when memory is wanted.
            let files = |text: String| -> u64 {
                let sizes = text.lines().filter_map(|line| {
                    let (name, size) = line.split_once(' ')?;
                    let is_file = matches!(name, "active_file" | "inactive_file");
                    size.parse::<u64>().ok().filter(|_| is_file)
                });
                sizes.sum()
            };
            let used = number(used).unwrap_or(0);
            let used = used.saturating_sub(read("memory.stat").map_or(0, files));
            let left = limit.saturating_sub(used);
            least = Some(least.map_or(left, |least: u64| least.min(left)));
        }
    }
    least
}

/// The bytes of addresses that the limits of this process leave; `None` without a limit.
#[cfg(unix)]
pub(crate) fn address_space() -> Option<u64> {
    const PAGE: u64 = 4096;
    let used = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let used = |field| -> u64 {
        let pages = used.split(' ').nth(field).and_then(|pages| pages.parse::<u64>().ok());
        pages.unwrap_or(0) * PAGE
    };
    // The fields of statm are the pages of all addresses and, as the sixth, those of data.
    let left = |resource, field| Some(getrlimit(resource).current?.saturating_sub(used(field)));
    [left(Resource::As, 0), left(Resource::Data, 5)].into_iter().flatten().min()
}

/// Systems other than Unix have no such limit.
#[cfg(not(unix))]
pub(crate) fn address_space() -> Option<u64> {
    None
}

/// Raises the number of files that this process may have open to what the system allows it.
pub fn raise_open_files() {
    #[cfg(unix)]
    {
        let limit = getrlimit(Resource::Nofile);
        // Without it, files that were not used for long are closed.
        let _ = setrlimit(
            Resource::Nofile,
            rustix::process::Rlimit { current: limit.maximum, ..limit },
        );
    }
}

/// The number of files that look-ups may keep open: the rest is for other uses.
pub(crate) fn most_open_files() -> usize {
    #[cfg(unix)]
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(1 << 20);
    #[cfg(not(unix))]
    let limit = 1 << 10;
    usize::try_from(limit / 4).unwrap_or(usize::MAX).clamp(4, 1 << 12)
}
