//! Numbers of bytes, read and printed.

/// Reads a number of bytes, such as 512MiB.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err("expected a number and B, KiB, MiB, GiB or TiB".into()),
    };
    let number: u64 = number.parse().map_err(|_| "expected a number first".to_string())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".into())
}

/// A number of bytes with its unit, as text.
pub(crate) fn bytes(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if value < 10.0 && unit > 0 { 1 } else { 0 };
    format!("{value:.digits$} {}", units[unit])
}

/// A number rounded to one digit, such as `300,000` or `1 × 10¹³`.
pub(crate) fn about(number: f64) -> String {
    let mut exponent = number.max(1.0).log10().floor() as i32;
    let mut digit = (number / 10f64.powi(exponent)).round();
    if digit >= 10.0 {
        digit = 1.0;
        exponent += 1;
    }
    if exponent < 6 {
        let whole = (digit * 10f64.powi(exponent)) as u64;
        return match whole {
            0..1000 => whole.to_string(),
            _ => format!("{},{:03}", whole / 1000, whole % 1000),
        };
    }
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.to_string();
    let raised: String = digits.bytes().map(|b| DIGITS[usize::from(b - b'0')]).collect();
    format!("{digit} × 10{raised}")
}

#[cfg(test)]
mod tests {
    use super::about;

    #[test]
    fn numbers_have_one_digit() {
        for (number, text) in [
            (0.2, "0"),
            (7.4, "7"),
            (96.0, "100"),
            (6_305.0, "6,000"),
            (351_975.0, "400,000"),
            (1.36e13, "1 × 10¹³"),
            (9.7e8, "1 × 10⁹"),
        ] {
            assert_eq!(about(number), text);
        }
    }
}
