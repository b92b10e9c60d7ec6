//! How a question was answered: lines of text that are shown and that nothing relies on (`SPEC.md` §7.1).

use crate::WireError;
use crate::manifest::ObjectHeader;
use crate::reader::Reader;

const MAGIC: &[u8; 8] = b"DPABOUT\0";

/// The bytes of an object with these lines. The header's count is their number.
pub fn encode(header: &ObjectHeader, lines: &[String]) -> Vec<u8> {
    let mut out = header.encode(MAGIC);
    for line in lines {
        out.extend(line.as_bytes());
        out.push(b'\n');
    }
    out
}

/// Reads an object of lines: as many as the header says, of printable ASCII characters. They come as one text,
/// because a line may be empty, and anything kept for each would be many times what is there.
///
/// # Errors
/// [`WireError`] when the header is wrong, a character is not printable, or lines are missing or left over.
pub fn decode(bytes: &[u8]) -> Result<(ObjectHeader, &str), WireError> {
    let mut r = Reader::new(bytes);
    let header = ObjectHeader::read(&mut r, MAGIC)?;
    let start = r.offset();
    let bytes = r.rest();
    if let Some(at) = bytes.iter().position(|&b| b != b'\n' && !(b' '..=b'~').contains(&b)) {
        let found = format!("byte {:02x}", bytes[at]);
        return Err(WireError::syntax(start + at as u64, "a printable ASCII character", found));
    }
    let text = str::from_utf8(bytes).unwrap_or_default();
    let lines = bytes.iter().filter(|&&b| b == b'\n').count();
    if lines as u64 != header.count || !(text.is_empty() || text.ends_with('\n')) {
        let found = format!("{lines} lines in {} bytes", bytes.len());
        return Err(WireError::syntax(start, format!("{} whole lines", header.count), found));
    }
    Ok((header, text))
}
