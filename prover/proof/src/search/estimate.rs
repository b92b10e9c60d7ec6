//! The first view of a position, before it is searched: a decision by the database or the rules, or
//! an estimate of its proof and disproof number.

use super::numbers::BackupRule;
use super::numbers::{ONE, ProofNumbers, logarithm, power};
use super::slot::KeyMap;
use crate::board::{Board, Position, Side};
use crate::egdb::{Value, Values};
use crate::heuristic::Evaluation;

/// Both first numbers of an even position, without its moves.
const EVEN: u32 = 8;
/// The largest first number that a score gives; the least is 1.
const MOST: u32 = 1000;
/// Hundredths of a man that halve a first number and double the other one.
const HALVING: i64 = 50;

/// A source of decisions: `Some(true)` for a win of the attacker.
pub type Oracle<'a> = &'a (dyn Fn(&Position) -> Option<bool> + Sync);

/// The goal of a search: to decide whether a side, the *attacker*, wins.
#[derive(Clone, Copy)]
pub struct Goal<'a> {
    pub board: &'a Board,
    /// The database that decides positions with few pieces.
    pub database: &'a Values,
    /// The side that tries to win.
    pub attacker: Side,
    /// The results of earlier searches, if they are to be used.
    pub lemmas: Option<&'a Lemmas>,
    /// The decisions of positions in which both sides have pieces, in place of the database's.
    oracle: Option<Oracle<'a>>,
    /// The evaluation from which first numbers come, on boards that have a network.
    evaluation: Option<&'a Evaluation>,
}

impl<'a> Goal<'a> {
    /// To decide whether `attacker` wins, knowing no lemmas.
    pub fn new(board: &'a Board, database: &'a Values, attacker: Side) -> Self {
        let evaluation = Evaluation::by_network(board);
        Goal { board, database, attacker, lemmas: None, oracle: None, evaluation }
    }

    /// The goal, with what searches before have decided.
    pub fn with_lemmas(self, lemmas: Option<&'a Lemmas>) -> Self {
        Goal { lemmas, ..self }
    }

    /// The goal, with decisions by an oracle in place of the database and the lemmas.
    pub fn with_oracle(self, oracle: Oracle<'a>) -> Self {
        Goal { oracle: Some(oracle), ..self }
    }

    /// The goal, with first numbers by material on every board.
    pub fn without_network(self) -> Self {
        Goal { evaluation: None, ..self }
    }

    /// The rule by which numbers are backed up.
    pub(super) fn backup_rule(&self) -> BackupRule {
        if self.has_network() { BackupRule::NETWORK } else { BackupRule::MATERIAL }
    }

    /// Whether first numbers come from a network.
    pub fn has_network(&self) -> bool {
        self.evaluation.is_some()
    }

    /// Whether a position is an Or node: one in which the attacker is to move.
    pub fn is_or(&self, position: &Position) -> bool {
        position.turn == self.attacker
    }

    /// Returns what is known of a position without searching: the database's answer, that the side
    /// to move has no piece left, or the result of an earlier search. `Some(true)` is a win for the
    /// attacker.
    pub fn known(&self, position: &Position) -> Option<bool> {
        let value = match self.oracle {
            Some(oracle) if position.both_sides() => return oracle(position),
            Some(_) => None,
            None => self.database.probe(position),
        };
        let value = match value {
            Some(value) => value,
            None if position.of(position.turn) == 0 => Value::Loss,
            None => return self.lemmas?.known(position),
        };
        let won = if self.is_or(position) { Value::Win } else { Value::Loss };
        Some(value == won)
    }

    /// Proof and disproof numbers for a position that has not been searched: the more the attacker
    /// is ahead, the easier a proof and the harder a disproof; and the more moves the side to move
    /// has, 2 for each, the more there is to do for its opponent, who has to answer all of them.
    /// (Without the moves, searches of six small boards took 1.7 times as many nodes.)
    pub fn estimate(&self, position: &Position) -> ProofNumbers {
        let ProofNumbers { proof, disproof } = match self.evaluation {
            Some(evaluation) => self.by_score(evaluation, position),
            None => self.by_material(position),
        };
        let moves = 2 * u32::try_from(self.board.mobility(position)).unwrap_or(u32::MAX / 2);
        if self.is_or(position) {
            ProofNumbers { proof, disproof: disproof + moves }
        } else {
            ProofNumbers { proof: proof + moves, disproof }
        }
    }

    /// Numbers by what the network says: each halves with [`HALVING`] hundredths of a man, as the
    /// effort of a search does (docs/experiments/070).
    fn by_score(&self, evaluation: &Evaluation, position: &Position) -> ProofNumbers {
        let score = i64::from(evaluation.score(position));
        let ahead = if self.is_or(position) { score } else { -score };
        let halvings = ahead * ONE / HALVING;
        let number = |halvings: i64| {
            let most = logarithm(MOST);
            power((logarithm(EVEN) - halvings).clamp(0, most))
        };
        ProofNumbers { proof: number(halvings), disproof: number(-halvings) }
    }

    /// Numbers by material: a man counts 8, a king 10. (The weights are those that needed the
    /// fewest nodes among some dozens, on 6x6, 5x7/2, 8x4, 4x8, 6x4 and 5x5/2 with databases of 3
    /// to 6 pieces and on samples of 8x8 positions of 7 and 8.)
    fn by_material(&self, position: &Position) -> ProofNumbers {
        let worth = |side| {
            let pieces = position.of(side);
            8 * pieces.count_ones() + 2 * (pieces & position.kings).count_ones()
        };
        let mine = worth(self.attacker);
        let theirs = worth(self.attacker.opponent());
        let proof = (EVEN + theirs).saturating_sub(mine).max(1);
        let disproof = (EVEN + mine).saturating_sub(theirs).max(1);
        ProofNumbers { proof, disproof }
    }
}

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
