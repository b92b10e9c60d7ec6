//! The verdict line as it is printed: lists of digests are counted, and a line of more than
//! [`MOST`] characters is cut where no claim stands. A note has the whole line.

use checker::stderr::MOST;
use checker_audit::without_lists;

/// Fields whose ends are cut, the first of them first, until the line is short enough, with the
/// most characters that are left: what is said for people, names of files that are not those of a
/// certificate, names that notes give to their checkers, the digest of a list of digests, and the
/// ranges of a shard.
const CUT: [(&[&str], usize); 5] = [
    (&["expected", "found"], 120),
    (&["file"], 150),
    (&["checkers"], 60),
    (&["given-tables"], 11),
    (&["nodes", "leaves"], 36),
];

/// The beginning of a text that is not escaped.
pub(crate) fn beginning(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most.saturating_sub(3)).chain("...".chars()).collect()
}

/// The beginning of an escaped text, whole escapes only.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.into();
    }
    let end = most - 3;
    let escape = text[..end].rfind('%').filter(|at| at + 3 > end);
    format!("{}...", &text[..escape.unwrap_or(end)])
}

/// A line with the ends of these fields cut.
fn with_short(line: &str, names: &[&str], most: usize) -> String {
    let shown = |word: &str| match word.split_once('=') {
        Some((name, text)) if names.contains(&name) => format!("{name}={}", cut(text, most)),
        _ => word.into(),
    };
    line.split(' ').map(shown).collect::<Vec<String>>().join(" ")
}

/// Returns the printed form of a verdict line.
pub(crate) fn printed(line: &str) -> String {
    let mut line = without_lists(line);
    if line.starts_with("s ERROR ") {
        return cut(&line, MOST);
    }
    for (names, most) in CUT {
        if line.len() > MOST {
            line = with_short(&line, names, most);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::printed;

    /// A position with a king on each of 32 squares.
    fn full_board() -> String {
        let kings = |squares: std::ops::RangeInclusive<u8>| {
            squares.map(|n| format!("K{n}")).collect::<Vec<_>>().join(",")
        };
        format!("B:W{}:B{}", kings(17..=32), kings(1..=16))
    }

    #[test]
    fn what_is_for_people_is_cut_first() {
        let long = "%20a".repeat(200);
        let line = printed(&format!("s REFUTED rule file=f expected={long} found={long} x={long}"));
        assert!(line.ends_with(&format!("... x={long}")), "{line}");
        for word in line.split(' ').filter(|word| word.ends_with("...")) {
            let text = word.split_once('=').unwrap().1.trim_end_matches("...");
            assert!(
                text.len() > 110 && long.starts_with(text) && text.ends_with(['a', '0']),
                "{word}"
            );
        }
        assert_eq!(printed(&format!("s ERROR {}", "a ".repeat(400))).len(), 600);
        let short = "s REFUTED rule file=f expected=1 found=2";
        assert_eq!(printed(short), short);
        // A name of a file takes three characters for each of its 255 bytes.
        let name = "%ff".repeat(255);
        let place = format!("offset=18446744073709551615 position={}", full_board());
        let rule = "database-manifest";
        let line = format!("s REFUTED {rule} file={name} {place} expected={long} found={long}");
        let line = printed(&line);
        assert!(line.len() <= 600 && line.contains(&place), "{line}");
    }

    /// The claim is never cut, however long its start is and whatever others have written.
    #[test]
    fn the_longest_lines_about_what_was_verified() {
        let digest = "0123456789abcdef".repeat(4);
        let start = full_board();
        let claim = format!(
            "BLACK-NOT-LOST 8x8/4 start={start} root={digest} format=1 rules=english-checkers-1 \
             db=consistent pieces=25,26:18,27:17,28:16 db-root={digest}"
        );
        let sizes = "nodes=100000000000 leaves=100000000000 positions=1000000000000000";
        let names = vec!["a-checker-of-somebody-else"; 1000].join(",");
        let cover = format!("by cover of 100000 notes keys=255 checkers={names} journals=100000");
        let ranges = "0:0-10000000000/10000000000,1:10000000-10000000/10000000000";
        let shard = format!(
            "journal=284/284 slices=100-284/284 tables={digest},{digest} given=0-284/284 \
             given-tables={digest} nodes={ranges} leaves={ranges} positions=1000000000000000"
        );
        for line in [
            format!("s CONDITIONAL {claim} {sizes} {cover} assumed=1000000000"),
            format!("s VERIFIED SHARD 999/1000 {claim} {shard}"),
        ] {
            let printed = printed(&line);
            assert!(printed.len() <= 600 && printed.contains(&claim), "{printed}");
            assert!(printed.contains("... "), "{printed}");
        }
    }
}
