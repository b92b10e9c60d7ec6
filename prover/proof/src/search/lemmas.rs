//! What searches of a question have decided, for the searches after them: all positions of their
//! strategies. A strategy may end at such a position as at one of the database.
//!
//! A position keeps the move of the first strategy that has it. These moves together are a strategy
//! for the whole question:
//!
//! * *Not to lose*: each position leads to the database or to a position of some strategy, so all
//!   of them are a closed set (SPEC.md §2), also where strategies lean on each other in circles.
//! * *To win*: a position leads to the database, to a position of a strategy before its own, or to
//!   one that the replay of its own completes before it. So there is no circle.
//!
//! No certificate rests on that argument: before one is written, the whole strategy is replayed
//! (docs/experiments/066).

use certificate_spec::Digest;

use super::key_map::KeyMap;
use crate::board::Position;
use crate::wire;

/// No move: it is the opponent's turn.
const NONE: u8 = u8::MAX;

/// The positions that searches have decided.
#[derive(Debug)]
pub struct Lemmas {
    positions: KeyMap<Lemma>,
    digest: Digest,
}

#[derive(Debug, Clone, Copy)]
struct Lemma {
    is_won: bool,
    /// The number of the chosen successor.
    choice: u8,
}

/// A position of a strategy: its key ([`Position::key`]), and the number of the chosen successor
/// where the claimant moves.
pub type StrategyPosition = (u128, Option<u8>);

impl Default for Lemmas {
    fn default() -> Self {
        Lemmas { positions: KeyMap::default(), digest: Digest::of(&[]) }
    }
}

impl Lemmas {
    /// Adds the positions of strategies of a round, in order: whether the attacker wins by it, and
    /// its positions. `of` says which round it is.
    pub fn add(&mut self, round: Vec<(bool, Vec<StrategyPosition>)>, of: Digest) {
        for (is_won, positions) in round {
            for (key, choice) in positions {
                let choice = choice.unwrap_or(NONE);
                self.positions.entry(key).or_insert(Lemma { is_won, choice });
            }
        }
        self.digest = Digest::of(&wire::encode(&(self.digest, of)));
    }

    /// Whether the attacker wins, if a search has decided that.
    pub fn known(&self, position: &Position) -> Option<bool> {
        self.positions.get(&position.key()).map(|lemma| lemma.is_won)
    }

    /// The number of the successor that is chosen in a position.
    pub fn choice(&self, position: &Position) -> Option<usize> {
        let lemma = self.positions.get(&position.key())?;
        (lemma.choice != NONE).then_some(lemma.choice.into())
    }

    /// What stands for all that was added, in its order.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}
