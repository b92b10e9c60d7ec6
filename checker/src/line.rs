//! The verdict line as it is printed: lists of digests are counted, and words for people are cut,
//! so that it has at most [`MOST`] characters wherever the name of its file lets it. A note has the
//! whole line.

use checker::stderr::MOST;
use checker_audit::without_lists;

/// The most characters of what was expected or found.
const WORDS: usize = 150;

/// The beginning of an escaped text, whole escapes only.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.into();
    }
    let end = most - 3;
    let escape = text[..end].rfind('%').filter(|at| at + 3 > end);
    format!("{}...", &text[..escape.unwrap_or(end)])
}

/// What is printed of a verdict line.
pub(crate) fn printed(line: &str) -> String {
    let line = without_lists(line);
    if line.len() <= MOST {
        return line;
    }
    if line.starts_with("s ERROR ") {
        return cut(&line, MOST);
    }
    let shown = |word: &str| match word.split_once('=') {
        Some((name @ ("expected" | "found"), text)) => format!("{name}={}", cut(text, WORDS)),
        _ => word.into(),
    };
    line.split(' ').map(shown).collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::printed;

    #[test]
    fn what_is_for_people_is_cut_and_nothing_else() {
        let long = "%20a".repeat(200);
        let line = printed(&format!("s REFUTED rule file=f expected={long} found={long} x={long}"));
        assert!(line.ends_with(&format!("... x={long}")), "{line}");
        for word in line.split(' ').filter(|word| word.ends_with("...")) {
            let text = word.split_once('=').unwrap().1.trim_end_matches("...");
            assert!(
                text.len() > 140 && long.starts_with(text) && text.ends_with(['a', '0']),
                "{word}"
            );
        }
        assert_eq!(printed(&format!("s ERROR {}", "a ".repeat(400))).len(), 600);
        let short = "s REFUTED rule file=f expected=1 found=2";
        assert_eq!(printed(short), short);
    }
}
