//! A table that several threads use at the same time. Each of its slots is an atomic number, so all
//! that can go wrong between them is that a position is in the table twice, until the table grows,
//! or that a number is of a moment ago.

use super::key::Key;
use super::numbers::Outcome;
use super::positions::Positions;
use super::slot::{Known, Slot};
use super::table::Table;

/// A table that other threads use, too.
#[derive(Clone, Copy)]
pub(super) struct SharedTable<'t>(pub(super) &'t Table);

impl SharedTable<'_> {
    /// Changes the slot of a position, which is put into the table if it is not there. Returns the
    /// slot as it is then; `None` if there is no room for it.
    fn change(&self, key: Key, change: impl Fn(Slot) -> Slot) -> Option<Slot> {
        let table = self.0;
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
                return Some(new);
            }
        }
    }
}

impl Positions for SharedTable<'_> {
    const IS_SHARED: bool = true;

    fn table(&self) -> &Table {
        self.0
    }

    fn look_up(&mut self, key: Key) -> Option<Slot> {
        self.0.place(key).map(|(_, slot)| slot)
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
        let time = match outcome {
            Outcome::Proved => self.0.count_proof(),
            _ => 0,
        };
        Known::of(outcome, time)
    }
}

#[cfg(test)]
mod tests {
    use super::SharedTable;
    use crate::board::{Board, Position};
    use crate::search::positions::Positions;
    use crate::search::slot::Known;
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
                    let mut shared = SharedTable(&table);
                    for _ in 0..50 {
                        keys.iter().for_each(|&key| assert!(shared.enter(key)));
                        keys.iter().for_each(|&key| assert_eq!(shared.leave(key, OPEN, 1), OPEN));
                    }
                });
            }
        });
        for &key in &keys {
            let slot = SharedTable(&table).look_up(key).expect("it was entered");
            assert_eq!((slot.threads(), slot.known()), (0, OPEN));
        }
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
            if !SharedTable(table).enter(key) {
                table.grow();
                assert!(SharedTable(table).enter(key));
            }
            SharedTable(table).leave(key, found(i), nodes(i));
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
