//! Numbers as text for people: counts with their nouns, sizes and times. No decision depends on it.

/// Formats a count with commas between thousands.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun, such as `["leaf", "leaves"]`.
pub fn counted(count: u64, [one, many]: [&str; 2]) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// Formats a number of bytes with three digits, or exactly if it is small.
///
/// ```
/// use checker_aid::numbers::size;
/// assert_eq!([1, 2_024, 100 << 20, 29 << 29].map(size), ["1 byte", "2,024 bytes", "100 MiB", "14.5 GiB"]);
/// ```
pub fn size(bytes: u64) -> String {
    if bytes < 10_000 {
        return counted(bytes, ["byte", "bytes"]);
    }
    let (mut size, mut unit) = (bytes as f64 / 1024.0, "KiB");
    for larger in ["MiB", "GiB", "TiB", "PiB", "EiB"] {
        if size >= 1000.0 {
            (size, unit) = (size / 1024.0, larger);
        }
    }
    let text = match size {
        ..10.0 => format!("{size:.2}"),
        ..100.0 => format!("{size:.1}"),
        _ => format!("{size:.0}."),
    };
    format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Formats a time in seconds.
///
/// ```
/// use checker_aid::numbers::time;
/// assert_eq!([42, 90, 7200, 180_000].map(time), ["42 s", "1 min 30 s", "2 h 0 min", "50 h 0 min"]);
/// ```
pub fn time(seconds: u64) -> String {
    let minutes = seconds / 60;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min {} s", seconds % 60),
        _ => format!("{} h {} min", grouped(minutes / 60), minutes % 60),
    }
}
