//! Positions that strategies of certificates have decided, for the searches after them: a strategy
//! may end at such a position as at one of the database.

use super::key_map::KeyMap;
use crate::board::Position;

/// The positions that earlier searches have decided: whether the attacker wins.
#[derive(Debug, Default)]
pub struct Lemmas(KeyMap<bool>);

/// A position of a strategy: its key ([`Position::key`]), and the number of the chosen successor
/// where the claimant moves.
pub type StrategyPosition = (u128, Option<u8>);

impl Lemmas {
    /// Adds the positions of strategies: whether the attacker wins by it, and its positions.
    pub fn add(&mut self, strategies: Vec<(bool, Vec<StrategyPosition>)>) {
        for (is_won, positions) in strategies {
            for (key, _) in positions {
                self.0.entry(key).or_insert(is_won);
            }
        }
    }

    /// Whether the attacker wins, if that is known.
    pub fn known(&self, position: &Position) -> Option<bool> {
        self.0.get(&position.key()).copied()
    }
}
