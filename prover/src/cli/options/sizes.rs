//! Numbers of bytes on the command line.

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
