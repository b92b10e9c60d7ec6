//! Numbers as text for people: counts with their nouns, sizes, times, rates, shares and scores.
//!
//! Results for programs, in tsv and json, have plain digits instead.

/// The units of sizes after the byte, each 1024 times the one before.
const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
/// Sizes below this number of bytes are exact.
const ROUNDED: u64 = 10_000;
/// The seconds of a year.
const YEAR: f64 = 365.25 * 86_400.0;

/// Formats a count with commas between thousands.
///
/// ```
/// use draughtproof_egdb::numbers::grouped;
/// assert_eq!([0, 999, 7_775, 1_234_567].map(grouped), ["0", "999", "7,775", "1,234,567"]);
/// ```
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

/// Formats a count with its noun, which is given in the singular.
///
/// ```
/// use draughtproof_egdb::numbers::counted;
/// assert_eq!([counted(1, "thread"), counted(0, "leaf")], ["1 thread", "0 leaves"]);
/// assert_eq!(counted(7_775, "pair of slices"), "7,775 pairs of slices");
/// ```
pub fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let (first, rest) = noun.split_at(noun.find(" of ").unwrap_or(noun.len()));
    let plural = match first {
        _ if count == 1 => first.into(),
        "leaf" => "leaves".into(),
        "man" => "men".into(),
        "ply" => "plies".into(),
        "index" => "indices".into(),
        _ if first.ends_with("ch") => format!("{first}es"),
        _ => format!("{first}s"),
    };
    format!("{} {plural}{rest}", grouped(count))
}

/// Formats a number of bytes with three digits, or exactly if it is small.
///
/// ```
/// use draughtproof_egdb::numbers::size;
/// let sizes = [1, 2_024, 360_000, 1 << 20, 391_800_000, 5 << 30, 134 << 40, 5 << 50];
/// let texts = ["1 byte", "2,024 bytes", "352 KiB", "1 MiB", "374 MiB", "5 GiB", "134 TiB", "5 PiB"];
/// assert_eq!(sizes.map(size), texts);
/// ```
pub fn size(bytes: u64) -> String {
    rounded(bytes, |bytes, unit| (bytes + unit / 2) / unit)
}

/// Formats a needed number of bytes, rounded up.
///
/// ```
/// use draughtproof_egdb::numbers::{size_down, size_up};
/// assert_eq!([size_up((5 << 20) + 1), size_down((5 << 20) - 1)], ["5.01 MiB", "4.99 MiB"]);
/// ```
pub fn size_up(bytes: u64) -> String {
    rounded(bytes, u128::div_ceil)
}

/// Formats an available number of bytes, rounded down. If more is needed than is available, the two
/// texts differ.
pub fn size_down(bytes: u64) -> String {
    rounded(bytes, |bytes, unit| bytes / unit)
}

