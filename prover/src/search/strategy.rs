//! From a finished search to a strategy, and its replay.
//!
//! A strategy is a chosen successor for each position in which the claimant moves. Its replay from
//! the root is the check that the certificate's reader will do (`SPEC.md` §7), and every strategy is
//! replayed once here before it is kept. An extraction or replay that fails is an error: the
//! position has to be searched again, never patched.

use certificate_spec::bits::{BitReader, BitWriter, width};
use certificate_spec::leaves::Leaf;
use thiserror::Error;

use super::dfpn::{KeyMap, Search, Status};
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
                let root = self.find(root).ok_or(StrategyError::Undecided)?;
                match self.entries[root as usize].status {
                    Status::Open => return Err(StrategyError::Undecided),
                    Status::Proved(_) => self.win(root)?,
                    Status::Disproved => self.closed(root)?,
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

    /// Takes in each Or node the child that was proved first. A child was proved before its
    /// parents were, so the time of the proof falls along every line.
    fn win(&self, root: u32) -> Result<Strategy, StrategyError> {
        let (mut choices, mut todo, mut successors) = (KeyMap::default(), vec![root], Vec::new());
        let mut seen = vec![false; self.entries.len()];
        let time = |p: &Position| match self.known(p) {
            Some(won) => won.then_some((0, None)),
            None => self.find(p).and_then(|id| match self.entries[id as usize].status {
                Status::Proved(time) => Some((time, Some(id))),
                _ => None,
            }),
        };
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            let position = &self.entries[id as usize].position;
            self.board.successors(position, &mut successors);
            if position.turn == self.attacker {
                let proved = successors.iter().filter_map(|s| Some((time(s)?, s)));
                let ((_, next), choice) =
                    proved.min_by_key(|((t, _), _)| *t).ok_or(StrategyError::Incomplete)?;
                choices.insert(position.key(), *choice);
                todo.extend(next);
            } else {
                for s in &successors {
                    todo.extend(time(s).ok_or(StrategyError::Incomplete)?.1);
                }
            }
        }
        Ok(self.strategy_of(true, choices))
    }

    /// Takes the greatest closed subset of the positions that had a disproof, and in it a strategy.
    fn closed(&self, root: u32) -> Result<Strategy, StrategyError> {
        let set = Candidates::reach(self, root).close();
        if set.out[0] {
            return Err(StrategyError::NotClosed);
        }
        let (mut choices, mut successors) = (KeyMap::default(), Vec::new());
        let (mut kept, mut todo) = (vec![false; set.ids.len()], vec![0u32]);
        kept[0] = true;
        while let Some(at) = todo.pop() {
            let position = &self.entries[set.ids[at as usize] as usize].position;
            let children = &set.children[at as usize];
            if position.turn == self.attacker {
                for &c in children {
                    if !std::mem::replace(&mut kept[c as usize], true) {
                        todo.push(c);
                    }
                }
                continue;
            }
            self.board.successors(position, &mut successors);
            // A move out of the search costs no positions, one into the set none that are new;
            // else the position that was met first: it has had the longest time to get settled.
            let out = successors.iter().find(|s| self.known(s) == Some(false)).copied();
            let choice = out.or_else(|| {
                let inside = children.iter().filter(|&&c| !set.out[c as usize]);
                let c = *inside.min_by_key(|&&c| (!kept[c as usize], set.ids[c as usize]))?;
                if !std::mem::replace(&mut kept[c as usize], true) {
                    todo.push(c);
                }
                Some(self.entries[set.ids[c as usize] as usize].position)
            });
            choices.insert(position.key(), choice.ok_or(StrategyError::Incomplete)?);
        }
        Ok(self.strategy_of(false, choices))
    }
}

/// The candidates for a closed set, as far as they can be reached from the root (number 0).
struct Candidates {
    ids: Vec<u32>,
    /// Numbers of the children that are candidates.
    children: Vec<Vec<u32>>,
    parents: Vec<Vec<u32>>,
    /// How many more children may drop out before the position does.
    spare: Vec<u32>,
    /// Positions that have dropped out.
    out: Vec<bool>,
}

impl Candidates {
    fn reach(search: &Search<'_>, root: u32) -> Self {
        let mut number = vec![u32::MAX; search.entries.len()];
        number[root as usize] = 0;
        let mut set = Candidates {
            ids: vec![root],
            children: Vec::new(),
            parents: vec![Vec::new()],
            spare: Vec::new(),
            out: Vec::new(),
        };
        let (mut at, mut successors) = (0, Vec::new());
        while at < set.ids.len() {
            let position = search.entries[set.ids[at] as usize].position;
            search.board.successors(&position, &mut successors);
            let (mut children, mut safe, mut bad) = (Vec::new(), 0u32, 0u32);
            for s in &successors {
                let candidate = match search.known(s) {
                    Some(false) => {
                        safe += 1;
                        continue;
                    }
                    Some(true) => None,
                    None => search.find(s).filter(|&id| {
                        let entry = &search.entries[id as usize];
                        entry.status == Status::Disproved
                            || entry.status == Status::Open && entry.support.is_some()
                    }),
                };
                let Some(id) = candidate else {
                    bad += 1;
                    continue;
                };
                if number[id as usize] == u32::MAX {
                    number[id as usize] = set.ids.len() as u32;
                    set.ids.push(id);
                    set.parents.push(Vec::new());
                }
                children.push(number[id as usize]);
                set.parents[number[id as usize] as usize].push(at as u32);
            }
            // The attacker's position needs all its children, the defender's one of them.
            let attacks = position.turn == search.attacker;
            set.spare.push(if attacks {
                0
            } else {
                (safe + children.len() as u32).saturating_sub(1)
            });
            let out = if attacks { bad > 0 } else { safe == 0 && children.is_empty() };
            set.out.push(out);
            set.children.push(children);
            at += 1;
        }
        set
    }

    /// Drops positions until the rest is closed.
    fn close(mut self) -> Self {
        let mut todo: Vec<u32> =
            (0..self.ids.len() as u32).filter(|&i| self.out[i as usize]).collect();
        while let Some(dropped) = todo.pop() {
            for &parent in &self.parents[dropped as usize] {
                let parent_at = parent as usize;
                if self.out[parent_at] {
                    continue;
                }
                if self.spare[parent_at] == 0 {
                    self.out[parent_at] = true;
                    todo.push(parent);
                } else {
                    self.spare[parent_at] -= 1;
                }
            }
        }
        self
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
