//! Texts as they are printed: untrusted ones escaped (names of files, the words of notes and
//! certificates), and verdicts without lists of digests.

/// Whether a character ends a line, is a command to a terminal, or turns the direction of writing.
fn is_hostile(c: char) -> bool {
    let turns = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'];
    let embeds = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns.contains(&c) || embeds
}

/// The text on one line. Hostile characters are escaped as in verdicts, byte by byte as `%` and two
/// hexadecimal digits.
pub fn one_line(text: &str) -> String {
    let (mut line, mut bytes) = (String::new(), [0; 4]);
    for c in text.chars() {
        if is_hostile(c) {
            let bytes = c.encode_utf8(&mut bytes).bytes();
            bytes.for_each(|byte| line += &format!("%{byte:02x}"));
        } else {
            line.push(c);
        }
    }
    line
}

/// A verdict without the lists of digests that notes have: the number of digests is in the place of
/// each list of two or more (`SPEC.md` §11, §12).
pub fn without_lists(verdict: &str) -> String {
    let shown = |word: &str| match word.split_once('=') {
        Some((name @ ("tables" | "db-note"), list)) if list.contains(',') => {
            format!("{name}={}", list.split(',').count())
        }
        _ => word.into(),
    };
    verdict.split(' ').map(shown).collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::without_lists;

    #[test]
    fn lists_are_counted_and_all_else_stays() {
        for (verdict, shown) in [
            (
                "VERIFIED DRAW root=a,b tables=a,b,c given=0-1/2",
                "VERIFIED DRAW root=a,b tables=3 given=0-1/2",
            ),
            ("x db-note=a db-note-keys=1", "x db-note=a db-note-keys=1"),
            ("x db-note=a,b db-note-journals=1  y", "x db-note=2 db-note-journals=1  y"),
            ("tables=none", "tables=none"),
        ] {
            assert_eq!(without_lists(verdict), shown);
        }
    }
}
