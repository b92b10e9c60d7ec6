//! Parts and unions of covers, and a table of the admitted numbers of pieces for look-ups.

use certificate_spec::cover::{Clause, Cover};

/// The part of a cover with at most `pieces` pieces.
pub fn at_most(cover: &Cover, pieces: u8) -> Cover {
    let clauses = cover.clauses().iter();
    Cover::of(clauses.map(|clause| Clause { pieces: clause.pieces.min(pieces), ..*clause }))
}

pub fn union(one: &Cover, other: &Cover) -> Cover {
    Cover::of(one.clauses().iter().chain(other.clauses()).copied())
}

/// The largest number of pieces of a side; 0 if the cover has no position.
pub fn most_a_side(cover: &Cover) -> u8 {
    cover.clauses().iter().map(|clause| clause.side).max().unwrap_or(0)
}

/// A cover as a table, for searches that query it at every node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SideLimits {
    /// For each number of pieces of a position, one more than the most pieces of a side; at most 1
    /// if no such position is covered.
    above: [u8; 64],
}

impl SideLimits {
    /// The table of a cover.
    pub(crate) fn new(cover: &Cover) -> Self {
        let above = std::array::from_fn(|pieces| {
            let clauses = cover.clauses().iter().filter(|c| usize::from(c.pieces) >= pieces);
            let most = clauses.map(|clause| usize::from(clause.side)).max().unwrap_or(0);
            // A side that does not have all pieces leaves at least one for the other side.
            (most + 1).min(pieces) as u8
        });
        SideLimits { above }
    }

    /// Whether positions with `one` pieces of a side and `other` of the other side are covered.
    #[inline]
    pub(crate) fn admit(&self, one: u32, other: u32) -> bool {
        let pieces = one + other;
        one.max(other) < u32::from(self.above[(pieces & 63) as usize])
    }
}

#[cfg(test)]
mod tests {
    use certificate_spec::cover::Cover;

    use super::{SideLimits, at_most, most_a_side, union};

    fn cover(text: &str) -> Cover {
        Cover::parse(text).expect("a cover")
    }

    #[test]
    fn parts_and_unions() {
        let part = |text: &str, pieces| at_most(&cover(text), pieces).to_string();
        assert_eq!(
            ["0", "2", "6", "7", "7,8:4", "7,8:4"],
            [1, 2, 6, 7, 8, 9].map(|n| part("7,8:4", n))
        );
        assert_eq!(["6", "7:5", "8:5"], [6, 7, 8].map(|n| part("10:5", n)));
        let both = |one: &str, other: &str| union(&cover(one), &cover(other)).to_string();
        assert_eq!(both("5", "6:3"), "5,6:3");
        assert_eq!(both("6", "6:3"), "6");
        assert_eq!(both("0", "7,8:4"), "7,8:4");
        assert_eq!(["0", "6", "7,8:4", "10:5"].map(|t| most_a_side(&cover(t))), [0, 5, 6, 5]);
    }

    #[test]
    fn limits_say_what_the_cover_says() {
        for text in ["0", "2", "6", "5,6:3", "7,8:4", "10:5", "32"] {
            let (cover, limits) = (cover(text), SideLimits::new(&cover(text)));
            for (one, other) in (0..=32).flat_map(|a| (0..=32 - a).map(move |b| (a, b))) {
                assert_eq!(
                    limits.admit(one, other),
                    cover.admits(one, other),
                    "{text}: {one}+{other}"
                );
            }
        }
    }
}
