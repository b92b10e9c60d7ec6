//! The values of up to 64 positions at a time.
//!
//! Trusts: nothing.

/// A bit for each of up to 64 positions: which of them are wins, and which are losses. Where there
/// is neither bit, the position is a draw, or not settled yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bits {
    /// The positions that the side to move wins.
    pub win: u64,
    /// The positions that the side to move loses.
    pub loss: u64,
}

impl Bits {
    /// The bits of position `n` alone, as those of position 0.
    pub fn at(self, n: usize) -> Bits {
        Bits { win: self.win >> n & 1, loss: self.loss >> n & 1 }
    }

    /// The positions at which others have a different value.
    pub(crate) fn differ(self, other: Bits) -> u64 {
        (self.win ^ other.win) | (self.loss ^ other.loss)
    }

    /// The values of these positions alone.
    pub(crate) fn within(self, positions: u64) -> Bits {
        Bits { win: self.win & positions, loss: self.loss & positions }
    }

    /// The union of two sets of known values.
    pub(crate) fn union(self, other: Bits) -> Bits {
        Bits { win: self.win | other.win, loss: self.loss | other.loss }
    }
}
