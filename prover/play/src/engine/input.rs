//! Lines of input, each within a bound on memory.

use std::io::{self, BufRead, Read};

use thiserror::Error;

/// The most bytes of a line: a position and more than 100,000 moves.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// A line that is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum BadLine {
    #[error("expected a line of at most {MOST_BYTES} bytes, found a longer one")]
    TooLong,
    #[error("expected a line in UTF-8, found other bytes")]
    NotText,
}

/// Reads a line, without its end; `None` at the end of the input. The rest of a line that is too
/// long is skipped.
pub(super) fn read_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, BadLine>>> {
    let mut line = Vec::new();
    input.by_ref().take(MOST_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let is_whole = line.pop_if(|last| *last == b'\n').is_some();
    if line.len() > MOST_BYTES {
        if !is_whole {
            input.skip_until(b'\n')?;
        }
        return Ok(Some(Err(BadLine::TooLong)));
    }
    line.pop_if(|last| *last == b'\r');
    Ok(Some(String::from_utf8(line).map_err(|_| BadLine::NotText)))
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read, repeat};

    use super::{BadLine, MOST_BYTES, read_line};

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let long = repeat(b'x').take(5 * MOST_BYTES as u64);
        let bytes = b"hub\r\n\n".chain(long).chain(&b"\n\xff\nping"[..]);
        let mut input = BufReader::new(bytes);
        let mut next = || read_line(&mut input).unwrap();
        assert_eq!(next(), Some(Ok("hub".into())));
        assert_eq!(next(), Some(Ok(String::new())));
        assert_eq!(next(), Some(Err(BadLine::TooLong)));
        assert_eq!(next(), Some(Err(BadLine::NotText)));
        assert_eq!(next(), Some(Ok("ping".into())));
        assert_eq!(next(), None);
    }

    #[test]
    fn a_line_of_just_so_many_bytes_is_read() {
        for (bytes, is_read) in [(MOST_BYTES, true), (MOST_BYTES + 1, false)] {
            let text = ["x".repeat(bytes), "ping".into()].join("\n");
            let mut input = text.as_bytes();
            assert_eq!(read_line(&mut input).unwrap().unwrap().is_ok(), is_read);
            assert_eq!(read_line(&mut input).unwrap(), Some(Ok("ping".into())));
        }
    }
}
