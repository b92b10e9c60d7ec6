//! What is proved of a position's value, kept apart from scores.
//!
//! A proof here is well founded: it ends in database values and in positions without moves, never
//! in an evaluation and never in a repetition. So it holds for the position, whatever the path to
//! it, and may be kept beside any score.

use std::fmt;

use crate::egdb::Value;

/// A proved value, or a bound of it, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Nothing is proved.
    None,
    /// A win.
    Win,
    /// A draw.
    Draw,
    /// A loss.
    Loss,
    /// A draw or a win.
    AtLeastDraw,
    /// A draw or a loss.
    AtMostDraw,
}

impl Bound {
    /// Whether the value itself is proved.
    pub fn is_exact(self) -> bool {
        matches!(self, Bound::Win | Bound::Draw | Bound::Loss)
    }

    /// Whether a position of this value agrees with what is proved.
    pub fn admits(self, value: Value) -> bool {
        match self {
            Bound::None => true,
            Bound::Win => value == Value::Win,
            Bound::Draw => value == Value::Draw,
            Bound::Loss => value == Value::Loss,
            Bound::AtLeastDraw => value != Value::Loss,
            Bound::AtMostDraw => value != Value::Win,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::None => "unknown",
            Bound::Win => "win",
            Bound::Draw => "draw",
            Bound::Loss => "loss",
            Bound::AtLeastDraw => ">=draw",
            Bound::AtMostDraw => "<=draw",
        })
    }
}

/// Claims about a position, each a bit, as the search adds them up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Claims(u8);

impl Claims {
    const NOT_LOST: u8 = 1;
    const NOT_WON: u8 = 2;
    const WON: u8 = 4 | Self::NOT_LOST;
    const LOST: u8 = 8 | Self::NOT_WON;

    /// No claims.
    pub(super) const NONE: Claims = Claims(0);
    /// Those that any single move may prove.
    const BY_ONE_MOVE: u8 = Self::WON | Self::NOT_LOST;
    /// All of them: what holds of every one of no moves.
    const ALL: u8 = 15;

    /// As bits, of which the lowest four are used.
    pub(super) fn bits(self) -> u8 {
        self.0
    }

    /// The inverse.
    pub(super) fn from_bits(bits: u8) -> Self {
        Claims(bits)
    }

    /// What a database value says.
    pub(super) fn of(value: Value) -> Self {
        Claims(match value {
            Value::Win => Self::WON,
            Value::Draw => Self::NOT_LOST | Self::NOT_WON,
            Value::Loss => Self::LOST,
        })
    }

    /// Claims about the side to move that neither wins nor loses.
    pub(super) fn is_draw(self) -> bool {
        self.0 == Self::NOT_LOST | Self::NOT_WON
    }

    /// A win, or a loss.
    pub(super) fn is_decisive(self) -> bool {
        self.0 & 12 != 0
    }

    pub(super) fn is_not_lost(self) -> bool {
        self.0 & Self::NOT_LOST != 0
    }

    pub(super) fn is_not_won(self) -> bool {
        self.0 & Self::NOT_WON != 0
    }

    /// Both.
    pub(super) fn and(self, other: Claims) -> Self {
        Claims(self.0 | other.0)
    }

    /// The same claims as the other side states them.
    fn turned(self) -> u8 {
        (self.0 & 5) << 1 | (self.0 & 10) >> 1
    }

    /// As the one public word for it.
    pub(super) fn bound(self) -> Bound {
        match self {
            _ if self.0 & 4 != 0 => Bound::Win,
            _ if self.0 & 8 != 0 => Bound::Loss,
            _ if self.is_draw() => Bound::Draw,
            _ if self.is_not_lost() => Bound::AtLeastDraw,
            _ if self.is_not_won() => Bound::AtMostDraw,
            _ => Bound::None,
        }
    }
}

/// Claims about a position from those about its successors.
#[derive(Clone, Copy)]
pub(super) struct Gathered {
    /// Proved by one of the successors so far.
    by_one: u8,
    /// Holds after every one of them so far.
    by_all: u8,
}

impl Gathered {
    /// Before the first successor.
    pub(super) fn new() -> Self {
        Gathered { by_one: 0, by_all: Claims::ALL & !Claims::BY_ONE_MOVE }
    }

    /// After one more.
    pub(super) fn add(&mut self, successor: Claims) {
        self.by_one |= successor.turned() & Claims::BY_ONE_MOVE;
        self.by_all &= successor.turned();
    }

    /// What is proved if there are successors that were not looked at.
    pub(super) fn some(self) -> Claims {
        Claims(self.by_one)
    }

    /// What is proved when all successors were added. None at all is a loss.
    pub(super) fn all(self) -> Claims {
        Claims(self.by_one | self.by_all)
    }
}
