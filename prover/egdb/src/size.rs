//! Numbers of bytes as text: whole MiB, or whole kB below one MiB.

/// The units, MiB and kB, in bytes.
const UNITS: [(u64, &str); 2] = [(1 << 20, "MiB"), (1000, "kB")];

fn unit(bytes: u64) -> (u64, &'static str) {
    if bytes < UNITS[0].0 { UNITS[1] } else { UNITS[0] }
}

/// A needed number of bytes as text, rounded up.
///
/// ```
/// use draughtproof_egdb::size::{rounded_down, rounded_up};
/// assert_eq!([rounded_up(1), rounded_up(1 << 20), rounded_up(3 << 19)], ["1 kB", "1 MiB", "2 MiB"]);
/// assert_eq!([rounded_down(999_999), rounded_down(3 << 19)], ["999 kB", "1 MiB"]);
/// ```
pub fn rounded_up(bytes: u64) -> String {
    let (size, name) = unit(bytes);
    format!("{} {name}", bytes.div_ceil(size))
}

/// An available number of bytes as text, rounded down. If more is needed than is available, the two
/// texts differ.
pub fn rounded_down(bytes: u64) -> String {
    let (size, name) = unit(bytes);
    format!("{} {name}", bytes / size)
}
