//! Strategies, and their replay.
//!
//! A strategy is a chosen successor for each position in which the claimant moves. Its replay from
//! the root is the check that the certificate's reader will do (`SPEC.md` §7). A strategy is
//! replayed where a search has found it, where it comes from outside (from a ledger or a
//! certificate), and when it is emitted. A replay that fails is an error: the position has to be
//! searched again, never patched.

use super::estimate::{Goal, StrategyPosition};
use super::position_set::PositionSet;
use super::slot::KeyMap;
use crate::board::{Board, Position, Side};
use crate::egdb::{Value, Values};
use certificate_spec::bits::{BitReader, BitWriter, width};
use certificate_spec::leaves::Leaf;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The chosen successor of each position in which the claimant moves.
pub(super) type Choices = KeyMap<Position>;

#[derive(Debug, Clone)]
pub struct Strategy {
    choices: Choices,
}

/// A strategy as certificates and ledgers keep it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedStrategy {
    /// Whether it is the attacker's, to win; otherwise it is the defender's, not to lose.
    pub is_win: bool,
    /// The choices, packed.
    #[serde(with = "WireLeaf")]
    pub leaf: Leaf<Vec<u8>>,
}

/// A leaf as a ledger writes it.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Leaf<Vec<u8>>")]
struct WireLeaf {
    positions: u64,
    strategy: Vec<u8>,
}

/// A strategy that does not do what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StrategyError {
    /// The search did not decide the root.
    #[error("the root is not decided")]
    Undecided,
    /// The candidates hold no closed set with the root in it.
    #[error("no closed set contains the root")]
    NotClosed,
    /// A position without a chosen move.
    #[error("no move is chosen in a position that the strategy reaches")]
    Incomplete,
    /// A database position of the wrong value.
    #[error("a database position has the wrong value")]
    WrongValue,
    /// A win that goes round in a circle.
    #[error("a win goes round in a circle")]
    Circle,
    /// Choices in a certificate that are too few or too many, or stand for no move.
    #[error("the bits of the strategy do not fit the positions that it reaches")]
    Bits,
}

/// Whether a database value is what the claimant needs.
pub fn suits(value: Value, claimant_moves: bool, is_win: bool) -> bool {
    match (is_win, claimant_moves) {
        (true, true) => value == Value::Win,
        (true, false) => value == Value::Loss,
        (false, true) => value != Value::Loss,
        (false, false) => value != Value::Win,
    }
}

impl Strategy {
    pub(super) fn new(choices: Choices) -> Self {
        Strategy { choices }
    }

    /// The chosen successor, where the claimant is to move.
    pub fn choice(&self, position: &Position) -> Option<Position> {
        self.choices.get(&position.key()).copied()
    }

    /// All choices, in no order: the key of a position ([`Position::key`]), and the chosen
    /// successor.
    pub fn choices(&self) -> impl Iterator<Item = (u128, Position)> {
        self.choices.iter().map(|(key, after)| (*key, *after))
    }
}

/// The inputs of a replay besides the choices.
pub struct Replay<'a, F> {
    pub board: &'a Board,
    /// Whose strategy it is.
    pub claimant: Side,
    /// Whether it is to win; otherwise it is not to lose.
    pub is_win: bool,
    /// The answer of the database, or of an earlier decision, for a position: whether its value
    /// suits, if it has one.
    pub known: F,
}

impl<'a> Goal<'a> {
    /// The replay of strategies that decide positions this way: of the attacker, to win, or of the
    /// defender, not to lose.
    pub fn replay(&self, is_win: bool) -> Replay<'a, impl Fn(&Position) -> Option<bool> + use<'a>> {
        let goal = *self;
        let Goal { board, attacker, .. } = goal;
        let claimant = if is_win { attacker } else { attacker.opponent() };
        // A side without pieces is left to the rules, as in a certificate.
        let known =
            move |p: &Position| goal.known(p).filter(|_| p.both_sides()).map(|won| won == is_win);
        Replay { board, claimant, is_win, known }
    }
}

