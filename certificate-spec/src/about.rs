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

/// Reads an object of lines: as many as the header says, of printable ASCII characters.
///
/// # Errors
/// [`WireError`] when the header is wrong, a character is not printable, or lines are missing or left over.
pub fn decode(bytes: &[u8]) -> Result<(ObjectHeader, Vec<String>), WireError> {
    let mut r = Reader::new(bytes);
    let header = ObjectHeader::read(&mut r, MAGIC)?;
    let start = r.offset();
    let text = r.rest();
    if let Some(at) = text.iter().position(|&b| b != b'\n' && !(b' '..=b'~').contains(&b)) {
        let found = format!("byte {:02x}", text[at]);
        return Err(WireError::syntax(start + at as u64, "a printable ASCII character", found));
    }
    let lines: Vec<String> = text
        .split_inclusive(|&b| b == b'\n')
        .filter_map(|line| line.strip_suffix(b"\n"))
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    let length = lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>();
    if lines.len() as u64 != header.count || length != text.len() as u64 {
        let found = format!("{} lines in {} bytes", lines.len(), text.len());
        return Err(WireError::syntax(start, format!("{} whole lines", header.count), found));
    }
    Ok((header, lines))
}
