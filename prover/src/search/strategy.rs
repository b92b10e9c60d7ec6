//! From a finished search to a strategy, and its replay.
//!
//! A strategy is a chosen successor for each position in which the claimant moves. Its replay from
//! the root is the check that the certificate's reader will do (`SPEC.md` §7), and every strategy is
//! replayed once here before it is kept. An extraction or replay that fails is an error: the
//! position has to be searched again, never patched.

use certificate_spec::bits::{BitReader, BitWriter, width};
use certificate_spec::leaves::Leaf;
use thiserror::Error;

use super::dfpn::{KeyMap, Search};
use super::table::Known;
use crate::board::{Board, Position, Side};
use crate::egdb::{Value, Values};

/// A strategy for one side.
#[derive(Debug, Clone)]
pub struct Strategy {
    /// Whose strategy it is.
    pub claimant: Side,
    /// Whether it wins; otherwise it does not lose.
    pub is_win: bool,
    /// Where the claimant moves to.
    choices: KeyMap<Position>,
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

impl Search<'_> {
    /// The strategy that decided `root`: the attacker's if it wins, else the defender's.
    ///
    /// # Errors
    /// [`StrategyError`] if the root is not decided or the table does not hold a strategy.
    pub fn strategy(&self, root: &Position) -> Result<Strategy, StrategyError> {
        let strategy = match self.known(root) {
            Some(won) => self.strategy_of(won, KeyMap::default()),
            None => {
                let at = self.table.find(root).ok_or(StrategyError::Undecided)?;
                match self.table.known(at) {
                    Known::Proved(_) => self.win(root)?,
                    Known::Disproved => self.closed(root)?,
                    _ => return Err(StrategyError::Undecided),
                }
            }
        };
        strategy.replay(self.board, self.database, root, |_| false, |_, _| {})?;
        Ok(strategy)
    }

    fn strategy_of(&self, is_win: bool, choices: KeyMap<Position>) -> Strategy {
        let claimant = if is_win { self.attacker } else { self.attacker.opponent() };
        Strategy { claimant, is_win, choices }
    }

    /// When a position was proved, if it was. One that has captures may have been forgotten, and proved again later; so
    /// it counts as proved as soon as what they lead to was.
    fn proved(&self, position: &Position) -> Option<u32> {
        if let Some(won) = self.known(position) {
            return won.then_some(0);
        }
        if !self.board.can_capture(position) {
            return match self.table.known(self.table.find(position)?) {
                Known::Proved(time) => Some(time),
                _ => None,
            };
        }
        let mut successors = Vec::new();
        self.board.successors(position, &mut successors);
        let mut times = successors.iter().map(|s| self.proved(s));
        if position.turn == self.attacker {
            times.flatten().min()
        } else {
            times.try_fold(0, |last, time| Some(last.max(time?)))
        }
    }

    /// Whether a position is disproved. One that has captures may have been forgotten, and believed again later.
    fn disproved(&self, position: &Position) -> bool {
        if let Some(won) = self.known(position) {
            return !won;
        }
        let known = self.table.find(position).map(|at| self.table.known(at));
        if known == Some(Known::Disproved) || !self.board.can_capture(position) {
            return known == Some(Known::Disproved);
        }
        let mut successors = Vec::new();
        self.board.successors(position, &mut successors);
        if position.turn == self.attacker {
            successors.iter().all(|s| self.disproved(s))
        } else {
            successors.iter().any(|s| self.disproved(s))
        }
    }

    /// Takes in each Or node the child that was proved first. A child was proved before its
    /// parents were, so the time of the proof falls along every line, or stays the same where a piece is captured.
    fn win(&self, root: &Position) -> Result<Strategy, StrategyError> {
        let (mut choices, mut todo, mut successors) = (KeyMap::default(), vec![*root], Vec::new());
        let mut seen: KeyMap<()> = KeyMap::default();
        while let Some(position) = todo.pop() {
            if self.known(&position).is_some() || seen.insert(position.key(), ()).is_some() {
                continue;
            }
            self.board.successors(&position, &mut successors);
            if position.turn == self.attacker {
                let proved = successors.iter().filter_map(|s| Some((self.proved(s)?, s)));
                let (_, choice) =
                    proved.min_by_key(|(time, _)| *time).ok_or(StrategyError::Incomplete)?;
                choices.insert(position.key(), *choice);
                todo.push(*choice);
            } else {
                for s in &successors {
                    self.proved(s).ok_or(StrategyError::Incomplete)?;
                    todo.push(*s);
                }
            }
        }
        Ok(self.strategy_of(true, choices))
    }

    /// Takes in each And node a child that is disproved: all that are make up a closed set.
    fn closed(&self, root: &Position) -> Result<Strategy, StrategyError> {
        let (mut choices, mut todo, mut successors) = (KeyMap::default(), vec![*root], Vec::new());
        let mut kept: KeyMap<()> = KeyMap::default();
        kept.insert(root.key(), ());
        while let Some(position) = todo.pop() {
            self.board.successors(&position, &mut successors);
            if position.turn == self.attacker {
                for s in &successors {
                    match self.known(s) {
                        Some(true) => return Err(StrategyError::WrongValue),
                        Some(false) => {}
                        None if !self.disproved(s) => return Err(StrategyError::NotClosed),
                        None if kept.insert(s.key(), ()).is_none() => todo.push(*s),
                        None => {}
                    }
                }
                continue;
            }
            // A move out of the search costs no positions, one into the set none that are new.
            let out = successors.iter().find(|s| self.known(s) == Some(false)).copied();
            let choice = out.or_else(|| {
                let mut inside =
                    successors.iter().filter(|s| self.known(s).is_none() && self.disproved(s));
                let old = inside.clone().find(|s| kept.contains_key(&s.key()));
                let choice = old.or_else(|| inside.next()).copied()?;
                if kept.insert(choice.key(), ()).is_none() {
                    todo.push(choice);
                }
                Some(choice)
            });
            choices.insert(position.key(), choice.ok_or(StrategyError::NotClosed)?);
        }
        Ok(self.strategy_of(false, choices))
    }
}

