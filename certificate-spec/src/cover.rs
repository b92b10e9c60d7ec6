//! The cover of a database (`SPEC.md` §8.1): positions in which both sides have pieces, with bounds
//! on the number of pieces together and on the number of pieces of each side.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The most pieces that a board has room for.
pub(crate) const MOST: u8 = 32;

/// At most `pieces` pieces, and at most `side` on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Clause {
    /// N: the largest number of pieces of both sides together, from 2 to 32.
    pub pieces: u8,
    /// M: the largest number of pieces of each side; N − 1 where it sets no bound of its own.
    pub side: u8,
}

impl Clause {
    /// An equivalent clause with the smallest possible numbers; `None` if it admits no position.
    fn trimmed(self) -> Option<Clause> {
        let pieces = self.pieces.min(self.side.saturating_mul(2)).min(MOST);
        let side = self.side.min(pieces.saturating_sub(1));
        (pieces >= 2 && side >= 1).then_some(Clause { pieces, side })
    }

    /// Whether the clause admits every position that `other` admits.
    fn implies(self, other: Clause) -> bool {
        other.pieces <= self.pieces && other.side <= self.side
    }
}

/// The positions of a database: those that some clause admits. Clauses are in canonical form: N
/// ascends, M falls, no clause admits all that another does, and each number is as small as
/// possible.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<Clause>", into = "Vec<Clause>")]
pub struct Cover {
    pub(crate) clauses: Vec<Clause>,
}

impl From<Cover> for Vec<Clause> {
    fn from(cover: Cover) -> Self {
        cover.clauses
    }
}

impl TryFrom<Vec<Clause>> for Cover {
    type Error = &'static str;

    fn try_from(clauses: Vec<Clause>) -> Result<Self, Self::Error> {
        let cover = Cover::of(clauses.iter().copied());
        if cover.clauses == clauses { Ok(cover) } else { Err("a cover in canonical form") }
    }
}

impl Cover {
    /// The cover of all positions that some of these clauses admit.
    pub fn of(clauses: impl IntoIterator<Item = Clause>) -> Cover {
        let mut kept: Vec<Clause> = Vec::new();
        for clause in clauses.into_iter().filter_map(Clause::trimmed) {
            if !kept.iter().any(|other| other.implies(clause)) {
                kept.retain(|other| !clause.implies(*other));
                kept.push(clause);
            }
        }
        kept.sort_by_key(|clause| clause.pieces);
        Cover { clauses: kept }
    }

    /// Whether the cover admits no position.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// The largest number of pieces of a position; 0 if the cover is empty.
    pub fn most_pieces(&self) -> u8 {
        self.clauses.iter().map(|clause| clause.pieces).max().unwrap_or(0)
    }

    /// Whether positions with `one` pieces of one side and `other` of the other side are covered.
    pub fn admits(&self, one: u32, other: u32) -> bool {
        let (total, most) = (one.saturating_add(other), one.max(other));
        let admits = |c: &Clause| total <= u32::from(c.pieces) && most <= u32::from(c.side);
        one.min(other) >= 1 && self.clauses.iter().any(admits)
    }

    /// Whether every position that `other` covers is covered.
    pub fn includes(&self, other: &Cover) -> bool {
        other.clauses.iter().all(|clause| self.clauses.iter().any(|c| c.implies(*clause)))
    }

    /// Reads the canonical text of a cover: whatever `text.parse()` makes of it, its text must be
    /// this one.
    pub fn parse(text: &str) -> Option<Cover> {
        let cover: Cover = text.parse().ok()?;
        (cover.to_string() == text).then_some(cover)
    }
}

/// Written as in `7,8:4`; the empty cover is `0`.
impl fmt::Display for Cover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("0");
        }
        for (i, &Clause { pieces, side }) in self.clauses.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{pieces}")?;
            if side + 1 < pieces {
                write!(f, ":{side}")?;
            }
        }
        Ok(())
    }
}
