//! Descriptions of covers.

use crate::egdb::{Clause, Cover};

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
