//! Finds the positions of a strategy over the smaller cover.
//!
//! Only positions in which the opponent moves are kept. The claimant's move from any other position
//! is one into the smaller cover or to a kept position, so it can be found again.
//!
//! Above its cover the certificate says where the claimant moves. Below it df-pn finds a strategy
//! not to lose: with the moves that lose left out, each line can be held, and the search looks for
//! few positions. It ends at positions that are kept already. Where it takes too long, and for a
//! win, moves are chosen one by one. Of the moves that need a new position, the choice is made by
//! two measures. One counts the positions that a move adds within two replies of the opponent. The
//! other prefers placements of the claimant's pieces that the set has often: the opponent can walk
//! about freely, so a set is small if the claimant answers from few placements.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};

use super::ExpandError;
use super::allowed::Allowed;
use crate::board::Position;
use crate::search::{Goal, Outcome, PositionSet, ProgressCallback, Search, SearchProgress};

/// The bytes of the transposition table of a search.
const TABLE: u64 = 1 << 30;
/// The nodes of a search from one position.
const NODES: u64 = 1 << 24;
/// The replies of the opponent that a choice looks ahead.
const REPLIES_AHEAD: u32 = 2;
/// The number of positions that a new one is taken for at the end of the look ahead.
const UNSEEN: i64 = 4;
/// The moves that are looked ahead for two replies: the best of those that look ahead for one.
const LOOKED_AHEAD: usize = 3;

/// The standing of a successor of a position in which the claimant moves.
enum Standing {
    /// The smaller cover has it, and its value suits.
    Known,
    /// It is in the set.
    Met,
    /// It may be added to the set.
    Open,
    /// It must not be reached.
    Lost,
}

/// The positions of a strategy in which the opponent moves.
pub(super) struct ClosedSet<'a> {
    pub(super) allowed: &'a Allowed<'a>,
    set: RwLock<PositionSet>,
}

impl<'a> ClosedSet<'a> {
    /// Finds the set of a strategy from `start`. `met` gets the numbers of nodes and positions that
    /// were met since the last call.
    ///
    /// # Errors
    /// [`ExpandError`]
    pub(super) fn find(
        allowed: &'a Allowed<'a>,
        start: &Position,
        met: impl Fn(u64) + Sync,
    ) -> Result<Self, ExpandError> {
        let found = ClosedSet { allowed, set: RwLock::new(PositionSet::new(allowed.board)) };
        let attacker_wins = |position: &Position| match allowed.known(position) {
            Some(suits) => Some(!suits),
            None if found.contains(position) => Some(false),
            None => allowed.is_lost(position).then_some(true),
        };
        let attacker = allowed.claimant().opponent();
        let goal = Goal::new(allowed.board, allowed.values(), attacker);
        let goal = goal.with_oracle(&attacker_wins);
        let report = |at: SearchProgress| {
            met(at.nodes);
            ControlFlow::Continue(())
        };
        let mut growth = Growth {
            found: &found,
            goal,
            report: &report,
            search: None,
            todo: Vec::new(),
            placements: HashMap::new(),
        };
        if start.turn == allowed.claimant() {
            growth.answer(start)?;
        } else if !allowed.holds(start)? {
            growth.add(start);
        }
        let mut replies = Vec::new();
        while let Some(position) = growth.todo.pop() {
            met(1);
            allowed.board.successors(&position, &mut replies);
            for reply in &replies {
                growth.answer(reply)?;
            }
        }
        drop(growth);
        Ok(found)
    }

    fn contains(&self, position: &Position) -> bool {
        self.set.read().unwrap_or_else(PoisonError::into_inner).contains(position)
    }

