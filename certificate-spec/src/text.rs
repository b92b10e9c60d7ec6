//! Text that people write: keys, tables, lists of positions, covers. No file of the format is read
//! by this alone.

use crate::cover::{Clause, Cover, MOST};
use std::str::FromStr;

/// The byte order mark, with which some editors and shells begin UTF-8.
const MARK: char = '\u{feff}';

/// The text without a byte order mark at its beginning.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// The error for a text that is not a cover.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a cover: N (all positions with at most N pieces, 2 to 32) or N:M (at most M of them on \
     a side), several joined by commas as in 7,8:4, or 0 for no database; found {found}"
)]
pub struct CoverError {
    found: String,
}

/// Reads clauses in any order; clauses that others imply are accepted and dropped.
impl FromStr for Cover {
    type Err = CoverError;

    fn from_str(text: &str) -> Result<Cover, CoverError> {
        if text == "0" {
            return Ok(Cover::none());
        }
        let number = |text: &str| {
            let is_digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            text.parse::<u8>().ok().filter(|n| is_digits && *n <= MOST)
        };
        let clause = |text: &str| {
            let (pieces, side) = match text.split_once(':') {
                None => (number(text)?, None),
                Some((pieces, side)) => (number(pieces)?, Some(number(side)?)),
            };
            let clause = Clause { pieces, side: side.unwrap_or(pieces.saturating_sub(1)) };
            (pieces >= 2 && clause.side >= 1).then_some(clause)
        };
        let clauses: Option<Vec<Clause>> = text.split(',').map(clause).collect();
        clauses.map(Cover::of).ok_or_else(|| CoverError { found: text.chars().take(80).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::without_mark;

    #[test]
    fn one_mark_is_passed_over_at_the_beginning_alone() {
        for (text, rest) in
            [("", ""), ("\u{feff}", ""), ("\u{feff}a", "a"), ("a\u{feff}", "a\u{feff}")]
        {
            assert_eq!(without_mark(text), rest);
        }
    }
}
