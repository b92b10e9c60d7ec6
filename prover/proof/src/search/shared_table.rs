//! A table that several threads use at the same time. Each of its slots is an atomic number, so all
//! that can go wrong between them is that a position is in the table twice, until the table grows,
//! or that a number is of a moment ago.

use super::key::Key;
use super::numbers::Outcome;
use super::positions::Positions;
use super::slot::{Known, Slot};
use super::table::Table;

/// A table that other threads use, too, with a clock of this thread's own. A counter of proofs
/// that all of them share would be a line of the cache that each of them has to get from another
/// core, for each proof, and with it whatever else of the table is in that line.
pub(super) struct SharedTable<'t> {
    table: &'t Table,
    /// The latest time of the proofs that this thread has read or found (a clock of Lamport's,
    /// 1978): what it proves next is later than all that it can rest on.
    pub(super) time: u64,
}

impl<'t> SharedTable<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        SharedTable { table, time: table.time }
    }

    /// Notes the time of a proof that is read.
    fn see(&mut self, slot: Slot) {
        if let Known::Proved(time) = slot.known() {
            self.time = self.time.max(time);
        }
    }

    /// Changes the slot of a position, which is put into the table if it is not there. Returns the
    /// slot as it is then; `None` if there is no room for it.
    fn change(&mut self, key: Key, change: impl Fn(Slot) -> Slot) -> Option<Slot> {
        let table = self.table;
        // It begins again when another thread was faster.
        loop {
            let (at, old, slot) = match table.place(key) {
                Some((at, slot)) => (at, slot, slot),
                None => {
                    // Nothing moves to its other bucket here: for a moment it would be in the table
                    // twice, and a thread that changes it would leave what was known of it in the
                    // other place.
                    let Some(at) = table.room_here(key) else {
                        if table.bytes() == table.limit() {
                            table.set_spent();
                        }
                        return None;
                    };
                    let old = table.at(at);
                    // Another thread may have put it there in the meantime, or taken the slot.
                    if !table.can_go(at, old) || table.place(key).is_some() {
                        continue;
                    }
                    (at, old, table.new_slot(key, at))
                }
            };
            let new = change(slot);
            if table.swap(at, old, new) {
                self.see(new);
                return Some(new);
            }
        }
    }
}

impl Positions for SharedTable<'_> {
    const IS_SHARED: bool = true;

    fn table(&self) -> &Table {
        self.table
    }

    fn look_up(&mut self, key: Key) -> Option<Slot> {
        let (_, slot) = self.table.place(key)?;
        self.see(slot);
        Some(slot)
    }

    fn enter(&mut self, key: Key) -> bool {
        self.change(key, |slot| slot.with_threads(slot.threads() + 1)).is_some()
    }

    fn leave(&mut self, key: Key, found: Known, nodes: u64) -> Known {
        self.change(key, |slot| {
            let threads = slot.threads().saturating_sub(1);
            slot.with_threads(threads).with_found(found).with_more_work(nodes)
        })
        .map_or(found, Slot::known)
    }

    fn note(&mut self, key: Key, found: Known) {
        self.change(key, |slot| slot.with_found(found));
    }

    fn stamp(&mut self, outcome: Outcome) -> Known {
        self.time += u64::from(outcome == Outcome::Proved);
        Known::of(outcome, self.time)
    }
}

#[cfg(test)]
mod tests {
    use super::SharedTable;
    use crate::board::{Board, Position};
    use crate::search::numbers::Outcome;
    use crate::search::positions::Positions;
    use crate::search::slot::{Known, Slot};
    use crate::search::table::Table;
    use crate::search::table::tests::{OPEN, positions};

    #[test]
    fn threads_count_each_other() {
        let board = Board::new(6, 6).expect("a board");
        let table = Table::new(&board, 1 << 22);
        let all = positions(&board);
        let keys: Vec<_> = all.iter().take(500).map(|p| table.key(p)).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut shared = SharedTable::new(&table);
                    for _ in 0..50 {
                        keys.iter().for_each(|&key| assert!(shared.enter(key)));
                        keys.iter().for_each(|&key| assert_eq!(shared.leave(key, OPEN, 1), OPEN));
                    }
                });
            }
        });
        for &key in &keys {
            let slot = SharedTable::new(&table).look_up(key).expect("it was entered");
            assert_eq!((slot.threads(), slot.known()), (0, OPEN));
        }
    }

    #[test]
    fn a_proof_is_later_than_those_that_were_read() {
        let board = Board::new(6, 6).expect("a board");
        let table = Table::new(&board, 1 << 22);
        let key = |i: usize| table.key(&positions(&board)[i]);
        let prove = |thread: &mut SharedTable<'_>, i: usize| {
            let found = thread.stamp(Outcome::Proved);
            assert!(thread.enter(key(i)));
            thread.leave(key(i), found, 1)
        };
        let mut fast = SharedTable::new(&table);
        let mut slow = SharedTable::new(&table);
        for i in 0..5 {
            assert_eq!(prove(&mut fast, i), Known::Proved(i as u64 + 1));
        }
        assert_eq!(prove(&mut slow, 5), Known::Proved(1));
        slow.look_up(key(2));
        assert_eq!(prove(&mut slow, 6), Known::Proved(4));
        // What the other thread has proved earlier is not proved anew.
        slow.note(key(4), Known::Proved(9));
        assert_eq!(prove(&mut slow, 7), Known::Proved(6));
        slow.note(key(4), Known::Proved(1));
        assert_eq!(fast.look_up(key(4)).map(Slot::known), Some(Known::Proved(1)));
    }

    /// Fills a table of 4,096 slots by twice as many positions, and says what is left of them.
    fn filled(board: &Board, mut enter: impl FnMut(&mut Table, &Position, usize)) -> Table {
        let mut table = Table::new(board, 1 << 16);
        for (i, position) in positions(board).iter().enumerate() {
            enter(&mut table, position, i);
        }
        table
    }

    #[test]
    fn cheap_entries_are_forgotten() {
        let board = Board::new(6, 6).expect("a board");
        let all = positions(&board);
        assert!(all.len() > 8192, "{}", all.len());
        // One in 16 is decided, one in 16 took more work than the others.
        let found = |i: usize| if i.is_multiple_of(16) { Known::Proved(1) } else { OPEN };
        let nodes = |i: usize| if i % 16 == 1 { 1000 } else { 1 };
        let alone = filled(&board, |table, position, i| {
            let key = table.key(position);
            assert!(table.enter(key));
            table.leave(key, found(i), nodes(i));
        });
        let shared = filled(&board, |table, position, i| {
            let key = table.key(position);
            if !SharedTable::new(table).enter(key) {
                table.grow();
                assert!(SharedTable::new(table).enter(key));
            }
            SharedTable::new(table).leave(key, found(i), nodes(i));
        });
        for table in [alone, shared] {
            assert!(!table.is_spent());
            let of = |rest: usize| all.iter().skip(rest).step_by(16);
            let share = |positions: &mut dyn Iterator<Item = &Position>| {
                let there: Vec<bool> = positions.map(|p| table.find(p).is_some()).collect();
                there.iter().filter(|there| **there).count() as f64 / there.len() as f64
            };
            assert_eq!(share(&mut of(0).filter(|p| !board.can_capture(p))), 1.0);
            assert!(share(&mut of(0).filter(|p| board.can_capture(p))) < 0.9);
            assert!(share(&mut of(1)) > 0.95);
            assert!(share(&mut of(2)) < 0.5);
        }
    }
}
