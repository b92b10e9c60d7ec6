//! What is said of a position before it is searched: a decision by the database or the rules, or an
//! estimate of its proof and disproof number.

use super::lemmas::Lemmas;
use super::numbers::ProofNumbers;
use crate::board::{Board, Position, Side};
use crate::egdb::{Value, Values};

/// What a search is to decide: whether a side, the *attacker*, wins.
#[derive(Clone, Copy)]
pub struct Goal<'a> {
    /// The board.
    pub board: &'a Board,
    /// The database that decides positions with few pieces.
    pub database: &'a Values,
    /// The side that tries to win.
    pub attacker: Side,
    /// What searches before have decided, if that is to be known.
    pub lemmas: Option<&'a Lemmas>,
}

impl Goal<'_> {
    /// Whether a position is an Or node: one in which the attacker is to move.
    pub fn is_or(&self, position: &Position) -> bool {
        position.turn == self.attacker
    }

    /// What is known of a position without searching: the database's answer, that the side to move
    /// has no piece left, or what a search before has decided. `Some(true)` is a win for the
    /// attacker.
    pub fn known(&self, position: &Position) -> Option<bool> {
        let value = match self.database.probe(position) {
            Some(value) => value,
            None if position.of(position.turn) == 0 => Value::Loss,
            None => return self.lemmas?.known(position),
        };
        let won = if self.is_or(position) { Value::Win } else { Value::Loss };
        Some(value == won)
    }

    /// Proof and disproof numbers for a position that has not been searched: the more the attacker
    /// is ahead, the easier a proof and the harder a disproof; and the more moves the side to move
    /// has, the more there is to do for its opponent, who has to answer all of them. A man counts
    /// 8, a king 10, a move 2. (The weights are those that needed the fewest nodes among some
    /// dozens, on 6x6, 5x7/2, 8x4, 4x8, 6x4 and 5x5/2 with databases of 3 to 6 pieces and on
    /// samples of 8x8 positions of 7 and 8: without the moves it takes 1.7 times as many.)
    pub fn estimate(&self, position: &Position) -> ProofNumbers {
        let worth = |side| {
            let pieces = position.of(side);
            8 * pieces.count_ones() + 2 * (pieces & position.kings).count_ones()
        };
        let (mine, theirs) = (worth(self.attacker), worth(self.attacker.opponent()));
        let even = 8;
        let moves = 2 * u32::try_from(self.board.mobility(position)).unwrap_or(u32::MAX / 2);
        let proof = (even + theirs).saturating_sub(mine).max(1);
        let disproof = (even + mine).saturating_sub(theirs).max(1);
        if self.is_or(position) {
            ProofNumbers { proof, disproof: disproof + moves }
        } else {
            ProofNumbers { proof: proof + moves, disproof }
        }
    }
}
