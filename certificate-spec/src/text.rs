//! Text that people write: keys, tables, lists of positions. No file of the format is read by this.

/// The byte order mark, with which some editors and shells begin UTF-8.
const MARK: char = '\u{feff}';

/// The text without a byte order mark at its beginning.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
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
