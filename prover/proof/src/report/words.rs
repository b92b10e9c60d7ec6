//! Descriptions of slices and commands.

use crate::egdb::numbers::counted;
use crate::egdb::{Clause, Cover, Slice};

/// Describes a slice, such as "2 men + 1 king v 3 men": the side to move first.
pub(super) fn describe_slice(slice: Slice) -> String {
    let [men, kings, enemy_men, enemy_kings] = slice.name().0;
    let side = |men: u8, kings: u8| {
        let pieces = [(men, "man"), (kings, "king")].into_iter().filter(|(n, _)| *n > 0);
        let pieces = pieces.map(|(n, noun)| counted(n, noun));
        pieces.collect::<Vec<_>>().join(" + ")
    };
    format!("{} v {}", side(men, kings), side(enemy_men, enemy_kings))
}

/// A word of a command line, quoted if a shell would interpret it.
pub(super) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+=,:@%/".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.into();
    }
    let word = if word.starts_with('-') { format!("./{word}") } else { word.into() };
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Describes a cover, such as "up to 7 pieces, or up to 8 with at most 4 a side".
pub(super) fn describe_cover(cover: &Cover) -> String {
    if cover.is_empty() {
        return "no positions".into();
    }
    let mut words = Vec::new();
    for (i, &Clause { pieces, side }) in cover.clauses().iter().enumerate() {
        let noun = if i == 0 { " pieces" } else { "" };
        let bound = match side + 1 < pieces {
            true => format!(" with at most {side} a side"),
            false => String::new(),
        };
        words.push(format!("up to {pieces}{noun}{bound}"));
    }
    words.join(", or ")
}

#[cfg(test)]
mod tests {
    use super::{describe_slice, shell_word};
    use crate::egdb::Slice;

    #[test]
    fn slices_are_described() {
        assert_eq!(describe_slice(Slice::new(2, 1, 3, 0)), "2 men + 1 king v 3 men");
        assert_eq!(describe_slice(Slice::new(0, 2, 1, 1)), "2 kings v 1 man + 1 king");
        for (word, quoted) in
            [("cert-7x7", "cert-7x7"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("-x", "'./-x'")]
        {
            assert_eq!(shell_word(word), quoted);
        }
    }
}

#[cfg(test)]
mod cover_tests {
    use super::describe_cover;

    #[test]
    fn covers_are_described() {
        for (cover, words) in [
            ("0", "no positions"),
            ("6", "up to 6 pieces"),
            ("7,8:4", "up to 7 pieces, or up to 8 with at most 4 a side"),
            ("10:5", "up to 10 pieces with at most 5 a side"),
        ] {
            assert_eq!(describe_cover(&cover.parse().expect("a cover")), words);
        }
    }
}
