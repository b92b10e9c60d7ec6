//! The results of earlier work, kept from one look-up to the next: depths that are not stored, and
//! positions that searches have solved.

use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use certificate_spec::claim::Question;
use draughtproof_proof::search::{KeyMap, Strategy};

use super::{Lookup, LookupError, ProvedPositions};
use crate::board::{Board, Position};
use crate::egdb::{Cover, DepthFinder, RatedMove, Value};

/// The most depths that are kept; then they are forgotten.
const KEPT: usize = 1 << 20;

/// The results of earlier work on positions of a board.
pub struct Found {
    finder: Mutex<DepthFinder>,
    kept: RwLock<Kept>,
    solved: RwLock<ProvedPositions>,
}

#[derive(Default)]
struct Kept {
    /// The depths that were found.
    depths: KeyMap<u32>,
    /// The positions of whose moves all depths were found that can be found and that their order
    /// needs. A depth of the position itself says nothing of its moves.
    asked: KeyMap<()>,
}

impl Found {
    /// The memory for finding depths of any six pieces on 8x8, in bytes.
    pub const MEMORY: u64 = 192 << 20;

    /// Nothing was found so far; finding depths takes at most `memory` bytes.
    pub fn new(board: &Board, memory: u64) -> Self {
        Found {
            finder: Mutex::new(DepthFinder::new(memory)),
            kept: RwLock::default(),
            solved: RwLock::new(ProvedPositions::none(board)),
        }
    }

    /// The positions that searches have solved.
    pub fn solved(&self) -> RwLockReadGuard<'_, ProvedPositions> {
        self.solved.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the strategy by which a search has answered a question about a position. Positions of
    /// the database are left out.
    pub fn add_solved(&self, question: Question, root: &Position, by: &Strategy, database: &Cover) {
        let mut solved = self.solved.write().unwrap_or_else(PoisonError::into_inner);
        solved.add(question, root, by, database);
    }

    /// Forgets all solved positions.
    pub fn forget_solved(&self) {
        let mut solved = self.solved.write().unwrap_or_else(PoisonError::into_inner);
        solved.clear();
    }

    fn kept_mut(&self) -> RwLockWriteGuard<'_, Kept> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the depths of the moves of a position, as far as the depths after them were found.
    /// Returns whether all were found that can be found.
    fn set_depths(&self, position: &Position, moves: &mut [RatedMove]) -> bool {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if !kept.asked.contains_key(&position.key()) {
            return false;
        }
        for m in moves.iter_mut().filter(|m| m.depth.is_none()) {
            m.further = kept.depths.get(&m.after.key()).copied();
            m.depth = m.further.map(|further| further + 1);
        }
        true
    }

    fn keep(&self, found: impl IntoIterator<Item = (u128, u32)>) {
        let mut kept = self.kept_mut();
        if kept.depths.len() > KEPT {
            *kept = Kept::default();
        }
        kept.depths.extend(found);
    }
}

impl Lookup<'_> {
    /// Finds the depths that are not stored of the moves of a won or lost position, as far as the
    /// order of the best moves needs them and until `is_stopped` returns true; sorts the moves.
    pub(super) fn find_depths(
        &self,
        position: &Position,
        rated: &mut [RatedMove],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), LookupError> {
        let (Some(found), Some(first)) = (self.found, rated.first()) else { return Ok(()) };
        let Some(value) = first.value.value().filter(|value| *value != Value::Draw) else {
            return Ok(());
        };
        let as_good = rated.iter().take_while(|m| m.value.value() == Some(value)).count();
        let best = &mut rated[..as_good];
        // A winner who can convert has nothing better to do.
        let is_open = |m: &RatedMove| m.depth.is_none();
        if value == Value::Win && !is_open(&best[0]) || !best.iter().any(is_open) {
            return Ok(());
        }
        if !found.set_depths(position, best) {
            // Some of the depths are no order.
            if !self.find(found, position, best, is_stopped)? {
                return Ok(());
            }
            found.kept_mut().asked.insert(position.key(), ());
            found.set_depths(position, best);
        }
        rated.sort_by_key(RatedMove::rank);
        Ok(())
    }

    /// Finds the depths after moves: of the whole block where the values are in memory, else of the
    /// positions that can come up. Returns whether it was not stopped.
    fn find(
        &self,
        found: &Found,
        position: &Position,
        best: &[RatedMove],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, LookupError> {
        let mut finder = match found.finder.try_lock() {
            Ok(finder) => finder,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if is_stopped() => return Ok(false),
            Err(TryLockError::WouldBlock) => {
                found.finder.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        let depth = finder.depth(self.values, position, is_stopped);
        let known = |m: &RatedMove| Some((m.after.key(), finder.known(self.board, &m.after)?));
        found.keep(best.iter().filter_map(known));
        drop(finder);
        if depth.is_some() || best[0].value.value() != Some(Value::Win) {
            return Ok(depth.is_some() || !is_stopped());
        }
        let depths = self.depths_before_conversion(position, is_stopped)?;
        let was_found = depths.is_some();
        found.keep(depths.into_iter().flatten());
        Ok(was_found || !is_stopped())
    }
}