fn rounded(bytes: u64, divide: impl Fn(u128, u128) -> u128) -> String {
    if bytes < ROUNDED {
        return counted(bytes, "byte");
    }
    let (mut unit, mut name) = (1 << 10, UNITS[0]);
    for larger in &UNITS[1..] {
        if u128::from(bytes) >= 1000 * unit {
            (unit, name) = (unit << 10, larger);
        }
    }
    let decimals = match u128::from(bytes) / unit {
        0..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    let one = 10_u128.pow(decimals);
    let number = divide(u128::from(bytes) * one, unit);
    let mut text = grouped((number / one) as u64);
    if !number.is_multiple_of(one) {
        let width = decimals as usize;
        text += format!(".{:0width$}", number % one).trim_end_matches('0');
    }
    format!("{text} {name}")
}

/// Formats a time in seconds.
///
/// ```
/// use draughtproof_egdb::numbers::time;
/// let times = [0.01, 0.5, 42.4, 59.5, 449.0, 2_955.0, 24_600.0, 864_000.0, 2.5e8];
/// let texts =
///     ["< 0.1 s", "0.5 s", "42 s", "1 min", "7 min 29 s", "49 min", "6 h 50 min", "10 d", "8 years"];
/// assert_eq!(times.map(time), texts);
/// ```
pub fn time(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    // The larger unit alone if nothing is left for the smaller one.
    let both = |many: u64, name: &str, few: u64, small: &str| match few {
        0 => format!("{many} {name}"),
        _ => format!("{many} {name} {few} {small}"),
    };
    let [minutes, hours, days] = [60, 3600, 86_400].map(|unit| whole / unit);
    match whole {
        _ if seconds < 0.05 => "< 0.1 s".into(),
        _ if seconds < 9.95 => format!("{seconds:.1} s"),
        0..60 => format!("{whole} s"),
        60..600 => both(minutes, "min", whole % 60, "s"),
        600..3600 => format!("{minutes} min"),
        3600..172_800 => both(hours, "h", minutes % 60, "min"),
        172_800..8_640_000 => both(days, "d", hours % 24, "h"),
        _ if seconds < 2.0 * YEAR => counted(days, "day"),
        _ => counted((seconds / YEAR).round() as u64, "year"),
    }
}

/// Formats a number a second.
///
/// ```
/// use draughtproof_egdb::numbers::rate;
/// assert_eq!([rate(328_304.3487), rate(9.96), rate(0.26)], ["328,304/s", "10/s", "0.3/s"]);
/// ```
pub fn rate(per_second: f64) -> String {
    match per_second {
        0.05..9.95 => format!("{per_second:.1}/s"),
        _ => format!("{}/s", grouped(per_second.round() as u64)),
    }
}

/// The most decimals of a share; with more, the products would not fit into 128 bits.
const MOST_DECIMALS: usize = 17;

/// Formats a share in percent with one decimal. If that rounds a share to 0 or 100 % that is
/// neither, it has more decimals.
///
/// ```
/// use draughtproof_egdb::numbers::percent;
/// assert_eq!([percent(0, 7), percent(7, 7), percent(1, 3)], ["0 %", "100 %", "33.3 %"]);
/// assert_eq!([percent(9_998, 10_000), percent(9_951, 10_000)], ["99.98 %", "99.5 %"]);
/// assert_eq!(percent(1, 123_456_789_012), "0.000000001 %");
/// ```
pub fn percent(part: u64, whole: u64) -> String {
    if part == 0 || part == whole {
        return if part == 0 { "0 %".into() } else { "100 %".into() };
    }
    let [part, whole] = [part, whole].map(u128::from);
    let mut decimals = 1;
    loop {
        let one = 10_u128.pow(decimals as u32);
        let share = (part * 100 * one + whole / 2) / whole;
        if decimals == MOST_DECIMALS || 0 < share && share < 100 * one {
            return format!("{}.{:0>decimals$} %", share / one, share % one);
        }
        decimals += 1;
    }
}

/// Formats a number with one digit, such as `300,000` or `1 × 10¹³`.
///
/// ```
/// use draughtproof_egdb::numbers::about;
/// assert_eq!([about(0.2), about(96.0), about(351_975.0)], ["0", "100", "400,000"]);
/// assert_eq!([about(1.36e13), about(9.7e8)], ["1 × 10¹³", "1 × 10⁹"]);
/// ```
pub fn about(number: f64) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let mut exponent = number.max(1.0).log10().floor() as i32;
    let mut digit = (number / 10f64.powi(exponent)).round();
    if digit >= 10.0 {
        (digit, exponent) = (1.0, exponent + 1);
    }
    if exponent < 6 {
        return grouped((digit * 10f64.powi(exponent)) as u64);
    }
    let digits = exponent.to_string();
    let raised: String = digits.bytes().map(|b| DIGITS[usize::from(b - b'0')]).collect();
    format!("{digit} × 10{raised}")
}

/// Formats a score, given in hundredths of a man, in men.
///
/// ```
/// use draughtproof_egdb::numbers::score;
/// assert_eq!([score(-3), score(0), score(123)], ["-0.03", "+0.00", "+1.23"]);
/// ```
pub fn score(hundredths: i32) -> String {
    let sign = if hundredths < 0 { "-" } else { "+" };
    let size = hundredths.unsigned_abs();
    format!("{sign}{}.{:02}", size / 100, size % 100)
}