impl<'a> Replay<'a, ()> {
    /// The replay of strategies that end in the positions of a database.
    pub fn over(
        board: &'a Board,
        database: &'a Values,
        claimant: Side,
        is_win: bool,
    ) -> Replay<'a, impl Fn(&Position) -> Option<bool> + use<'a>> {
        let known = move |p: &Position| Some(suits(database.probe(p)?, p.turn == claimant, is_win));
        Replay { board, claimant, is_win, known }
    }
}

impl<F: Fn(&Position) -> Option<bool>> Replay<'_, F> {
    /// Packs a strategy from `root`, replaying it; `closes` tells where the proof tree takes over.
    ///
    /// # Errors
    /// [`StrategyError`] where the strategy does not hold.
    pub fn pack(
        &self,
        strategy: &Strategy,
        root: &Position,
        closes: impl FnMut(&Position) -> bool,
    ) -> Result<Leaf<Vec<u8>>, StrategyError> {
        self.pack_by(root, closes, |position, successors| {
            successors.binary_search(&strategy.choice(position)?).ok()
        })
    }

    /// Packs the strategy whose move in each position is said by `choose`, which gets a position in
    /// which the claimant moves and its successors, and returns the index of the chosen one.
    ///
    /// # Errors
    /// [`StrategyError`] where the strategy does not hold.
    pub fn pack_by(
        &self,
        root: &Position,
        closes: impl FnMut(&Position) -> bool,
        mut choose: impl FnMut(&Position, &[Position]) -> Option<usize>,
    ) -> Result<Leaf<Vec<u8>>, StrategyError> {
        let mut bits = BitWriter::default();
        let choose = |position: &Position, successors: &[Position]| {
            let at = choose(position, successors).filter(|&at| at < successors.len());
            let at = at.ok_or(StrategyError::Incomplete)?;
            bits.push(at as u32, width(successors.len()));
            Ok(at)
        };
        let positions = self.run(root, closes, choose, |_| ())?;
        Ok(Leaf { positions, strategy: bits.finish() })
    }

    /// All positions of a leaf that was written for no proof tree, replaying it.
    ///
    /// # Errors
    /// [`StrategyError`] where the strategy does not hold or is not what the leaf states.
    pub fn positions(
        &self,
        leaf: &Leaf<Vec<u8>>,
        root: &Position,
    ) -> Result<Vec<StrategyPosition>, StrategyError> {
        let mut opponents = Vec::new();
        if root.turn != self.claimant {
            opponents.push((root.key(), None));
        }
        let note = |position: &Position| {
            if position.turn != self.claimant {
                opponents.push((position.key(), None));
            }
            false
        };
        let mut bits = BitReader::new(&leaf.strategy);
        let mut chosen: Vec<StrategyPosition> = Vec::new();
        let choose = |position: &Position, successors: &[Position]| {
            let at = bits.take(width(successors.len())).ok_or(StrategyError::Bits)?;
            let number = u8::try_from(at).map_err(|_| StrategyError::Bits)?;
            chosen.push((position.key(), Some(number)));
            Ok(at as usize)
        };
        self.run(root, note, choose, |_| ())?;
        chosen.append(&mut opponents);
        Ok(chosen)
    }

    /// Reads the choices of a leaf, replaying it from `root`. `closes` tells where the proof tree
    /// that it was written for takes over.
    ///
    /// # Errors
    /// [`StrategyError`] where the strategy does not hold or is not what the leaf states.
    pub fn unpack(
        &self,
        leaf: &Leaf<Vec<u8>>,
        root: &Position,
        closes: impl FnMut(&Position) -> bool,
    ) -> Result<Strategy, StrategyError> {
        let mut choices = Choices::default();
        let note = |position: &Position, after: &Position| {
            choices.insert(position.key(), *after);
        };
        self.read(leaf, root, closes, note, |_| ())?;
        Ok(Strategy { choices })
    }

    /// Replays a leaf from `root` without keeping its choices. `see` gets each position: of a win
    /// as soon as it is completed, otherwise as soon as it is met.
    ///
    /// # Errors
    /// [`StrategyError`] where the strategy does not hold or is not what the leaf states.
    pub fn follow(
        &self,
        leaf: &Leaf<Vec<u8>>,
        root: &Position,
        closes: impl FnMut(&Position) -> bool,
        see: impl FnMut(&Position),
    ) -> Result<(), StrategyError> {
        self.read(leaf, root, closes, |_, _| (), see)
    }

    /// Replays a leaf. `chosen` gets each position in which the claimant moves, with the chosen
    /// successor.
    fn read(
        &self,
        leaf: &Leaf<Vec<u8>>,
        root: &Position,
        closes: impl FnMut(&Position) -> bool,
        mut chosen: impl FnMut(&Position, &Position),
        see: impl FnMut(&Position),
    ) -> Result<(), StrategyError> {
        let mut bits = BitReader::new(&leaf.strategy);
        let choose = |position: &Position, successors: &[Position]| {
            let at = bits.take(width(successors.len())).ok_or(StrategyError::Bits)? as usize;
            chosen(position, successors.get(at).ok_or(StrategyError::Bits)?);
            Ok(at)
        };
        let positions = self.run(root, closes, choose, see)?;
        if positions != leaf.positions || !bits.is_finished() {
            return Err(StrategyError::Bits);
        }
        Ok(())
    }

    /// Packs a leaf that was written for no proof tree again for one, replaying it. `closes` tells
    /// where the tree takes over; if it does so nowhere, the leaf is as it was.
    ///
    /// # Errors
    /// [`StrategyError`] where the strategy does not hold.
    pub fn repack(
        &self,
        leaf: &Leaf<Vec<u8>>,
        root: &Position,
        closes: impl Fn(&Position) -> bool,
    ) -> Result<Leaf<Vec<u8>>, StrategyError> {
        let mut meets_tree = false;
        let strategy = self.unpack(leaf, root, |position| {
            meets_tree |= closes(position);
            false
        })?;
        if meets_tree { self.pack(&strategy, root, closes) } else { Ok(leaf.clone()) }
    }

    /// Goes over all positions that a strategy reaches from `root`; `choose` gets a position in
    /// which the claimant moves and its successors, and says which. `see` gets each position: of a
    /// win as soon as it is completed, otherwise as soon as it is met. Returns their number.
    fn run(
        &self,
        root: &Position,
        mut closes: impl FnMut(&Position) -> bool,
        mut choose: impl FnMut(&Position, &[Position]) -> Result<usize, StrategyError>,
        mut see: impl FnMut(&Position),
    ) -> Result<u64, StrategyError> {
        if let Some(fits) = (self.known)(root) {
            return if fits { Ok(0) } else { Err(StrategyError::WrongValue) };
        }
        let mut seen = PositionSet::new(self.board);
        // The positions of a win that are not completed.
        let mut open = PositionSet::new(self.board);
        let mut successors = Vec::new();
        let mut tasks = vec![Task::Expand(*root)];
        while let Some(task) = tasks.pop() {
            let position = match task {
                Task::Expand(position) => position,
                Task::Complete(position) => {
                    open.remove(&position);
                    see(&position);
                    continue;
                }
                Task::Visit(position) => {
                    if let Some(fits) = (self.known)(&position) {
                        if !fits {
                            return Err(StrategyError::WrongValue);
                        }
                        continue;
                    }
                    if seen.contains(&position) {
                        if open.contains(&position) {
                            return Err(StrategyError::Circle);
                        }
                        continue;
                    }
                    if closes(&position) {
                        continue;
                    }
                    position
                }
            };
            seen.insert(&position, ());
            if self.is_win {
                open.insert(&position, ());
                tasks.push(Task::Complete(position));
            } else {
                see(&position);
            }
            self.board.successors(&position, &mut successors);
            if position.turn == self.claimant {
                let at = choose(&position, &successors)?;
                tasks.push(Task::Visit(successors[at]));
            } else {
                tasks.extend(successors.iter().rev().copied().map(Task::Visit));
            }
        }
        Ok(seen.len())
    }
}

enum Task {
    Visit(Position),
    Expand(Position),
    Complete(Position),
}
