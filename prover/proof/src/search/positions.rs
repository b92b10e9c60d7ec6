//! The operations of a search on its table, owned by one thread or shared by several.

use super::key::Key;
use super::numbers::Outcome;
use super::slot::{Known, Slot};
use super::table::Table;

/// The positions of a table, as a search uses them.
pub(super) trait Positions {
    /// Whether other threads use it, too.
    const IS_SHARED: bool;
    fn table(&self) -> &Table;
    /// Returns what is known of a position that is in the table.
    fn look_up(&mut self, key: Key) -> Option<Slot>;
    /// Puts a position on a path, and into the table if it is not there. Returns whether there is
    /// room for it.
    fn enter(&mut self, key: Key) -> bool;
    /// Takes a position off the path, with what was found of it and the nodes that were expanded
    /// below it. Returns what is known of it now.
    fn leave(&mut self, key: Key, found: Known, nodes: u64) -> Known;
    /// Notes what is known of a position that is not on the path, if there is room for it.
    fn note(&mut self, key: Key, found: Known);
    /// Returns the table's form of an outcome. A proof gets the present time, when everything that
    /// it rests on has been read: it is later than the times of those positions.
    fn stamp(&mut self, outcome: Outcome) -> Known;
}

impl Positions for Table {
    const IS_SHARED: bool = false;

    fn table(&self) -> &Table {
        self
    }

    fn look_up(&mut self, key: Key) -> Option<Slot> {
        self.place_alone(key).map(|(_, slot)| slot)
    }

    fn enter(&mut self, key: Key) -> bool {
        let Some((at, slot)) = self.slot_of(key) else { return false };
        self.put(at, slot.with_threads(1));
        true
    }

    fn leave(&mut self, key: Key, found: Known, nodes: u64) -> Known {
        let Some((at, slot)) = self.slot_of(key) else { return found };
        let slot = slot.with_threads(0).with_found(found).with_more_work(nodes);
        self.put(at, slot);
        slot.known()
    }

    fn note(&mut self, key: Key, found: Known) {
        if let Some((at, slot)) = self.slot_of(key) {
            self.put(at, slot.with_found(found));
        }
    }

    fn stamp(&mut self, outcome: Outcome) -> Known {
        self.time += u64::from(outcome == Outcome::Proved);
        Known::of(outcome, self.time)
    }
}