impl Strategy {
    /// Replays the strategy from `root` as `SPEC.md` §7 says. `closes` tells where the proof tree
    /// takes over; `choice` gets each choice: the number of the successor, and how many there are.
    /// Returns the number of positions expanded.
    ///
    /// # Errors
    /// [`StrategyError`] where the strategy does not hold.
    pub fn replay(
        &self,
        board: &Board,
        database: &Values,
        root: &Position,
        closes: impl FnMut(&Position) -> bool,
        mut choice: impl FnMut(usize, usize),
    ) -> Result<u64, StrategyError> {
        let Strategy { claimant, is_win, .. } = *self;
        let known = |p: &Position| Some(suits(database.probe(p)?, p.turn == claimant, is_win));
        let replay = Replay { board, claimant, is_win, known };
        replay.run(root, closes, |position, successors| {
            let target = self.choices.get(&position.key()).ok_or(StrategyError::Incomplete)?;
            let at = successors.binary_search(target).map_err(|_| StrategyError::Incomplete)?;
            choice(at, successors.len());
            Ok(at)
        })
    }

    /// The chosen successor, where the claimant is to move.
    pub fn choice(&self, position: &Position) -> Option<Position> {
        self.choices.get(&position.key()).copied()
    }
}

/// Packs a strategy from `root`, replaying it; `closes` tells where the proof tree takes over.
///
/// # Errors
/// [`StrategyError`] where it does not hold.
pub fn pack(
    strategy: &Strategy,
    board: &Board,
    database: &Values,
    root: &Position,
    closes: impl FnMut(&Position) -> bool,
) -> Result<Leaf<Vec<u8>>, StrategyError> {
    let mut bits = BitWriter::default();
    let choice = |at: usize, of: usize| bits.push(at as u32, width(of));
    let positions = strategy.replay(board, database, root, closes, choice)?;
    Ok(Leaf { positions, strategy: bits.finish() })
}

/// What a replay needs besides the choices.
pub struct Replay<'a, F> {
    /// The board.
    pub board: &'a Board,
    /// Whose strategy it is.
    pub claimant: Side,
    /// Whether it is to win.
    pub is_win: bool,
    /// What the database says of a position: whether its value suits, if it has one.
    pub known: F,
}

impl<F: Fn(&Position) -> Option<bool>> Replay<'_, F> {
    /// Reads the choices of a leaf of a certificate, replaying it from `root`. `closes` tells where the
    /// proof tree that it was written for takes over.
    ///
    /// # Errors
    /// [`StrategyError`] where the strategy does not hold or is not what the leaf states.
    pub fn decode(
        self,
        leaf: &Leaf<Vec<u8>>,
        root: &Position,
        closes: impl FnMut(&Position) -> bool,
    ) -> Result<Strategy, StrategyError> {
        let (claimant, is_win) = (self.claimant, self.is_win);
        let mut bits = BitReader::new(&leaf.strategy);
        let mut choices = KeyMap::default();
        let positions = self.run(root, closes, |position, successors| {
            let at = bits.take(width(successors.len())).ok_or(StrategyError::Bits)? as usize;
            choices.insert(position.key(), *successors.get(at).ok_or(StrategyError::Bits)?);
            Ok(at)
        })?;
        if positions != leaf.positions || !bits.is_finished() {
            return Err(StrategyError::Bits);
        }
        Ok(Strategy { claimant, is_win, choices })
    }

    /// Goes over all positions that a strategy reaches from `root`; `choose` gets a position in which the
    /// claimant moves and its successors, and says which.
    fn run(
        self,
        root: &Position,
        mut closes: impl FnMut(&Position) -> bool,
        mut choose: impl FnMut(&Position, &[Position]) -> Result<usize, StrategyError>,
    ) -> Result<u64, StrategyError> {
        let Replay { board, claimant, is_win, known } = self;
        if let Some(fits) = known(root) {
            return if fits { Ok(0) } else { Err(StrategyError::WrongValue) };
        }
        // Whether each position seen is completed; the path, with what is left to visit from each.
        let mut seen: KeyMap<bool> = KeyMap::default();
        let mut path: Vec<(Position, Vec<Position>)> = Vec::new();
        let mut successors = Vec::new();
        let mut next = Some(*root);
        loop {
            if let Some(position) = next.take() {
                seen.insert(position.key(), false);
                board.successors(&position, &mut successors);
                if position.turn == claimant {
                    let at = choose(&position, &successors)?;
                    path.push((position, vec![successors[at]]));
                } else {
                    path.push((position, successors.iter().rev().copied().collect()));
                }
            }
            let Some((position, left)) = path.last_mut() else {
                return Ok(seen.len() as u64);
            };
            let Some(visit) = left.pop() else {
                seen.insert(position.key(), true);
                path.pop();
                continue;
            };
            if let Some(fits) = known(&visit) {
                if !fits {
                    return Err(StrategyError::WrongValue);
                }
            } else if let Some(&completed) = seen.get(&visit.key()) {
                if is_win && !completed {
                    return Err(StrategyError::Circle);
                }
            } else if !closes(&visit) {
                next = Some(visit);
            }
        }
    }
}