    /// Adds a position. Returns whether it is new.
    fn insert(&self, position: &Position) -> bool {
        self.set.write().unwrap_or_else(PoisonError::into_inner).insert(position, ())
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
            None => match (self.contains(to), self.allowed.is_win()) {
                (true, false) => Standing::Met,
                _ if !self.allowed.may_choose(from, to)? => Standing::Lost,
                (true, true) => Standing::Met,
                (false, _) => Standing::Open,
            },
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

/// A set that grows.
struct Growth<'s, 'a> {
    found: &'s ClosedSet<'a>,
    goal: Goal<'s>,
    report: &'s ProgressCallback<'s>,
    /// The search, once there was one. Its table has what it has found from other positions.
    search: Option<Search<'s>>,
    /// Positions of the set whose replies are not answered yet.
    todo: Vec<Position>,
    /// The number of positions of the set by the claimant's pieces and kings and the number of the
    /// opponent's pieces.
    placements: HashMap<(u64, u64, u32), u32>,
}

impl Growth<'_, '_> {
    /// Chooses the claimant's move from a position.
    fn answer(&mut self, position: &Position) -> Result<(), ExpandError> {
        let mut open = Vec::new();
        if self.found.needs_nothing(position, &mut open)? || self.search(position)? {
            return Ok(());
        }
        let mut rated = Vec::with_capacity(open.len());
        for to in &open {
            rated.push((self.rate(to, 1, i64::MAX)?, *to));
        }
        rated.sort_unstable();
        let mut best = rated[0];
        if rated.len() > 1 {
            best.0 = i64::MAX;
            for (_, to) in rated.into_iter().take(LOOKED_AHEAD) {
                best = best.min((self.rate(&to, REPLIES_AHEAD, best.0)?, to));
            }
        }
        self.add(&best.1);
        Ok(())
    }

    /// Adds a strategy from a position of the certificate's cover that a search has found. Returns
    /// whether it has found one.
    fn search(&mut self, position: &Position) -> Result<bool, ExpandError> {
        let allowed = self.found.allowed;
        if allowed.is_win() || !allowed.values().covers(position) {
            return Ok(false);
        }
        let (goal, report) = (self.goal, self.report);
        let search =
            self.search.get_or_insert_with(|| Search::new(goal, TABLE).with_progress(report));
        let found = match search.run(position, NODES) {
            Outcome::Proved => {
                return Err(allowed.broken(position, "the database refutes it").into());
            }
            Outcome::Disproved => search.strategy(position).ok(),
            Outcome::Unknown(_) => None,
        };
        let Some(strategy) = found else {
            // It is on its way down from this position, or has forgotten a part of the strategy.
            self.search = None;
            return Ok(false);
        };
        let mut reached = Vec::new();
        let note = |p: &Position| reached.extend((p.turn == goal.attacker).then_some(*p));
        goal.replay(false).follow(&strategy.leaf, position, |_| false, note)?;
        // The replay ends at positions of the set, so that it has to be over.
        reached.iter().for_each(|p| {
            self.found.insert(p);
        });
        Ok(true)
    }

    /// The rating of a move to a position, the smallest of which is best; exact below `bound`.
    fn rate(&self, to: &Position, ahead: u32, bound: i64) -> Result<i64, ExpandError> {
        let bonus = tenths_of_log(self.placements.get(&self.placement(to)));
        let bound = bound.saturating_add(bonus) / 10 + 1;
        Ok(10 * self.cost(to, ahead, bound)? - bonus)
    }

    fn placement(&self, position: &Position) -> (u64, u64, u32) {
        let claimant = self.found.allowed.claimant();
        let own = position.of(claimant);
        (own, own & position.kings, position.of(claimant.opponent()).count_ones())
    }

    fn add(&mut self, position: &Position) {
        if self.found.insert(position) {
            self.todo.push(*position);
            *self.placements.entry(self.placement(position)).or_default() += 1;
        }
    }

    /// About how many positions a position adds in which the opponent moves, but at most `bound`.
    fn cost(&self, position: &Position, ahead: u32, bound: i64) -> Result<i64, ExpandError> {
        let mut cost = 1;
        let (mut replies, mut open) = (Vec::new(), Vec::new());
        self.found.allowed.board.successors(position, &mut replies);
        for reply in &replies {
            if cost >= bound {
                break;
            }
            if self.found.allowed.holds(reply)? {
                continue;
            }
            cost += 1;
            if self.found.needs_nothing(reply, &mut open)? {
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
}

/// Ten times the logarithm to base 2 of one more than a number, about.
fn tenths_of_log(number: Option<&u32>) -> i64 {
    let number = i64::from(number.copied().unwrap_or(0)) + 1;
    let whole = i64::from(number.ilog2());
    10 * whole + 10 * (number - (1 << whole)) / (1 << whole)
}
