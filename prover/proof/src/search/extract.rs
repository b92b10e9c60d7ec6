//! From the transposition table of a finished search to a strategy.
//!
//! An extracted strategy has still to be replayed. An extraction that fails is an error: the
//! position has to be searched again, never patched.

use super::estimate::Goal;
use super::slot::{KeyMap, Known};
use super::strategy::{Choices, StrategyError};
use super::table::Table;
use crate::board::Position;

/// A strategy that a search has found, before its replay.
pub(super) struct Extracted {
    /// Whether it is the attacker's, to win; otherwise it is the defender's, not to lose.
    pub(super) is_win: bool,
    /// The moves of the side whose strategy it is.
    pub(super) choices: Choices,
}

/// The strategy that decided `root`.
///
/// # Errors
/// [`StrategyError`] if the root is not decided or the table does not hold a strategy.
pub(super) fn extract(
    goal: &Goal<'_>,
    table: &Table,
    root: &Position,
) -> Result<Extracted, StrategyError> {
    if let Some(is_win) = goal.known(root) {
        return Ok(Extracted { is_win, choices: Choices::default() });
    }
    let extraction = Extraction { goal, table };
    match table.find(root).map(|at| table.known(at)) {
        Some(Known::Proved(_)) => Ok(Extracted { is_win: true, choices: extraction.win(root)? }),
        Some(Known::Disproved) => {
            Ok(Extracted { is_win: false, choices: extraction.closed_set(root)? })
        }
        _ => Err(StrategyError::Undecided),
    }
}

struct Extraction<'a> {
    goal: &'a Goal<'a>,
    table: &'a Table,
}

impl Extraction<'_> {
    fn known(&self, position: &Position) -> Option<Known> {
        self.table.find(position).map(|at| self.table.known(at))
    }

    /// When a position was proved, if it was. One that has captures may have been forgotten, and
    /// proved again later; so it counts as proved as soon as what they lead to was.
    fn proved(&self, position: &Position) -> Option<u64> {
        if let Some(won) = self.goal.known(position) {
            return won.then_some(0);
        }
        if !self.goal.board.can_capture(position) {
            return match self.known(position)? {
                Known::Proved(time) => Some(time),
                _ => None,
            };
        }
        let mut successors = Vec::new();
        self.goal.board.successors(position, &mut successors);
        let mut times = successors.iter().map(|s| self.proved(s));
        if self.goal.is_or(position) {
            times.flatten().min()
        } else {
            times.try_fold(0, |last, time| Some(last.max(time?)))
        }
    }

    /// Whether a position is disproved. One that has captures may have been forgotten, and
    /// tentatively disproved again later.
    fn disproved(&self, position: &Position) -> bool {
        if let Some(won) = self.goal.known(position) {
            return !won;
        }
        let known = self.known(position);
        if known == Some(Known::Disproved) || !self.goal.board.can_capture(position) {
            return known == Some(Known::Disproved);
        }
        let mut successors = Vec::new();
        self.goal.board.successors(position, &mut successors);
        if self.goal.is_or(position) {
            successors.iter().all(|s| self.disproved(s))
        } else {
            successors.iter().any(|s| self.disproved(s))
        }
    }

    /// Takes in each Or node the child that was proved first. A child was proved before its parents
    /// were, so the time of the proof falls along every line, or stays the same where a piece is
    /// captured.
    fn win(&self, root: &Position) -> Result<Choices, StrategyError> {
        let mut choices = Choices::default();
        let mut todo = vec![*root];
        let (mut seen, mut successors): (KeyMap<()>, _) = (KeyMap::default(), Vec::new());
        while let Some(position) = todo.pop() {
            if self.goal.known(&position).is_some() || seen.insert(position.key(), ()).is_some() {
                continue;
            }
            self.goal.board.successors(&position, &mut successors);
            if self.goal.is_or(&position) {
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
        Ok(choices)
    }

    /// Takes in each And node a child that is disproved: all that are make up a closed set.
    fn closed_set(&self, root: &Position) -> Result<Choices, StrategyError> {
        let mut choices = Choices::default();
        let mut todo = vec![*root];
        let (mut kept, mut successors): (KeyMap<()>, _) = (KeyMap::default(), Vec::new());
        kept.insert(root.key(), ());
        while let Some(position) = todo.pop() {
            self.goal.board.successors(&position, &mut successors);
            if self.goal.is_or(&position) {
                for s in &successors {
                    match self.goal.known(s) {
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
            let out = successors.iter().find(|s| self.goal.known(s) == Some(false)).copied();
            let choice = out.or_else(|| {
                let mut inside =
                    successors.iter().filter(|s| self.goal.known(s).is_none() && self.disproved(s));
                let old = inside.clone().find(|s| kept.contains_key(&s.key()));
                let choice = old.or_else(|| inside.next()).copied()?;
                if kept.insert(choice.key(), ()).is_none() {
                    todo.push(choice);
                }
                Some(choice)
            });
            choices.insert(position.key(), choice.ok_or(StrategyError::NotClosed)?);
        }
        Ok(choices)
    }
}
