//! Positions whose values nodes and leaves ask for, where not all tables are in memory together.
//!
//! Nodes and leaves are then gone over twice. The first time every position of the database counts
//! as suitable and is noted; so all that can be asked for is noted, and nothing is decided. While
//! the database is checked, the positions noted are looked up in values that have just been
//! verified. The second time decides, in the order and with the words of any other check.
//!
//! Enforces: that a value is the verified one, and that a position without one gives no value,
//! which is an error and never a verdict. Trusts: `database.rs`; the caller of
//! [`Positions::answer`] says that the values are right (`folder/values.rs`).

use crate::rules::{Board, Position};
use crate::values::Database;
use crate::values::Value;
use crate::values::{Shape, slice_of, views};
use crate::verdict::Stop;
use certificate_spec::cover::Cover;
use checker_aid::Layer;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of maps, large enough that threads seldom wait for one another.
const MAPS: usize = 64;

/// Positions and, once they are known, their values.
#[derive(Debug)]
pub struct Positions {
    board: Board,
    cover: Cover,
    maps: Vec<Mutex<HashMap<Position, Option<Value>>>>,
    /// The positions noted, by the layers that they are in.
    order: HashMap<Layer, Vec<Position>>,
    /// Whether a value was asked for that is not known.
    missed: AtomicBool,
}

impl Positions {
    pub(crate) fn new(board: &Board, cover: &Cover) -> Positions {
        Positions {
            board: board.clone(),
            cover: cover.clone(),
            maps: (0..MAPS).map(|_| Mutex::default()).collect(),
            order: HashMap::new(),
            missed: AtomicBool::new(false),
        }
    }

    fn map(&self, p: &Position) -> MutexGuard<'_, HashMap<Position, Option<Value>>> {
        let place = (p.black.wrapping_mul(31) ^ p.white).wrapping_mul(0x9e37_79b1) >> 26;
        self.maps[place as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The layer of a position that is in the database.
    fn layer(&self, p: &Position) -> Option<Layer> {
        if !self.board.is_possible(p) || !p.has_both_sides() {
            return None;
        }
        let sets = views(&self.board, p);
        let slice = slice_of(sets);
        let is_there = self.cover.admits_slice(slice);
        is_there.then(|| Shape::new(&self.board, slice).layer(&self.board, sets[0], sets[2]))
    }

    /// Notes a position if it is in the database. Says whether it is.
    pub(crate) fn note(&self, p: &Position) -> bool {
        let is_there = self.layer(p).is_some();
        if is_there {
            self.map(p).entry(*p).or_default();
        }
        is_there
    }

    /// Puts the positions noted in order, for [`Positions::answer`].
    pub(crate) fn sort(&mut self) {
        let maps = self.maps.iter().map(|map| map.lock().unwrap_or_else(PoisonError::into_inner));
        let keys = maps.flat_map(|map| map.keys().copied().collect::<Vec<_>>());
        let all: Vec<Position> = keys.collect();
        for p in all {
            if let Some(layer) = self.layer(&p) {
                self.order.entry(layer).or_default().push(p);
            }
        }
    }

    /// Whether any positions of a layer were noted.
    pub(crate) fn has(&self, layer: &Layer) -> bool {
        self.order.contains_key(layer)
    }

    /// Looks up the positions noted of a layer.
    ///
    /// # Errors
    /// A value is not in memory.
    pub(crate) fn answer(&self, values: &Database, layer: Layer) -> Result<(), Stop> {
        for p in self.order.get(&layer).into_iter().flatten() {
            self.map(p).insert(*p, values.value(p));
        }
        values.is_complete()
    }

    /// The value of a position, or `None` if it is not in the database.
    pub(crate) fn value(&self, p: &Position) -> Option<Value> {
        self.layer(p)?;
        let value = self.map(p).get(p).copied().flatten();
        if value.is_none() {
            self.missed.store(true, Relaxed);
        }
        value
    }

    /// Checks that there was a value for every position that was asked for.
    ///
    /// # Errors
    /// There was none for one of them.
    pub(crate) fn is_complete(&self) -> Result<(), Stop> {
        let error = || Stop::Error("a position was asked for that had not been noted".into());
        if self.missed.load(Relaxed) { Err(error()) } else { Ok(()) }
    }
}
