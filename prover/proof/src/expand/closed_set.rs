//! Finds the positions of a strategy over the smaller cover.
//!
//! Only positions in which the opponent moves are kept. The claimant's move from any other position
//! is one into the smaller cover or to a kept position, so it can be found again.
//!
//! A claim of not losing is searched again from its start by df-pn, which knows from the larger
//! database which positions are lost: it has nothing to refute, and looks for few positions that
//! hold. To keep to the certificate's moves above its cover takes six to nine times as many
//! positions (docs/experiments/077). For a win, moves are chosen one by one: of those that need a
//! new position, the one that adds the fewest within two replies of the opponent.

use std::ops::ControlFlow;

use super::allowed::{Allowed, ExpandError};
use crate::board::Position;
use crate::search::{Goal, Outcome, PositionSet, Search, SearchProgress};

/// The bytes that the transposition table of a search may grow to.
const TABLE: u64 = 4 << 30;
/// The replies of the opponent that a choice looks ahead.
const REPLIES_AHEAD: u32 = 2;
/// The number of positions that a new one is taken for at the end of the look ahead.
const UNSEEN: u64 = 4;

/// The standing of a successor of a position in which the claimant moves.
enum Standing {
    /// The smaller cover has it, and its value suits.
    Known,
    Met,
    /// It may be added to the set.
    Open,
    /// It must not be reached.
    Lost,
}

/// The positions of a strategy in which the opponent moves.
pub(super) struct ClosedSet<'a> {
    pub(super) allowed: &'a Allowed<'a>,
    set: PositionSet,
}

impl<'a> ClosedSet<'a> {
    /// Finds the set of a strategy from `start`. `met` gets the numbers of nodes or positions that
    /// were met since the last call.
    ///
    /// # Errors
    /// [`ExpandError`]
    pub(super) fn find(
        allowed: &'a Allowed<'a>,
        start: &Position,
        met: impl Fn(u64) + Sync,
    ) -> Result<Self, ExpandError> {
        let mut found = ClosedSet { allowed, set: PositionSet::new(allowed.board) };
        if allowed.is_win() {
            found.grow(start, met)?;
        } else {
            found.search(start, met)?;
        }
        Ok(found)
    }

    /// Adds the positions of a strategy not to lose, which a search finds.
    fn search(&mut self, start: &Position, met: impl Fn(u64) + Sync) -> Result<(), ExpandError> {
        let allowed = self.allowed;
        let attacker_wins = |position: &Position| match allowed.known(position) {
            Some(suits) => Some(!suits),
            None => allowed.is_lost(position).then_some(true),
        };
        let attacker = allowed.claimant().opponent();
        let goal = Goal::new(allowed.board, allowed.values(), attacker);
        let goal = goal.with_oracle(&attacker_wins);
        let report = |at: SearchProgress| {
            met(at.nodes);
            ControlFlow::Continue(())
        };
        let mut search = Search::new(goal, TABLE).with_progress(&report);
        if search.run(start, u64::MAX) == Outcome::Proved {
            return Err(allowed.broken(start, "the database refutes it").into());
        }
        let strategy = search.strategy(start)?;
        goal.replay(false).follow(
            &strategy.leaf,
            start,
            |_| false,
            |position| {
                if position.turn == attacker {
                    self.set.insert(position, ());
                }
            },
        )?;
        Ok(())
    }

    /// Adds the positions of a strategy to win, move by move.
    fn grow(&mut self, start: &Position, met: impl Fn(u64)) -> Result<(), ExpandError> {
        let mut todo = Vec::new();
        if start.turn == self.allowed.claimant() {
            self.answer(start, &mut todo)?;
        } else if !self.allowed.holds(start)? {
            self.add(start, &mut todo);
        }
        let mut replies = Vec::new();
        while let Some(position) = todo.pop() {
            met(1);
            self.allowed.board.successors(&position, &mut replies);
            for reply in &replies {
                self.answer(reply, &mut todo)?;
            }
        }
        Ok(())
    }

    /// Chooses the claimant's move from a position. A position that is added is put into `todo`.
    fn answer(&mut self, position: &Position, todo: &mut Vec<Position>) -> Result<(), ExpandError> {
        let mut open = Vec::new();
        if self.needs_nothing(position, &mut open)? {
            return Ok(());
        }
        let (mut least, mut best) = (u64::MAX, open[0]);
        for to in open {
            let cost = self.cost(&to, REPLIES_AHEAD, least)?;
            if cost < least {
                (least, best) = (cost, to);
            }
        }
        self.add(&best, todo);
        Ok(())
    }

    fn add(&mut self, position: &Position, todo: &mut Vec<Position>) {
        if self.set.insert(position, ()) {
            todo.push(*position);
        }
    }

    /// About how many positions a position adds in which the opponent moves, but at most `bound`.
    fn cost(&self, position: &Position, ahead: u32, bound: u64) -> Result<u64, ExpandError> {
        let mut cost = 1;
        let (mut replies, mut open) = (Vec::new(), Vec::new());
        self.allowed.board.successors(position, &mut replies);
        for reply in &replies {
            if cost >= bound {
                break;
            }
            if self.allowed.holds(reply)? {
                continue;
            }
            cost += 1;
            if self.needs_nothing(reply, &mut open)? {
                continue;
            }
            let mut least = if ahead == 1 { UNSEEN } else { bound - cost };
            for to in open.iter().filter(|_| ahead > 1) {
                least = least.min(self.cost(to, ahead - 1, least)?);
            }
            cost += least;
        }
        Ok(cost)
    }

    /// The number of the chosen successor of a position in which the claimant moves: the first in
    /// the smaller cover, else the first of the set.
    ///
    /// # Errors
    /// [`ExpandError`]
    pub(super) fn chosen(
        &self,
        position: &Position,
        successors: &[Position],
    ) -> Result<Option<usize>, ExpandError> {
        let mut inside = None;
        for (i, to) in successors.iter().enumerate() {
            match self.standing(position, to)? {
                Standing::Known => return Ok(Some(i)),
                Standing::Met if inside.is_none() => inside = Some(i),
                _ => {}
            }
        }
        Ok(inside)
    }

    /// Returns the standing of a successor of a position in which the claimant moves.
    fn standing(&self, from: &Position, to: &Position) -> Result<Standing, ExpandError> {
        Ok(match self.allowed.known(to) {
            Some(true) => Standing::Known,
            Some(false) => Standing::Lost,
            None if self.allowed.is_win() && !self.allowed.may_choose(from, to)? => Standing::Lost,
            None if self.set.contains(to) => Standing::Met,
            None => Standing::Open,
        })
    }

    /// Puts into `open` the moves that a position in which the claimant moves may choose. Returns
    /// whether one of its moves needs no new position; `open` has no meaning then.
    fn needs_nothing(
        &self,
        position: &Position,
        open: &mut Vec<Position>,
    ) -> Result<bool, ExpandError> {
        if self.allowed.holds(position)? {
            return Ok(true);
        }
        self.allowed.board.successors(position, open);
        let mut kept = 0;
        for i in 0..open.len() {
            match self.standing(position, &open[i])? {
                Standing::Known | Standing::Met => return Ok(true),
                Standing::Open => {
                    open.swap(i, kept);
                    kept += 1;
                }
                Standing::Lost => {}
            }
        }
        open.truncate(kept);
        match kept {
            0 => Err(self.allowed.broken(position, "no move keeps what is claimed").into()),
            _ => Ok(false),
        }
    }
}
