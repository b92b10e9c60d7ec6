//! Descriptions of numbers and slices.

use crate::egdb::Slice;

/// A share in percent with one decimal. If that rounds a share to 0 or 100 % that is neither, it
/// has more decimals.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if part == 0 || part == whole {
        return if part == 0 { "0 %".into() } else { "100 %".into() };
    }
    let part = u128::from(part);
    let whole = u128::from(whole);
    let mut one = 10;
    for digits in 1..=MOST_DIGITS {
        let all = 100 * one;
        let share = (part * all + whole / 2) / whole;
        if digits == MOST_DIGITS || 0 < share && share < all {
            return format!("{}.{:0>digits$} %", share / one, share % one);
        }
        one *= 10;
    }
    unreachable!("the last number of digits is always taken")
}

/// The most digits; with more, the products would not fit into 128 bits.
const MOST_DIGITS: usize = 17;

/// Describes a slice, such as "2 men + 1 king v 3 men": the side to move first.
pub(super) fn describe_slice(slice: Slice) -> String {
    let [men, kings, enemy_men, enemy_kings] = slice.name().0;
    let side = |men: u8, kings: u8| {
        let counted = |n: u8, one: &str, many: &str| match n {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {many}")),
        };
        let pieces = [counted(men, "man", "men"), counted(kings, "king", "kings")];
        pieces.into_iter().flatten().collect::<Vec<_>>().join(" + ")
    };
    format!("{} v {}", side(men, kings), side(enemy_men, enemy_kings))
}

/// A number such as 1234567 as 1 234 567, with non-breaking spaces.
pub(super) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
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

#[cfg(test)]
mod tests {
    use super::{describe_slice, percent, shell_word};
    use crate::egdb::Slice;

    #[test]
    fn shares_are_never_rounded_to_0_or_100() {
        for (part, whole, said) in [
            (0, 7, "0 %"),
            (7, 7, "100 %"),
            (1, 3, "33.3 %"),
            (2, 3, "66.7 %"),
            (9_998, 10_000, "99.98 %"),
            (2, 10_000, "0.02 %"),
            (999, 1000, "99.9 %"),
            (9_999, 10_000, "99.99 %"),
            (123_456_789_011, 123_456_789_012, "99.999999999 %"),
            (1, 123_456_789_012, "0.000000001 %"),
            (1, 2, "50.0 %"),
            (9_951, 10_000, "99.5 %"),
        ] {
            assert_eq!(percent(part, whole), said, "{part} of {whole}");
        }
    }

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
