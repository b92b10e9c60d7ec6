//! Sets of outcomes.

use certificate_spec::claim;

use crate::board::Side;
use crate::egdb;

/// The possible outcomes of a position with best play of both sides: Black wins, a draw, White
/// wins, or several of these where the outcome is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcomes(u8);

impl Outcomes {
    const NONE: Outcomes = Outcomes(0);
    const BLACK_WINS: Outcomes = Outcomes(1);
    const DRAW: Outcomes = Outcomes(2);
    const WHITE_WINS: Outcomes = Outcomes(4);
    /// All outcomes: nothing is known.
    pub const ANY: Outcomes = Outcomes(7);

    /// The words for the sets, other than those of all outcomes and of none.
    const WORDS: [(Outcomes, &str); 6] = [
        (Self::BLACK_WINS, "black-wins"),
        (Self::DRAW, "draw"),
        (Self::WHITE_WINS, "white-wins"),
        (Self::BLACK_WINS.or(Self::DRAW), "black-not-lost"),
        (Self::WHITE_WINS.or(Self::DRAW), "white-not-lost"),
        (Self::BLACK_WINS.or(Self::WHITE_WINS), "not-draw"),
    ];

    /// The union of two sets.
    const fn or(self, other: Outcomes) -> Outcomes {
        Outcomes(self.0 | other.0)
    }

    /// The intersection of two sets.
    pub fn and(self, other: Outcomes) -> Outcomes {
        Outcomes(self.0 & other.0)
    }

    /// Whether the set is empty: the claims that were intersected contradict each other.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether the set is a subset of `other`.
    pub fn is_within(self, other: Outcomes) -> bool {
        self.and(other) == self
    }

    /// The outcomes with colours exchanged.
    pub fn turned(self) -> Outcomes {
        let draw = self.0 & Self::DRAW.0;
        let black = if self.0 & Self::WHITE_WINS.0 != 0 { Self::BLACK_WINS.0 } else { 0 };
        let white = if self.0 & Self::BLACK_WINS.0 != 0 { Self::WHITE_WINS.0 } else { 0 };
        Outcomes(draw | black | white)
    }

    fn win_of(side: Side) -> Outcomes {
        match side {
            Side::Black => Self::BLACK_WINS,
            Side::White => Self::WHITE_WINS,
        }
    }

    /// Reads a word: one that names the side, or `win`, `draw`, `loss`, `>=draw`, `<=draw` for the
    /// side to move.
    pub fn read(word: &str, turn: Side) -> Option<Outcomes> {
        let win = Self::win_of(turn);
        let loss = Self::win_of(turn.opponent());
        let relative = match word {
            "win" => win,
            "loss" => loss,
            ">=draw" => win.or(Self::DRAW),
            "<=draw" => loss.or(Self::DRAW),
            _ => return Self::WORDS.iter().find(|(_, name)| *name == word).map(|(set, _)| *set),
        };
        Some(relative)
    }

    /// All the words that [`Outcomes::read`] knows.
    pub fn all_words() -> String {
        let absolute = Self::WORDS.map(|(_, word)| word).join(", ");
        format!("win, loss, >=draw, <=draw, {absolute}")
    }

    /// The word for the set, which names the side; `unknown` for all outcomes.
    pub fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(set, _)| *set == self);
        found.map_or("unknown", |(_, word)| word)
    }

    /// The outcomes that a certificate's claim admits.
    pub fn of_claim(value: claim::Value) -> Outcomes {
        match value {
            claim::Value::Draw => Self::DRAW,
            claim::Value::BlackNotLost => Self::BLACK_WINS.or(Self::DRAW),
            claim::Value::WhiteNotLost => Self::WHITE_WINS.or(Self::DRAW),
            claim::Value::BlackWins => Self::BLACK_WINS,
            claim::Value::WhiteWins => Self::WHITE_WINS,
        }
    }

    /// The outcome of a value for the side to move.
    pub fn of_value(value: egdb::Value, turn: Side) -> Outcomes {
        match value {
            egdb::Value::Win => Self::win_of(turn),
            egdb::Value::Draw => Self::DRAW,
            egdb::Value::Loss => Self::win_of(turn.opponent()),
        }
    }
}
